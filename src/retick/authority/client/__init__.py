"""The client's side: prediction, reconciliation, smoothing, and the others interpolated.

Knows profiles by shape; knows no game, no socket and no clock.
"""

from retick.authority.client.client import Client

__all__ = ["Client"]
