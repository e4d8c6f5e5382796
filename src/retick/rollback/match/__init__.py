"""One match on one peer: the engine, the exchange of inputs with each remote peer, time sync, checksums and figures.

Knows the engine and RBN1 packets; knows no link, so that LAN sessions and link sessions share it.
"""

from retick.rollback.match.config import MatchConfig
from retick.rollback.match.match import Match
from retick.rollback.match.stats import PeerStats, SessionStats

__all__ = ["Match", "MatchConfig", "PeerStats", "SessionStats"]
