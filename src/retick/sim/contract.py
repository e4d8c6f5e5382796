"""What a game is to Retick: a pure function from a state and the players' inputs to the next state.

:class:`Simulation` is required. The other protocols are optional; a game has them if it has their methods. A game that
packs its state can be rejoined in mid-match, one that runs in bulk is verified faster, one that names itself is
recognised by recordings. To save a state is to keep a reference to it, so ``step`` must never change its argument.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar, runtime_checkable

from retick.errors import UsageError

S = TypeVar("S")

Frame: TypeAlias = int
"""Index on the rollback timeline."""
Player: TypeAlias = int
"""A seat, from 0 on."""
Input: TypeAlias = int
"""What one player presses in one frame, as an unsigned integer."""
# Kernels annotate with these names: Cython checks an argument that is annotated with a bare ``int``, and then the
# compiled form would refuse what the uncompiled one accepts.


class Simulation(Protocol[S]):
    """The contract: equal arguments give equal results, on every machine, every time."""

    @property
    def num_players(self) -> int:
        """How many players there are; their seats are 0 to ``num_players - 1``."""

    def initial_state(self, seed: int) -> S:
        """The state before frame 0."""

    def step(self, state: S, inputs: Sequence[int], /) -> S:
        """The state one frame later. Input ``i`` is what player ``i`` presses, as an unsigned integer."""

    def checksum(self, state: S) -> int:
        """32 bits that differ when states differ: what peers compare."""

    def fields(self, state: S) -> Iterable[tuple[str, Any]]:
        """Every value in the state with its name: what reports show when checksums differ."""


@runtime_checkable
class PacksState(Protocol):
    """A game whose state can be sent: for rejoining, spectators, and recordings that start in mid-match."""

    def pack_state(self, state: Any, /) -> bytes:
        """Pack the state into bytes."""

    def unpack_state(self, data: bytes, /) -> Any:
        """Unpack a state; raises DecodeError, since the bytes come from outside."""


@runtime_checkable
class RunsInBulk(Protocol):
    """A game with its own loop over many frames, perhaps compiled."""

    def run(self, state: Any, frames: bytes, /) -> Any:
        """The state after all ``frames``: each the inputs of all players, ``input_size`` bytes each, little-endian."""


@runtime_checkable
class NamesItself(Protocol):
    """A game that recordings and handshakes can tell from others."""

    @property
    def game_id(self) -> str: ...

    @property
    def game_version(self) -> int: ...


def input_size_of(game: Any) -> int:
    """How many bytes one player's input takes: the game's ``input_size``, or 2."""
    size = getattr(game, "input_size", 2)
    if not isinstance(size, int) or not 1 <= size <= 8:
        raise UsageError(f"input_size must be from 1 to 8 bytes, not {size!r}")
    return int(size)


# Which declared world runs in this thread: the one whose ``start``, ``join``, ``leave`` or ``advance`` was called.
#
# A context variable: other threads see worlds of their own, and a world that is run inside of another's method leaves
# that one as it was.

RUNNING: ContextVar[Any] = ContextVar("RUNNING", default=None)


# Notes on what a game raises: in which frame that was, and with which inputs.


def note_frame(error: Exception, frame: int, seed: int, inputs: Sequence[int]) -> None:
    """Note the frame and its inputs on an error, unless a frame is noted already; frame -1 is the initial state."""
    if not any(note.startswith("in frame ") for note in getattr(error, "__notes__", [])):
        if frame < 0:
            error.add_note(f"in the initial state of seed {seed}")
        else:
            error.add_note(f"in frame {frame} of the run with seed {seed}, with the inputs {tuple(inputs)}")


@contextmanager
def located(frame: int, seed: int, inputs: Sequence[int] = ()) -> Iterator[None]:
    """Within this context, note the frame and its inputs on any exception that the game raises."""
    try:
        yield
    except Exception as error:
        note_frame(error, frame, seed, inputs)
        raise


# What a game shows and plays, whoever runs it: cue events, and pictures between two states.
#
# Peer sessions and clients of a server give the same ones, so a game draws and sounds alike in both.


@dataclass(frozen=True, slots=True, kw_only=True)
class CueEvent:
    """Something to tell the sound or effects player."""

    frame: int
    """The frame whose transition gave the cue."""
    cue: Hashable
    """What the game's ``cues`` yielded."""


class CueStarted(CueEvent):
    """Play the cue. It may still be cancelled."""

    __slots__ = ()


class CueCancelled(CueEvent):
    """Stop the cue: the frame was resimulated, and the cue did not happen."""

    __slots__ = ()


class CueConfirmed(CueEvent):
    """The cue happened: its frame is final. This is the last event of the cue."""

    __slots__ = ()


class Between(NamedTuple):
    """Two states that follow each other, and how far the picture is from the first to the second."""

    before: Any
    """The state one frame ago; for a world, an instance to draw. At the start of a match, the same as ``after``."""
    after: Any
    """The present state; for a world, an instance to draw."""
    fraction: float
    """From 0 (draw ``before``) to 1 (draw ``after``)."""
