"""Bits and packets: how values become bytes and come back, and the message layouts that games and authority share.

Knows no game, no simulation and no session: RBN1 carries plain integers.
"""
