"""Everyone else at a client: who is there, what was heard of them, and which moment of it is drawn."""

# retick: floats -- pictures of other players

from typing import Final

from retick.authority.client.interpolation import InterpolationDelay, RemoteBuffer, RemoteView, RenderClock
from retick.authority.clock import ms_to_ticks
from retick.authority.shapes import Numbers, View

__all__ = ["Remotes"]

MAX_EXTRAPOLATION_MS: Final = 100


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
        """Players drawn at once where they are, being too far from where they were."""

    def take(self, view: View, own_id: int, now: float) -> None:
        """A snapshot came in: all but ourselves are noted, and who is not in it is gone."""
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
        """Everyone as to be drawn now, given the server's tick as the client believes it to be."""
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
