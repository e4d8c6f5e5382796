"""A remote peer as a match knows it: its id, its seats, the exchange of inputs with it, and the statistics of both.

There is one object for each remote peer. A session over links adds the connection to it (``session.peer``); without a
link, as in the LAN mode, this class is enough. All statistics of a peer are made here.
"""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from retick.rollback.match.stats import PathStats, PeerStats, RateMeter

if TYPE_CHECKING:
    from retick.rollback.match.match import Exchange


class MatchPeer:
    """One remote peer."""

    __slots__ = ("exchange", "meter", "peer_id", "players")

    def __init__(self, peer_id: Any, players: tuple[int, ...]) -> None:
        self.peer_id = peer_id
        """The peer's id for the application: a number, or in the LAN mode the address."""
        self.players = players
        """The seats played there, ascending."""
        self.exchange: Exchange | None = None
        """The exchange of inputs in the present match; None while there is none."""
        self.meter = RateMeter()

    def path(self) -> PathStats:
        """The statistics of the network path; without a link, those that the exchange counts."""
        exchange = self.exchange
        if exchange is None:
            return PathStats()
        return PathStats(
            packets_in=exchange.packets_in,
            packets_out=exchange.packets_out,
            bytes_in=exchange.bytes_in,
            bytes_out=exchange.bytes_out,
        )

    def sent(self) -> tuple[int, int]:
        """Datagrams and bytes sent there, as in ``path``."""
        path = self.path()
        return path.packets_out, path.bytes_out

    def sample(self, now: float) -> None:
        """Note the totals, about once a second, so that rates can be computed."""
        self.meter.sample(*self.sent(), now)

    def stats(self, now: float) -> PeerStats:
        """All statistics of this peer now."""
        path, exchange = self.path(), self.exchange
        packets, octets = self.meter.rates(path.packets_out, path.bytes_out, now)
        return PeerStats(
            **asdict(path),
            packets_per_second_out=packets,
            bytes_per_second_out=octets,
            lead=(exchange.lead.ours or 0.0) if exchange is not None else 0.0,
            their_lead=(exchange.lead.theirs or 0.0) if exchange is not None else 0.0,
            unacknowledged=exchange.unacknowledged if exchange is not None else 0,
            dropped=dict(exchange.dropped) if exchange is not None else {},
        )
