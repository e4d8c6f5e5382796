"""The other players at a client: their recent snapshots, and the moment at which they are drawn."""

# retick: floats -- drawing of other players

from typing import Final

from retick.authority.client.interpolation import InterpolationDelay, RemoteBuffer, RemoteView, RenderClock
from retick.authority.profile import Numbers, View
from retick.authority.timing import ms_to_ticks

__all__ = ["Remotes"]

MAX_EXTRAPOLATION_MS: Final = 100
"""Whatever the server allows."""


class Remotes:
    """The other players of one session."""

    def __init__(self, config: Numbers) -> None:
        self._rate = config.server_tick_rate
        self._delay = InterpolationDelay(
            base_ms=config.interpolation_delay_ms, rate=self._rate, snapshot_rate=config.snapshot_rate
        )
        self._render = RenderClock(self._rate)
        self._most = ms_to_ticks(min(config.max_extrapolation_ms, MAX_EXTRAPOLATION_MS), self._rate)
        self._buffers: dict[int, RemoteBuffer] = {}
        self.teleports = 0
        """Times that a player was drawn far from where it was drawn last."""

    @property
    def drawn_tick(self) -> float | None:
        """The tick at which they were drawn last, with its fraction; None before."""
        return self._render.at

    def receive(self, view: View, own_id: int, now: float) -> None:
        """A snapshot arrived: keep all players but our own, and drop those that are not in it."""
        self._delay.arrived(now)
        here = set()
        for player in view.players:
            if player.peer_id != own_id:
                here.add(player.peer_id)
                buffer = self._buffers.get(player.peer_id)
                if buffer is None:
                    buffer = self._buffers[player.peer_id] = RemoteBuffer(self._rate)
                buffer.add(view.tick, player.state)
        for gone in self._buffers.keys() - here:
            del self._buffers[gone]

    def views(self, server_tick: float, now: float, *, hermite: bool) -> dict[int, RemoteView]:
        """The players as they should be drawn now, given the client's estimate of the server's tick."""
        at = self._render.advance(server_tick - self._delay.update(now), now)
        views: dict[int, RemoteView] = {}
        for peer_id, buffer in self._buffers.items():
            before = buffer.teleports
            view = buffer.sample(at, max_extrapolation=self._most, hermite=hermite)
            self.teleports += buffer.teleports - before
            if view is not None:
                views[peer_id] = view
        self._delay.note_underflow(any(view.underflow for view in views.values()), now)
        return views
