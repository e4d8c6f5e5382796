"""Runs a declared world over a recording that a server made: joins, leaves and what players saw are part of it."""

from bisect import bisect_left
from typing import Any

from retick.errors import UsageError
from retick.replay.hosting import Hosting
from retick.replay.inputs import unpack_inputs
from retick.replay.replay import Replay
from retick.sim.frame_notes import note_frame
from retick.sim.world import World, WorldState
from retick.sim.world.hosting.hosted import HostedWorld

__all__ = ["HostedRun", "HostedState"]


class HostedState(WorldState):
    """A state, with those before it that players may still see."""

    __slots__ = ("past",)

    def __init__(self, saved: bytes, past: tuple[bytes, ...]) -> None:
        super().__init__(saved)
        self.past = past


class HostedRun:
    """A recording of a server, and an instance of the world that it is run in."""

    def __init__(self, replay: Replay, hosting: Hosting, sim: Any) -> None:
        if not isinstance(sim, World):
            raise UsageError(
                f"the recording is of a server's match: it needs a declared world, not {type(sim).__name__}"
            )
        self._replay = replay
        self._hosting = hosting
        self._run = HostedWorld(type(sim)(), most_past=hosting.farthest)
        self._at: HostedState | None = None
        """The state that the instance is in, if it is known."""

    def start(self) -> HostedState:
        """The state at the recording's first frame; nobody has joined yet."""
        self._at = None
        if self._replay.start_state is None:
            self._run.begin(self._replay.seed)
        else:
            self._run.resume(self._replay.start_state, self._replay.start_frame)
        return self._here()

    def between(self, state: HostedState, frame: int, target: int) -> HostedState:
        """The state at ``target``, given the one at ``frame``."""
        run, replay, hosting = self._run, self._replay, self._hosting
        if state is not self._at:
            run.resume(state.saved, frame, state.past)
        self._at = None
        behind = [1] * replay.num_players
        for view in hosting.views[: (views := bisect_left(hosting.views, (frame,)))]:
            behind[view.player] = view.behind
        seats = bisect_left(hosting.seats, (frame,))
        for now in range(frame, target):
            inputs = unpack_inputs(replay.packed(now, now + 1), replay.input_size)
            try:
                while seats < len(hosting.seats) and hosting.seats[seats].frame == now:
                    change = hosting.seats[seats]
                    (run.join if change.joins else run.leave)(change.player)
                    seats += 1
                while views < len(hosting.views) and hosting.views[views].frame == now:
                    behind[hosting.views[views].player] = hosting.views[views].behind
                    views += 1
                run.advance(inputs, behind)
            except Exception as error:
                note_frame(error, now, replay.seed, inputs)
                raise
        return self._here()

    def _here(self) -> HostedState:
        self._at = HostedState(self._run.saved, self._run.past[:-1])
        return self._at
