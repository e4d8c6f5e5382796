"""The handshake: a dialler and an acceptor prove an address, compare their settings and agree on a seed.

Connections are only what it opens; it does no I/O and reads no clock.
"""
