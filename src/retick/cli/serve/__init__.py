"""``retick serve`` and ``retick bots``: a server of the runner, and bots that play on it.

Knows the public calls of ``authority`` and ``transport``; knows no packet.
"""
