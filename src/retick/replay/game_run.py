"""Runs a game over the frames of a recording, with the game's own ``run`` if it has one."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from retick.errors import UsageError
from retick.replay.hosted_run import HostedRun
from retick.replay.inputs import unpack_inputs
from retick.replay.replay import Replay
from retick.sim.contract import NamesItself, PacksState, RunsInBulk, Simulation, input_size_of
from retick.sim.frame_notes import located, note_frame
from retick.sim.world import World, WorldSimulation

__all__ = ["Run"]

S = TypeVar("S")


class Run(Generic[S]):
    """A recording and a game that fits it; a UsageError if the game does not."""

    def __init__(self, replay: Replay, sim: Simulation[S]) -> None:
        _check_fit(replay, sim)
        self.replay = replay
        self.sim = sim
        self._bulk = _bulk_of(sim)
        self._hosted: Any = None if replay.hosting is None else HostedRun(replay, replay.hosting, sim)

    def start(self) -> S:
        """The state at the recording's first frame."""
        if self._hosted is not None:
            with located(-1, self.replay.seed):
                return self._hosted.start()  # type: ignore[no-any-return]  # a declared world's states are WorldStates
        if self.replay.start_state is None:
            with located(-1, self.replay.seed):
                return self.sim.initial_state(self.replay.seed)
        return self._unpack(self.replay.start_state)

    def _unpack(self, packed: bytes) -> S:
        sim = self.sim
        if not isinstance(sim, PacksState):
            raise UsageError(
                f"the recording starts from a packed state, and {type(sim).__name__} has no unpack_state to read it"
            )
        state: S = sim.unpack_state(packed)
        return state

    def between(self, state: S, frame: int, target: int) -> S:
        """The state at ``target``, given the one at ``frame``."""
        if self._hosted is not None:
            return self._hosted.between(state, frame, target)  # type: ignore[no-any-return]  # as above
        for resync, packed in self.replay.resyncs.items():
            if frame <= resync < target:
                state, frame = self._unpack(packed), resync
        frames = self.replay.packed(frame, target)
        return self._bulk(state, frames) if self._bulk else self._step_by_step(state, frames, frame)

    def _step_by_step(self, state: S, frames: bytes, first: int) -> S:
        step, keep = _steps_of(self.sim)
        width, size = self.replay.width, self.replay.input_size
        at = 0
        inputs: tuple[int, ...] = ()
        try:
            for at in range(0, len(frames), width):
                inputs = unpack_inputs(frames[at : at + width], size)
                state = step(state, inputs)
        except Exception as error:
            note_frame(error, first + at // width, self.replay.seed, inputs)
            raise
        kept: S = keep(state)
        return kept


def _check_fit(replay: Replay, sim: Simulation[Any]) -> None:
    name = type(sim).__name__
    if sim.num_players != replay.num_players:
        raise UsageError(f"the recording has {replay.num_players} players, and {name} has {sim.num_players}")
    if input_size_of(sim) != replay.input_size:
        raise UsageError(f"the recording's inputs take {replay.input_size} bytes, and {name} has {input_size_of(sim)}")
    if replay.start_frame and replay.start_state is None:
        raise UsageError(f"the recording starts at frame {replay.start_frame} and has no state to start from")
    if not isinstance(sim, NamesItself):
        return
    if replay.game_id and replay.game_id != sim.game_id:
        raise UsageError(f"the recording is of {replay.game_id!r}, and {name} is {sim.game_id!r}")
    if replay.game_version and replay.game_version != sim.game_version:
        raise UsageError(
            f"the recording is of version {replay.game_version} of {sim.game_id}, and this is {sim.game_version}"
        )


def _bulk_of(sim: Simulation[S]) -> Callable[[S, bytes], S] | None:
    """The game's ``run``; None if there is none, or if a subclass overrides ``step`` and so ``run`` is another game."""
    if not isinstance(sim, RunsInBulk):
        return None
    lineage = [getattr(sim, "__dict__", {}), *(vars(cls) for cls in type(sim).__mro__)]
    first = next((members for members in lineage if "run" in members or "step" in members), {})
    return sim.run if "run" in first else None


def _steps_of(sim: Simulation[Any]) -> tuple[Callable[[Any, tuple[int, ...]], Any], Callable[[Any], Any]]:
    """How to step, and what to do with the last state: a mutable world is saved only then, not after each frame."""
    if isinstance(sim, World) or type(sim) is WorldSimulation:
        return sim.step_unkept, sim.keep
    return sim.step, lambda state: state
