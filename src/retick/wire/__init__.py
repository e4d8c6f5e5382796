"""Bits and packets: how values become bytes and come back.

Knows no game, no simulation and no session: RBN1 carries plain integers.
"""
