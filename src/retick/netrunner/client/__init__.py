"""The NetRunner client: prediction, reconciliation, smoothing, and interpolation of the other players.

Knows games only through the Protocols in profile.py; knows no socket, no clock, and nothing of ``server``.
"""

from retick.netrunner.client.client import Client

__all__ = ["Client"]
