"""Matches played in a terminal against other peers: ``retick host``, ``join`` and ``watch``, and what they share.

It knows sessions by their calls and events, but no packet.
"""
