"""What a game is to Retick: a pure function from a state and the players' inputs to the next state.

:class:`Simulation` is required. The other protocols are optional; a game has them if it has their methods. A game that
packs its state can be rejoined in mid-match, one that runs in bulk is verified faster, one that names itself is
recognised by recordings. To save a state is to keep a reference to it, so ``step`` must never change its argument.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, TypeAlias, TypeVar, runtime_checkable

from retick.errors import UsageError

__all__ = ["Frame", "Input", "NamesItself", "PacksState", "Player", "RunsInBulk", "Simulation", "input_size_of"]

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
        """The state as bytes."""

    def unpack_state(self, data: bytes, /) -> Any:
        """The state in ``data``, or a DecodeError: the bytes come from outside."""


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
    """Bytes of one player's input: the game's ``input_size``, or 2."""
    size = getattr(game, "input_size", 2)
    if not isinstance(size, int) or not 1 <= size <= 8:
        raise UsageError(f"input_size must be from 1 to 8 bytes, not {size!r}")
    return int(size)
