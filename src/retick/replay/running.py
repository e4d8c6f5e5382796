"""Runs a game over the frames of a recording, using the game's own ``run`` if it has one."""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from retick.errors import UsageError
from retick.replay.replay import Arrival, Hosting, Replay, unpack_inputs
from retick.sim.contract import NamesItself, PacksState, RunsInBulk, Simulation, input_size_of, located, note_frame
from retick.sim.world import World, WorldSimulation, WorldState
from retick.sim.world.hosting import HostedWorld

# Runs a declared world over a server's recording, including joins, leaves and what players saw.


class HostedState(WorldState):
    """A state, with the earlier ones that players may still see."""

    __slots__ = ("past",)

    def __init__(self, saved: bytes, past: tuple[bytes, ...]) -> None:
        super().__init__(saved)
        self.past = past


class HostedRun:
    """A server's recording, and the world instance that runs it."""

    def __init__(self, replay: Replay, hosting: Hosting, sim: Any) -> None:
        if not isinstance(sim, World):
            raise UsageError(
                f"the recording is of a server's match: it needs a declared world, not {type(sim).__name__}"
            )
        self._replay = replay
        self._hosting = hosting
        self._run = HostedWorld(type(sim)(), most_past=hosting.farthest)
        self._at: HostedState | None = None
        """The state that the instance is in; None if unknown."""

    def start(self) -> HostedState:
        """The state at the recording's first frame, before anyone has joined."""
        self._at = None
        if self._replay.start_state is None:
            self._run.begin(self._replay.seed)
        else:
            self._run.resume(self._replay.start_state, self._replay.start_frame)
        return self._here()

    def between(self, state: HostedState, frame: int, target: int) -> HostedState:
        """Run from the state at ``frame`` to the one at ``target``."""
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


S = TypeVar("S")


class GameRun(Generic[S]):
    """A recording and a game that fits it; raises UsageError if the game does not."""

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
        """Run from the state at ``frame`` to the one at ``target``."""
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
    """The game's ``run``; None if it has none, or if a subclass overrides ``step``, which ``run`` would ignore."""
    if not isinstance(sim, RunsInBulk):
        return None
    lineage = [getattr(sim, "__dict__", {}), *(vars(cls) for cls in type(sim).__mro__)]
    first = next((members for members in lineage if "run" in members or "step" in members), {})
    return sim.run if "run" in first else None


def _steps_of(sim: Simulation[Any]) -> tuple[Callable[[Any, tuple[int, ...]], Any], Callable[[Any], Any]]:
    """How to step, and how to finish the last state: a mutable world is saved only then, not after each frame."""
    if isinstance(sim, World) or type(sim) is WorldSimulation:
        return sim.step_unkept, sim.keep
    return sim.step, lambda state: state


# Repeats a live match with the same rollbacks: an engine gets the recorded inputs in their order of arrival.
#
# Any engine with ``add_remote_inputs(player, start_frame, inputs)`` and ``advance(inputs)`` will do; ``advance`` takes
# one integer for one local seat and a tuple for several.


class RemoteBatch(NamedTuple):
    """Remote inputs as an engine receives them."""

    player: int
    first_frame: int
    inputs: list[int]


class Turn(NamedTuple):
    """One frame of the recording peer: the batches that arrived before it, then its local inputs."""

    frame: int
    batches: list[RemoteBatch]
    local_inputs: tuple[int, ...] | None
    """In order of the local seats; None in the last turn, which has only the batches after the last frame."""


class ReplayEngine(Protocol):
    """The two calls that a rollback engine must answer."""

    def add_remote_inputs(self, player: int, start_frame: int, inputs: Sequence[int], /) -> Any: ...

    def advance(self, inputs: Any, /) -> Any: ...


def turns(replay: Replay) -> Iterator[Turn]:
    """The match as the recording peer saw it, frame by frame; a last turn has the batches that came afterwards."""
    if not replay.local_players:
        raise UsageError("the recording names no local seat: without one, its rollbacks cannot be repeated")
    if replay.resyncs:
        raise UsageError("the match went on from other states after a resync: no engine runs it as one")
    at = 0
    for frame in range(replay.start_frame, replay.end_frame):
        batches = []
        while at < len(replay.arrivals) and replay.arrivals[at].local_frame <= frame:
            batches += _batch(replay, replay.arrivals[at])
            at += 1
        row = replay.inputs_at(frame)
        yield Turn(frame, batches, tuple(row[seat] for seat in replay.local_players))
    rest = [batch for arrival in replay.arrivals[at:] for batch in _batch(replay, arrival)]
    yield Turn(replay.end_frame, rest, None)


def rerun(replay: Replay, engine: ReplayEngine) -> None:
    """Drive a fresh engine through the whole match, rollbacks included.

    The engine must start from the recording's first state, with its local seats (``local_player=`` if there is one),
    no input delay, and a history at least as long as the one it was played with.
    """
    single = len(replay.local_players) == 1
    for turn in turns(replay):
        for batch in turn.batches:
            engine.add_remote_inputs(batch.player, batch.first_frame, batch.inputs)
        if turn.local_inputs is not None:
            engine.advance(turn.local_inputs[0] if single else turn.local_inputs)


def _batch(replay: Replay, arrival: Arrival) -> list[RemoteBatch]:
    """The batch with its inputs, without frames beyond the end of the recording; empty if none are left."""
    end = min(arrival.first_frame + arrival.frames, replay.end_frame)
    if end <= arrival.first_frame:
        return []
    frames = range(arrival.first_frame, end)
    return [RemoteBatch(arrival.player, arrival.first_frame, [replay.inputs_at(f)[arrival.player] for f in frames])]
