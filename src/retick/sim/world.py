"""An adapter for games that own a mutable world: the world saves and loads, the adapter makes it a Simulation.

::

    class Pong:
        num_players = 2
        def reset(self, seed): ...        # put the world at its start
        def advance(self, inputs): ...    # move the world one frame on, in place
        def save(self): ...               # everything that advance reads or writes, as a value nobody changes
        def load(self, saved): ...        # put the world where save() was
        def fields(self): ...             # pairs of name and value, for checksums and reports

    sim = WorldSimulation(Pong())

The adapter remembers which state the world is in, and loads only when it must step from another one. A state is a
handle on what ``save`` returned. Bytes are best, since they can be sent to a peer that rejoins.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol
from zlib import crc32

from retick.errors import InvalidValue, UsageError
from retick.sim.checksum import fnv1a
from retick.sim.contract import input_size_of
from retick.sim.fields import canonical_text

__all__ = ["World", "WorldSimulation", "WorldState"]

_NOT_KEPT = object()


class World(Protocol):
    """What a game with a mutable world offers; ``checksum()`` and ``input_size`` are optional."""

    @property
    def num_players(self) -> int: ...

    def reset(self, seed: int) -> None: ...

    def advance(self, inputs: Sequence[int], /) -> None: ...

    def save(self) -> Any: ...

    def load(self, saved: Any, /) -> None: ...

    def fields(self) -> Iterable[tuple[str, Any]]: ...


class WorldState:
    """A handle on one state of a world; equal when what was saved is equal."""

    __slots__ = ("saved",)

    def __init__(self, saved: Any = _NOT_KEPT) -> None:
        self.saved = saved

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WorldState) and self.saved is not _NOT_KEPT and self.saved == other.saved

    __hash__ = None  # type: ignore[assignment] # what was saved need not be hashable

    def __repr__(self) -> str:
        return "WorldState(not kept)" if self.saved is _NOT_KEPT else f"WorldState({self.saved!r})"


class WorldSimulation:
    """A mutable world as a pure Simulation."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.num_players = world.num_players
        self.input_size = input_size_of(world)
        self._here: WorldState | None = None

    def initial_state(self, seed: int) -> WorldState:
        self._here = None
        self.world.reset(seed)
        self._here = WorldState(self.world.save())
        return self._here

    def step(self, state: WorldState, inputs: Sequence[int]) -> WorldState:
        # retick: allow hidden-state -- which state the world is in is all that the adapter remembers
        return self.keep(self.step_unkept(state, inputs))

    def step_unkept(self, state: WorldState, inputs: Sequence[int]) -> WorldState:
        """Like ``step``, but without saving: the result is lost when the world moves on, unless it is kept."""
        if len(inputs) != self.num_players:
            raise UsageError(f"step takes {self.num_players} inputs, not {len(inputs)}")
        self._go_to(state)
        self._here = None
        self.world.advance(inputs)
        self._here = WorldState()
        return self._here

    def keep(self, state: WorldState) -> WorldState:
        """Save ``state``, which the world must be in unless it was kept before."""
        if state.saved is _NOT_KEPT:
            self._go_to(state)
            state.saved = self.world.save()
        return state

    def has(self, state: Any) -> bool:
        """Whether ``state`` can still be stepped from: it was kept, or the world is in it."""
        return isinstance(state, WorldState) and (state is self._here or state.saved is not _NOT_KEPT)

    def reload(self, state: WorldState) -> WorldState:
        """``state`` after a real load, even if the world seems to be there: what a sync test steps from."""
        self.keep(state)
        self._here = None
        self._go_to(state)
        return state

    def checksum(self, state: WorldState) -> int:
        # retick: allow hidden-state -- which state the world is in is all that the adapter remembers
        self._go_to(state)
        own = getattr(self.world, "checksum", None)
        if own is not None:
            return int(own())
        return _checksum_of_fields(self.world.fields())

    def fields(self, state: WorldState) -> tuple[tuple[str, Any], ...]:
        # retick: allow hidden-state -- which state the world is in is all that the adapter remembers
        self._go_to(state)
        return tuple(self.world.fields())

    def pack_state(self, state: WorldState) -> bytes:
        # retick: allow hidden-state, state-mutation -- keeping a handle fills it with what it stands for
        saved = self.keep(state).saved
        if not isinstance(saved, bytes):
            raise UsageError(f"a state can travel when save() returns bytes, not {type(saved).__name__}")
        return saved

    def unpack_state(self, data: bytes) -> WorldState:
        # The game's own load is the judge of these bytes; whatever it raises means that they are not a state.
        self._here = None
        try:
            self.world.load(data)
        except Exception as error:
            raise InvalidValue(f"the world could not load these {len(data)} bytes: {error}") from error
        self._here = WorldState(bytes(data))
        return self._here

    def _go_to(self, state: WorldState) -> None:
        if not isinstance(state, WorldState):
            raise UsageError(f"{type(self.world).__name__} steps a WorldState, not a {type(state).__name__}")
        if state is self._here:
            return
        if state.saved is _NOT_KEPT:
            raise UsageError("this state was not kept, and the world has moved on from it")
        self._here = None
        self.world.load(state.saved)
        self._here = state


def _checksum_of_fields(fields: Iterable[tuple[str, Any]]) -> int:
    """Integers of 64 bits are hashed as they are; anything else by its text, which for floats is exact."""
    numbers: list[int] = []
    for name, value in fields:
        if isinstance(value, int) and -(1 << 63) <= value < 1 << 64:
            numbers += (value, value >> 32)
        else:
            numbers.append(crc32(f"{name}={_stable_text(value)}".encode()))
    return fnv1a(numbers)


def _stable_text(value: Any) -> str:
    """The text of a value for its checksum, the same in every process."""
    text = repr(value)
    # A repr differs between processes only by the order of a set or by an address. Every other value keeps its repr,
    # because recordings hold checksums that were made from it.
    return canonical_text(value) if "{" in text or " at 0x" in text else text
