"""Declares what a player wants in one tick: ``class Wish(Command): turn: ...; fire: bool = False``.

Theory of operation. A command is an integer of at most 64 bits, so everything that takes inputs takes it: sessions,
recordings, sync tests. docs/formats/world.md has its bits. A field has evenly spaced values, and its bits hold how many
steps it is from its default: 0 is a command in which every field is at its default, and that is what a player who has
left presses. Every integer stands for a command whose fields are within their bounds, whoever sent it.
"""
# retick: floats -- only + - * /, comparisons and round, which give the same bits wherever CPython runs

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from math import pi
from typing import Any, ClassVar, NoReturn, Self

from retick.errors import SchemaError, UsageError
from retick.sim.kinds import Kind
from retick.sim.world.declaration import hints_of, member_of
from retick.sim.world.members import Member

MOST_BITS = 64
KEPT = 1024
"""How many unpacked commands of a class are cached: players hold buttons, so the same few come again and again."""
LARGEST_TABLE = 512
"""The most values of a field that are computed in advance."""
FINEST = 1 << 52
"""The most steps a float's bound may be away from zero: beyond, neighbouring steps would be the same float."""
DIRECTIONS = 65536
"""How many values an Angle without a Range has, as everywhere in Retick."""


@dataclass(frozen=True, slots=True)
class Part:
    """How one field is packed: its value is ``default + k * step``, and its bits hold ``k`` modulo ``count``."""

    name: str
    kind: Kind
    where: str
    low: Any
    high: Any
    step: Any
    default: Any
    """``low``, ``high``, ``step`` and ``default`` are numbers; for an enum, positions."""
    most: int
    """The largest ``k``."""
    count: int
    shift: int
    wraps: bool

    @property
    def bits(self) -> int:
        """How many bits the field takes."""
        return (self.count - 1).bit_length()

    def packed(self, value: Any) -> int:
        """Pack a value, clamped to the bounds; NaN becomes the default."""
        k = self._steps(self._number(value))
        if self.wraps:
            return k % self.count << self.shift
        return min(max(k, self.most - self.count + 1), self.most) % self.count << self.shift

    def _number(self, value: Any) -> Any:
        kind = self.kind
        if not (kind.is_whole or kind.is_real):
            return kind.raw(kind.checked(value, self.where))
        if not isinstance(value, int | float if kind.is_real else int):
            raise kind.refusal(value, self.where)
        if value != value:
            return self.default
        if self.wraps:
            return value if abs(value) < FINEST else self.default
        return min(max(value, self.low), self.high)

    def _steps(self, number: Any) -> int:
        if isinstance(self.step, int):
            return int((2 * (number - self.default) + self.step) // (2 * self.step))
        steps: int = round((number - self.default) / self.step)
        return steps

    def value(self, k: int) -> Any:
        """The value for these bits, which must be less than ``count``."""
        kind = self.kind
        number = self.default + (k if k <= self.most else k - self.count) * self.step
        if self.wraps:
            number += 2 * pi if number < -pi else -2 * pi if number >= pi else 0.0
        number = min(max(number, self.low), self.high)
        return float(number) if kind.is_real else kind.value(number)


def part_of(owner: str, member: Member, given: Any, shift: int) -> Part:
    """Plan the bits of one declared field; ``given`` is its default, None if it has none."""
    where, kind, bounds = f"{owner}.{member.name}", member.kind, member.range
    if not isinstance(kind, Kind) or member.optional:
        raise SchemaError(f"{where}: a command holds numbers, bools and enums, and none of them may be None")
    if bounds is not None and not (kind.is_whole or kind.is_real):
        raise SchemaError(f"{where}: a Range is for numbers")
    wraps = member.is_angle and bounds is None
    low: Any = kind.least
    high: Any = kind.greatest
    step: Any = 1
    if wraps:
        low, high, step = -pi, pi, 2 * pi / DIRECTIONS
    elif kind.is_real:
        if bounds is None or bounds.step is None:
            raise SchemaError(
                f"{where}: a float of a command needs its bounds and its steps: Range(-1, 1, step=1 / 64)"
            )
        low, high, step = float(bounds.low), float(bounds.high), float(bounds.step)
        if max(abs(low), abs(high)) / step > FINEST:
            raise SchemaError(f"{where}: {step!r} is too fine a step for numbers up to {max(abs(low), abs(high))!r}")
    elif bounds is not None:
        low, high, step = (_whole(where, number) for number in (bounds.low, bounds.high, bounds.step or 1))
        if low < kind.least or high > kind.greatest:
            raise SchemaError(f"{where}: a Range from {low} to {high} is more than {kind.described}")
    default = _default(where, kind, given, low, high)
    if wraps:
        return Part(member.name, kind, where, low, high, step, default, DIRECTIONS // 2 - 1, DIRECTIONS, shift, True)
    if kind.is_real:
        most, least = round((high - default) / step), -round((default - low) / step)
    else:
        most, least = (high - default) // step, -((default - low) // step)
    return Part(member.name, kind, where, low, high, step, default, most, most - least + 1, shift, False)


def _whole(where: str, number: float) -> int:
    if number != int(number):
        raise SchemaError(f"{where}: the Range of an integer has whole numbers, not {number!r}")
    return int(number)


def _default(where: str, kind: Kind, given: Any, low: Any, high: Any) -> Any:
    if given is None:
        return min(max(kind.raw(kind.zero), low), high)
    default = kind.raw(kind.default(given, where))
    if not low <= default <= high:
        raise SchemaError(f"{where}: the default {given!r} is not from {low!r} to {high!r}")
    return default


class Command(int):
    """What a player wants in one tick: an integer of packed fields, which are also its attributes.

    Make one by name: ``Wish(turn=0.5, fire=True)``. Values out of bounds are clamped.
    """

    _members: ClassVar[tuple[Member, ...]]
    _parts: ClassVar[tuple[Part, ...]] = ()
    _readers: ClassVar[tuple[tuple[Any, ...], ...]]
    unpack: ClassVar[Callable[[int], Any]]
    """Unpacks any integer as a command."""
    size: ClassVar[int]
    """How many bytes a command takes, 1 to 8."""
    bits: ClassVar[int]
    """How many bits a command takes: a server and its clients send this many."""
    layout: ClassVar[str]
    """The declaration as text: two classes with the same text pack alike (docs/formats/world.md)."""

    def __init_subclass__(cls) -> None:
        hints = hints_of(cls)
        taken = sorted(set(hints) & set(dir(Command)))
        if taken:
            raise SchemaError(f"{cls.__name__}.{taken[0]} cannot be a field: it is a name of every command or integer")
        cls._members = tuple(member_of(cls.__name__, name, hint) for name, hint in hints.items())
        if not cls._members:
            raise SchemaError(f"{cls.__name__} declares no field: write one, as fire: bool = False")
        parts: list[Part] = []
        shift = 0
        for member in cls._members:
            parts.append(part_of(cls.__name__, member, getattr(cls, member.name, None), shift))
            shift += parts[-1].bits
        if shift > MOST_BITS:
            raise SchemaError(f"{cls.__name__} takes {shift} bits, and a command has at most {MOST_BITS}")
        cls._parts = tuple(parts)
        cls._readers = tuple(map(_reader, parts))
        cls.size = max(1, (shift + 7) // 8)
        cls.bits = max(1, shift)
        cls.layout = _layout(parts)
        cls.unpack = staticmethod(lru_cache(KEPT)(partial(_unpacked, cls)))

    def __new__(cls, **values: Any) -> Self:
        if not cls._parts:
            raise UsageError("declare a command: class Wish(Command): ...")
        unknown = sorted(values.keys() - {part.name for part in cls._parts})
        if unknown:
            raise UsageError(f"{cls.__name__} has no {', '.join(unknown)}")
        packed = 0
        for part in cls._parts:
            if part.name in values:
                packed |= part.packed(values[part.name])
        made: Self = _unpacked(cls, packed)
        return made

    @property
    def packed(self) -> int:
        """The command as a plain integer."""
        return int(self)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} does not change: make another one")

    def __repr__(self) -> str:
        shown = ", ".join(f"{part.name}={getattr(self, part.name)!r}" for part in self._parts)
        return f"{type(self).__name__}({shown})"

    __str__ = __repr__

    def __reduce_ex__(self, protocol: object) -> tuple[Any, ...]:
        return _unpacked, (type(self), int(self))


def _unpacked(cls: Any, packed: int) -> Any:
    """Unpack an integer; bits outside of all fields are ignored, and values out of bounds become the default."""
    values = {}
    canonical = 0
    for name, shift, mask, count, value_of in cls._readers:
        k = packed >> shift & mask
        if k >= count:
            k = 0
        canonical |= k << shift
        values[name] = value_of(k)
    command = int.__new__(cls, canonical)
    command.__dict__.update(values)
    return command


def _reader(part: Part) -> tuple[Any, ...]:
    """What unpacking one field needs; the values of a field with few of them are computed in advance."""
    value_of: Callable[[int], Any] = part.value
    if part.count <= LARGEST_TABLE:
        value_of = tuple(map(part.value, range(part.count))).__getitem__
    return part.name, part.shift, (1 << part.bits) - 1, part.count, value_of


def _layout(parts: Sequence[Part]) -> str:
    texts = []
    for part in parts:
        numbers = ",".join(map(repr, (part.low, part.high, part.step, part.default)))
        texts.append(f"{part.name}:{part.kind.text}({numbers}){'~' * part.wraps}")
    return f"{{{','.join(texts)}}}"


def commands_of(kind: type[Command], inputs: Sequence[int]) -> tuple[Any, ...]:
    """Unpack the inputs of all players as commands."""
    unpack = kind.unpack
    return tuple([unpack(each) if type(each) is int else _given(kind, each) for each in inputs])


def _given(kind: type[Command], value: int) -> Any:
    if isinstance(value, Command) and type(value) is not kind:
        raise UsageError(f"an input is a {kind.__name__} or the integer of one, not {value!r}")
    return value if type(value) is kind else kind.unpack(value)
