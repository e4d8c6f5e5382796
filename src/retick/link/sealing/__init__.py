"""Sealing: the Noise handshake, the two keys of a connection, lasting keys, and the words that people compare.

Knows bytes and keys; knows no datagram, no connection and no randomness. Only ``primitives`` imports ``cryptography``,
and modules that import ``primitives`` are themselves imported only when a sealed link is made.
"""
