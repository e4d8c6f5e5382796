"""Runs a live match again with the same rollbacks: an engine gets the recorded inputs in their order of arrival.

Any engine will do that has ``add_remote_inputs(player, start_frame, inputs)`` and ``advance(inputs)``, where
``advance`` expects one integer for one local seat and a tuple for several.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

from retick.errors import UsageError
from retick.replay.arrival import Arrival
from retick.replay.replay import Replay

__all__ = ["Batch", "Turn", "rerun", "turns"]


class Batch(NamedTuple):
    """Remote inputs as they are given to an engine."""

    player: int
    first_frame: int
    inputs: list[int]


class Turn(NamedTuple):
    """One frame of the recording peer: the batches that arrived before it, then the local inputs to advance with."""

    frame: int
    batches: list[Batch]
    local_inputs: tuple[int, ...] | None
    """In order of the local seats; None in the last turn, which has only the batches that came after the last frame."""


class Engine(Protocol):
    """The two calls that a rollback engine answers."""

    def add_remote_inputs(self, player: int, start_frame: int, inputs: Sequence[int], /) -> Any: ...

    def advance(self, inputs: Any, /) -> Any: ...


def turns(replay: Replay) -> Iterator[Turn]:
    """The match as the recording peer saw it, frame by frame, and a last turn for the batches that came after it."""
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


def rerun(replay: Replay, engine: Engine) -> None:
    """Drive a fresh engine through the whole match, rollbacks included.

    The engine must start from the recording's first state, with its local seats (``local_player=`` if there is one),
    no input delay, and a history no shorter than the one that was played with.
    """
    single = len(replay.local_players) == 1
    for turn in turns(replay):
        for batch in turn.batches:
            engine.add_remote_inputs(batch.player, batch.first_frame, batch.inputs)
        if turn.local_inputs is not None:
            engine.advance(turn.local_inputs[0] if single else turn.local_inputs)


def _batch(replay: Replay, arrival: Arrival) -> list[Batch]:
    """The batch with its inputs, without frames beyond the end of the recording; empty if all of them are."""
    end = min(arrival.first_frame + arrival.frames, replay.end_frame)
    if end <= arrival.first_frame:
        return []
    frames = range(arrival.first_frame, end)
    return [Batch(arrival.player, arrival.first_frame, [replay.inputs_at(f)[arrival.player] for f in frames])]
