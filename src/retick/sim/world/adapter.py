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

from collections.abc import Hashable, Iterable, Sequence
from typing import Any, NoReturn, Protocol
from zlib import crc32

from retick.errors import InvalidValue, UsageError
from retick.sim.checksum import fnv1a
from retick.sim.contract import input_size_of
from retick.sim.fields import canonical_text
from retick.sim.world.saved import WorldCopy, pack_copy

LONGEST_NAME = 28
"""The most characters a name made from a class may have: a handshake allows 32, and the player count is added."""
_NOT_KEPT = object()
_NONE: tuple[str, ...] = ()


class SavesAndLoads(Protocol):
    """What a game with a mutable world offers.

    ``checksum()``, ``input_size``, ``game_id``, ``game_version`` and ``cues(before, after)`` are optional.
    ``cues`` gets what ``save`` returned.
    """

    @property
    def num_players(self) -> int: ...

    def reset(self, seed: int) -> None: ...

    def advance(self, inputs: Sequence[int], /) -> None: ...

    def save(self) -> Any: ...

    def load(self, saved: Any, /) -> None: ...

    def fields(self) -> Iterable[tuple[str, Any]]: ...


class WorldState:
    """A handle on one state of a world; equal when what was saved is equal."""

    __slots__ = ("cues", "kept")

    def __init__(self, kept: Any = _NOT_KEPT, cues: tuple[Hashable, ...] = ()) -> None:
        self.kept = kept
        """What ``save`` returned; of a declared world a copy, from which its saved bytes are made on demand."""
        self.cues = cues
        """The cues of the frame that led here. They are not part of the state."""

    @property
    def saved(self) -> Any:
        """What ``save`` returned; of a declared world its saved bytes."""
        return pack_copy(self.kept) if isinstance(self.kept, WorldCopy) else self.kept

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WorldState) and self.kept is not _NOT_KEPT and self.saved == other.saved

    def __reduce__(self) -> tuple[Any, ...]:
        return (WorldState, (self.saved, self.cues)) if self.kept is not _NOT_KEPT else (WorldState, ())

    __hash__ = None  # type: ignore[assignment] # what was saved need not be hashable

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(
            f"a WorldState has no {name}: it is a handle on what was saved. To read the world, load it into another "
            "instance. A Mesh calls press(player, state): give `press` a function that loads it, "
            "game.load_into(world, state). Only the bot in a game's own module is called as bot(player, world)"
        )

    def __repr__(self) -> str:
        return "WorldState(not kept)" if self.kept is _NOT_KEPT else f"WorldState({self.saved!r})"


class SimulatedWorld:
    """The Simulation methods over a mutable world, shared by declared worlds and the adapter."""

    __slots__ = _NONE  # a declared world has only the attributes that it declares

    world: Any
    num_players: int
    _here: WorldState | None

    @property
    def game_id(self) -> str:
        """The game's name for other peers and in recordings: its own ``game_id``, or the name of its class."""
        # In a declared world, which is its own ``world``, the class attribute replaces this property.
        given = None if self.world is self else getattr(self.world, "game_id", None)
        return str(given or type(self.world).__qualname__.rpartition("<locals>.")[2][:LONGEST_NAME])

    @property
    def game_version(self) -> int:
        """The game's version, which other peers must have too."""
        return 0 if self.world is self else int(getattr(self.world, "game_version", 0))

    def initial_state(self, seed: int) -> WorldState:
        self._here = None
        self.world.reset(seed)
        self._here = WorldState(self._copied())
        return self._here

    def step(self, state: WorldState, inputs: Sequence[int]) -> WorldState:
        # retick: allow hidden-state -- which state the world is in is all that the adapter remembers
        after = self.step_unkept(state, inputs)
        after.kept = self._copied()
        return after

    def step_unkept(self, state: WorldState, inputs: Sequence[int]) -> WorldState:
        """Step without saving: the result is lost when the world moves on, unless ``keep`` is called first."""
        self._ready(state, inputs)
        self._here = None
        cues = self._advance(inputs)
        self._here = after = WorldState(_NOT_KEPT, cues)
        return after

    def _ready(self, state: WorldState, inputs: Sequence[int]) -> None:
        """Put the world into ``state``, from which it is stepped with these inputs."""
        if len(inputs) != self.num_players:
            raise UsageError(f"step takes {self.num_players} inputs, not {len(inputs)}")
        if state is not self._here:
            self._go_to(state)

    def keep(self, state: WorldState) -> WorldState:
        """Save ``state``, unless it was kept before; the world must still be in it."""
        if state.kept is _NOT_KEPT:
            self._go_to(state)
            state.kept = self._copied()
        return state

    def has(self, state: Any) -> bool:
        """Whether ``state`` can still be stepped: it was kept, or the world is in it."""
        return isinstance(state, WorldState) and (state is self._here or state.kept is not _NOT_KEPT)

    def reload(self, state: WorldState) -> WorldState:
        """Load ``state`` even if the world seems to be in it already, and return it: a sync test steps from this."""
        self.keep(state)
        self._here = None
        self._go_to(state)
        return state

    def load_into(self, world: Any, state: WorldState) -> None:
        """Put another instance of the same game into ``state``, for drawing: it never shows an unfinished frame."""
        if world is self.world:
            raise UsageError("the instance to draw must be another one than the instance that is stepped")
        self._restore(world, self.keep(state).kept)

    def pack_state(self, state: WorldState) -> bytes:
        # retick: allow hidden-state, state-mutation -- keeping a handle fills it with what it stands for
        saved = self.keep(state).saved
        if not isinstance(saved, bytes):
            raise UsageError(f"a state can travel when save() returns bytes, not {type(saved).__name__}")
        return saved

    def _copied(self) -> Any:
        """The state that the world is in, as a value that nobody changes."""
        return self.world.save()

    def _restore(self, world: Any, kept: Any) -> None:
        """Put an instance of the game into a kept state."""
        world.load(kept)

    def _advance(self, inputs: Sequence[int]) -> tuple[Hashable, ...]:
        """Advance the world by one frame; returns its cues."""
        self.world.advance(inputs)
        return ()

    def _go_to(self, state: WorldState) -> None:
        if not isinstance(state, WorldState):
            raise UsageError(f"{type(self.world).__name__} steps a WorldState, not a {type(state).__name__}")
        if state is self._here:
            return
        if state.kept is _NOT_KEPT:
            raise UsageError("this state was not kept, and the world has moved on from it")
        self._here = None
        self._restore(self.world, state.kept)
        self._here = state


class WorldSimulation(SimulatedWorld):
    """Makes a pure Simulation of a mutable world that saves and loads itself."""

    def __init__(self, world: SavesAndLoads) -> None:
        self.world = world
        self.num_players = world.num_players
        self.input_size = input_size_of(world)
        self._here = None
        if hasattr(world, "cues"):
            self.cues = lambda before, after: world.cues(self.keep(before).saved, self.keep(after).saved)

    def checksum(self, state: WorldState) -> int:
        self._go_to(state)
        own = getattr(self.world, "checksum", None)
        if own is not None:
            return int(own())
        return _checksum_of_fields(self.world.fields())

    def fields(self, state: WorldState) -> tuple[tuple[str, Any], ...]:
        self._go_to(state)
        return tuple(self.world.fields())

    def unpack_state(self, data: bytes) -> WorldState:
        # Only the game's own load can judge these bytes; whatever it raises means that they are not a state.
        self._here = None
        try:
            self.world.load(data)
        except Exception as error:
            raise InvalidValue(f"the world could not load these {len(data)} bytes: {error}") from error
        self._here = WorldState(bytes(data))
        return self._here


def _checksum_of_fields(fields: Iterable[tuple[str, Any]]) -> int:
    """Hash 64-bit integers as they are, and anything else by its text, which is exact for floats."""
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
    # A repr can differ between processes only by the order of a set or by an address. Every other value keeps its repr,
    # because recordings hold checksums that were made from it.
    return canonical_text(value) if "{" in text or " at 0x" in text else text
