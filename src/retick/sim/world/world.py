"""The base classes of things and worlds, from which games declare theirs.

::

    class Tank(Thing):
        x: F64 = 0.0
        reload: U8 = 0

    class Tanks(World):
        num_players = 2
        tanks: Annotated[list[Tank], Most(2)]

        def start(self, seed): ...
        def join(self, player): ...
        def advance(self, inputs): ...
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from enum import Enum
from typing import Any, ClassVar, NoReturn, Self
from zlib import crc32

from retick.errors import SchemaError, UsageError
from retick.sim.fields import FieldDifference, field_differences
from retick.sim.kinds import SEED
from retick.sim.shapes import Shape, Vector2
from retick.sim.world.adapter import SimulatedWorld, WorldState
from retick.sim.world.advice import sprite_class
from retick.sim.world.boxes import bases_with_boxes, check_slots, names_in
from retick.sim.world.command import Command, commands_of
from retick.sim.world.declaration import check_members, hints_of, member_of, plan_of
from retick.sim.world.interest import Distance, check_interest, first_position
from retick.sim.world.members import Member, declared_text, thing_fields
from retick.sim.world.saved import WorldCopy, copy_world, pack_copy, restore_world, step_world, unpack_world
from retick.sim.world.storage import Cell, FieldAttribute, Root, ThingPlan, call_game, cues_of, new_cell


class ThingType(type):
    """Gives each class of things its plan, and a descriptor for each field."""

    _members: tuple[Member, ...]
    _defaults: dict[str, Any]
    _declared: ThingPlan
    _stamp: int
    _dice: tuple[str, ...]
    """The fields that are dice."""

    def __new__(mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> "ThingType":
        _check_bases(name, bases)
        namespace.setdefault("__slots__", ())
        if not any(isinstance(base, ThingType) for base in bases):
            return super().__new__(mcls, name, bases, namespace)
        fields = names_in(namespace).union(each.name for base in bases for each in getattr(base, "_members", ()))
        boxed = bases_with_boxes(bases, len(fields), namespace)
        try:
            cls = super().__new__(mcls, name, boxed, namespace)
        except TypeError:
            check_slots(name, bases)
            super().__new__(mcls, name, bases, namespace)  # says the same of the bases as they were written
            raise
        hints = hints_of(cls)
        _check_names(cls, hints)
        cls._members = tuple(member_of(name, field, hint) for field, hint in hints.items())
        check_members(name, cls._members)
        inherited = {field: default for base in bases for field, default in getattr(base, "_defaults", {}).items()}
        cls._defaults = {**inherited, **{field: namespace[field] for field in hints if field in namespace}}
        cls._declared = plan_of(cls, cls._members, cls._defaults)
        cls._stamp = crc32(declared_text(cls).encode())
        cls._dice = tuple(member.name for member in cls._members if _is_dice(member))
        for field in cls._declared.fields:
            type.__setattr__(cls, field.name, field if isinstance(field, FieldAttribute) else field.box)
        if any("__setattr__" in vars(base) for base in cls.__mro__ if not issubclass(Cell, base)):
            cls._declared.leave_writes()
        if issubclass(cls, World):
            _check_world(cls, namespace)
        elif not isinstance(getattr(cls, "predicted", None), bool):
            raise SchemaError(f"{name}.predicted is True or False, not {cls.predicted!r}")  # type: ignore[attr-defined]  # Thing has it
        return cls

    def __setattr__(cls, name: str, value: Any) -> None:
        if name == "__dataclass_params__":
            raise SchemaError(
                f"remove @dataclass from {cls.__name__}: a Thing has its arguments and its repr by itself"
            )
        super().__setattr__(name, value)
        if name == "__setattr__":
            cls._declared.leave_writes()
        elif "_declared" in vars(cls):
            cls._declared.forget(name)


def _check_bases(name: str, bases: tuple[type, ...]) -> None:
    if base := sprite_class(each for direct in bases for each in direct.__mro__):
        raise SchemaError(
            f"class {name} cannot be a Thing and pygame's {base}: write class {name}(Thing) alone, and declare what "
            "it has, such as rect: Rect, with Rect of retick.sim. Draw pictures in draw; a group is a list of Things"
        )


def _check_names(cls: type, hints: dict[str, Any]) -> None:
    undeclared = [base for base in cls.__mro__[1:] if "_members" not in vars(base)]
    taken = sorted(hints.keys() & {name for base in undeclared for name in vars(base)})
    if taken:
        raise SchemaError(f"{cls.__name__}.{taken[0]} cannot be a field: {taken[0]!r} is a name of the library's own")
    if "__init__" in vars(cls) and issubclass(cls, Root):
        raise SchemaError(
            f"{cls.__name__} has no __init__ of its own: write start(self, seed), and set everything there"
        )
    _check_overrides(cls)


_WRITTEN_BY_GAMES = frozenset(
    {
        *("start", "join", "leave", "advance", "rebuild", "visible", "hears", "viewpoint"),
        *("num_players", "input_size", "command", "interest", "predicted", "game_id", "game_version"),
    }
)
"""What a class of things or of a world may define although the library does too. All else the library calls itself."""


def _check_overrides(cls: type) -> None:
    """Refuse an attribute that would replace one of the library's own, also one from a class mixed in."""
    bases = [base for base in cls.__mro__[1:] if isinstance(base, ThingType)]
    library = next(base for base in bases if "_members" not in vars(base)).__mro__
    owned = {name for base in library for name in vars(base) if not name.startswith("__")} - _WRITTEN_BY_GAMES
    for name in sorted(owned):
        if next(base for base in cls.__mro__ if name in vars(base)) not in library:
            raise SchemaError(
                f"{cls.__name__}.{name} cannot be written by a game: {name!r} is a name of the library's own"
            )


def _is_dice(member: Member) -> bool:
    inside = None if member.optional or member.kind.most else member.kind.inside
    return inside is not None and any(each.kind is SEED for each in inside._members)


def _seed_dice(world: "World", seed: int) -> None:
    """Seed the world's own dice; a seed that a generator cannot have is brought into its range."""
    for index, name in enumerate(type(world)._dice):
        getattr(world, name).seed((seed + index - 1) % 0xFFFFFFFF + 1)


def _check_world(cls: Any, namespace: dict[str, Any]) -> None:
    """Check what a world declares besides its fields."""
    check_interest(cls)
    command = cls.command
    if command is None:
        return
    if not (isinstance(command, type) and issubclass(command, Command)):
        raise SchemaError(f"{cls.__name__}.command is a class of commands, not {command!r}")
    if namespace.get("input_size", command.size) != command.size:
        raise SchemaError(f"{cls.__name__}.input_size follows from {command.__name__}: it is {command.size}")
    cls.input_size = command.size


def _shown(thing: Any, start: str) -> str:
    """The repr of a thing: its fields, with a reference shown as its id."""
    parts = []
    for member in type(thing)._members:
        value = getattr(thing, member.name)
        if member.kind.is_state:
            parts.append(f"{member.name}={member.kind.shown(value)}")
    return f"{type(thing).__name__}({', '.join([start] * bool(start) + parts)})"


class Thing(Cell, metaclass=ThingType):
    """A mutable object of a world; every attribute that decides anything is declared."""

    predicted: ClassVar[bool] = True
    """How a server's client shows it: simulated ahead by the game's own code, or (False) drawn in the past."""

    def __new__(cls, *_values: Any, **_named: Any) -> Self:
        if "_declared" not in vars(cls):
            raise UsageError("declare a class of things: class Tank(Thing): ...")
        return new_cell(cls)  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def cue(self, *cue: Hashable) -> None:
        """Report that something happened, as ``cue`` of the world does: ``self.cue("shot", self.x)``."""
        self.world.cue(*cue)

    def __repr__(self) -> str:
        return _shown(self, f"id {self.id}" if self.id else "")

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} is not copied: make a new one")


class World(Root, SimulatedWorld, metaclass=ThingType):
    """A whole game: its declared state, ``start`` and ``advance``. Every function that takes a Simulation takes one."""

    input_size: ClassVar[int] = 2
    """How many bytes one player's input takes, 1 to 8; with a ``command``, as many as that takes."""
    command: ClassVar[type[Command] | None] = None
    """The class of commands that ``advance`` gets; None for integers of buttons."""
    interest: ClassVar[Distance | None] = None
    """Which things a server sends first, and which not at all; None if all visible things are equally urgent."""
    remakes_old_states: ClassVar[bool] = True
    """An engine keeps few old states of a declared world, and runs frames again for the others."""

    def __new__(cls, *_values: Any, **_named: Any) -> Self:
        if "_declared" not in vars(cls):
            raise UsageError("declare a world: class Tanks(World): ...")
        if not isinstance(getattr(cls, "num_players", None), int) or cls.num_players < 1:
            raise SchemaError(f"{cls.__name__} must say how many play: num_players = 2")
        if not any(member.kind.is_state for member in cls._members):
            raise SchemaError(
                f"{cls.__name__} declares no state, so nothing would be saved or compared: write its fields with their "
                "types, such as ships: list[Ship]. What is in global variables goes there too"
            )
        return new_cell(cls)  # type: ignore[no-any-return]  # mypy sees kernels untyped

    def start(self, seed: int) -> None:
        """Set up the world before frame 0; games override this. Fields are at their defaults, and dice are seeded."""

    def join(self, player: int) -> None:
        """Add a player, between two frames; games override this. Rollback calls it for every seat after ``start``."""

    def leave(self, player: int) -> None:
        """Remove a player, between two frames; games override this. With rollback never called: the input becomes 0."""

    def visible(self, player: int, thing: Any) -> bool:
        """Whether a player may know about a thing. Only a server asks."""
        return True

    def hears(self, player: int, cue: tuple[Hashable, ...]) -> bool:
        """Whether a player is sent a cue. Only a server asks."""
        return True

    # retick: allow float -- where a thing is, for a server's choice of what it sends; no part of the state
    def viewpoint(self, player: int) -> tuple[float, ...] | Vector2 | None:
        """Where a player looks from, for ``interest``: by default their first thing; None makes everything near."""
        return first_position(self, player)

    def seen_by(self, player: int) -> Self:
        """The world as a player saw it when they pressed what ``advance`` got now; it is read-only.

        On a server, and where a client predicts its own things, others' things with ``predicted = False`` are as they
        were on that screen. With rollback it is this world.
        """
        seat = self._seat(player)
        return self if self._host is None else self._host.seen_by(seat)

    def send(self, data: bytes, to: int | Iterable[int] | None = None, *, reliable: bool = True) -> None:
        """Send bytes of the application to one player, several or all (None). Only a server sends, and only once."""
        seats = None if to is None else tuple(map(self._seat, [to] if isinstance(to, int) else to))
        if not isinstance(data, bytes | bytearray | memoryview):
            raise UsageError(f"send takes bytes, not {type(data).__name__}")
        if self._host is not None:
            self._host.send(bytes(data), seats, bool(reliable))

    def advance(self, inputs: Sequence[Any], /) -> None:
        """Advance the world by one frame, in place; games override this. One input per player, or one ``command``."""
        raise UsageError(f"{type(self).__name__} has no advance(self, inputs)")

    def rebuild(self) -> None:
        """Make the caches from the fields, after a load and after ``start``. Games with caches override this."""

    def cue(self, *cue: Hashable) -> None:
        """Report that something happened that can be heard or seen: ``self.cue("shot", x, y)``.

        Call it in ``advance``; cues of ``join`` and ``leave`` are heard on a server only. Values are texts, numbers,
        bools, enums, bytes, None, and tuples of these.
        """
        if self._cues is None:
            raise UsageError(f"cue({', '.join(map(repr, cue))}) was called outside of advance")
        for value in _unfit_for_cue(cue):
            raise UsageError(f"cue({cue[0]!r}, ...) has {value!r}: {_cue_advice(value)}")
        self._cues.append(cue)

    def save(self) -> bytes:
        """Save the whole state as bytes."""
        return pack_copy(self._copied())

    def load(self, saved: bytes, /) -> None:
        """Put the world into a saved state; if the bytes are not one, raises DecodeError and changes nothing.

        An object with the id and the class of a saved item is reused.
        """
        self._load_fields(saved)
        self.rebuild()

    def _load_fields(self, saved: bytes) -> None:
        """Load everything but the caches, which are reset to their defaults."""
        restore_world(self, self._unpacked(saved))

    def _copied(self) -> WorldCopy:
        return copy_world(self, type(self)._stamp)

    def _restore(self, world: Any, kept: Any) -> None:
        if isinstance(world, World):
            restore_world(world, kept if isinstance(kept, WorldCopy) else world._unpacked(kept))
            world.rebuild()
        else:
            world.load(WorldState(kept).saved)

    def _unpacked(self, saved: Any) -> WorldCopy:
        return unpack_world(_bytes(saved), type(self)._declared, type(self)._stamp)

    def reset(self, seed: int) -> None:
        """Put the world at its start, with all players joined."""
        self._begin(seed)
        for player in range(self.num_players):
            cues_of(self, self.join, player)

    def _begin(self, seed: int) -> None:
        """Put the world at its start, before anybody has joined."""
        cls = type(self)
        restore_world(self, copy_world(new_cell(cls), cls._stamp))
        _seed_dice(self, seed)
        call_game(self, self.start, seed)
        self.rebuild()

    def fields(self, state: WorldState | None = None) -> tuple[tuple[str, Any], ...]:
        """Every value with its name, in a state or in the world as it is now."""
        if state is not None:
            self._go_to(state)
        # Everything in the saved bytes has a name: checksums never differ while all fields are equal.
        return (*thing_fields(self), ("next id", self.next_id), ("declaration", type(self)._stamp))

    def diff(self, other: Self) -> tuple[FieldDifference, ...]:
        """The fields in which two worlds of one class differ."""
        if type(other) is not type(self):
            raise UsageError(f"a {type(self).__name__} cannot be compared with a {type(other).__name__}")
        return field_differences(self.fields(), other.fields())

    def checksum(self, state: WorldState | None = None) -> int:
        """The CRC-32 of the saved bytes of a state, or of the world as it is now."""
        return crc32(self.save() if state is None else self.pack_state(state))

    def unpack_state(self, data: bytes) -> WorldState:
        """Turn bytes into a state; raises DecodeError if they are none. The world itself does not change."""
        return WorldState(self._unpacked(data))

    def cues(self, _before: WorldState, after: WorldState) -> Iterable[Hashable]:
        """The cues that ``advance`` gave on the way to a state."""
        return after.cues

    @property
    def world(self) -> Self:
        return self

    def step(self, state: WorldState, inputs: Sequence[int]) -> WorldState:
        self._ready(state, inputs)
        cls = type(self)
        given = inputs if cls.command is None else commands_of(cls.command, inputs)
        return step_world(self, self.advance, given, cls._stamp, WorldState)  # type: ignore[no-any-return]  # a kernel

    def _advance(self, inputs: Sequence[int]) -> tuple[Hashable, ...]:
        command = type(self).command
        return cues_of(self, self.advance, inputs if command is None else commands_of(command, inputs))

    def _seat(self, player: int) -> int:
        """Return the seat if it exists; raise a UsageError if not."""
        if not isinstance(player, int) or not 0 <= player < self.num_players:
            raise UsageError(f"a player is a seat from 0 to {self.num_players - 1}, not {player!r}")
        return player

    def __repr__(self) -> str:
        return _shown(self, "")

    def __reduce_ex__(self, protocol: object) -> tuple[Any, ...]:
        return _restored, (type(self), self.save())


def _unfit_for_cue(value: Any) -> Iterator[Any]:
    """The values that a cue cannot hold: they can change, or differ from those that a resimulated frame gives."""
    if isinstance(value, tuple):
        for each in value:
            yield from _unfit_for_cue(each)
    elif value is not None and not isinstance(value, str | int | float | Enum | bytes):
        yield value


def _cue_advice(value: Any) -> str:
    if isinstance(value, Shape):
        return "write its numbers, such as pos.x, pos.y"
    if isinstance(value, Cell):
        return "write its id, or the fields that are needed"
    return "a cue holds texts, numbers, bools, enums, bytes, and tuples of these"


def jump(thing: Thing) -> None:
    """Count a thing's ``Jumps``: call it when the thing moves at once, so that no one draws it on the way."""
    for member in type(thing)._members:
        if member.is_jumps:
            setattr(thing, member.name, (getattr(thing, member.name) + 1) & 255)
            return
    raise UsageError(f"{type(thing).__name__} counts no jumps: declare jumps: Jumps")


def _bytes(data: Any) -> bytes:
    if not isinstance(data, bytes | bytearray | memoryview):
        raise UsageError(f"a saved world is bytes, not {type(data).__name__}")
    return bytes(data)


def _restored(cls: type[World], saved: bytes) -> World:
    """Make a copy of a world from its saved bytes, for copy and pickle."""
    world = cls()
    world.load(saved)
    return world
