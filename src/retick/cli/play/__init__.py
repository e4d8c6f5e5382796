"""Matches played in a terminal against other peers: ``retick host``, ``join`` and ``watch``, and what they share.

Knows sessions by their calls and events; knows no packet.
"""
