"""The handshake: a dialler and an acceptor prove an address, compare their settings and agree on a seed.

Knows connections only as what it opens; does no I/O and reads no clock.
"""
