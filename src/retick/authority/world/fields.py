"""The fields of entities: how a declared value becomes a whole number from 0 to a span, and comes back.

==========  ===============================================================  ===================================
code        declared as                                                      bits
==========  ===============================================================  ===================================
int         an integer of a width, a bool, or an enum (by position)          those of the width
steps       a float or an integer with Range(low, high, step=...)            those of (high - low) / step
turn        an Angle without a Range                                         16: 65536ths of a turn, which wrap
float       any other float                                                  64, as they are
ref         a reference                                                      32: the id; 0 for none
text        up to eight bytes of a text, the first one lowest                8 a byte
==========  ===============================================================  ===================================

The numbers of a vector or a rectangle are fields like any others.
"""
# retick: floats -- values are rounded for sending; no simulation reads them back on a server

import struct
from dataclasses import dataclass, replace
from math import isinf, pi
from typing import Any, Final

from retick.authority.world.rounding import steps_of, turn_of
from retick.errors import SchemaError
from retick.sim.kinds import Kind
from retick.sim.world.declaration import LINK, NUMBER, REAL, Member
from retick.sim.world.forms import Form

__all__ = [
    "FLOAT",
    "INT",
    "REF",
    "STEPS",
    "TEXT",
    "TURN",
    "WireField",
    "flag",
    "number",
    "numbers_of_value",
    "scalar",
    "text_fields",
    "words_of",
]

INT: Final = "int"
STEPS: Final = "steps"
TURN: Final = "turn"
FLOAT: Final = "float"
REF: Final = "ref"
TEXT: Final = "text"

SHORT: Final = 7
"""Bits of a field that is always sent as it is."""
WORD: Final = 8
"""Bytes of a text in one field."""
MOST_STEPS: Final = 0xFFFFFFFF
_TURN: Final = 2 * pi / 65536
_DOUBLE, _BITS = struct.Struct("<d"), struct.Struct("<Q")


@dataclass(frozen=True, slots=True, kw_only=True)
class WireField:
    """One field of a component."""

    name: str
    """Dotted, as in ``aim.x``."""
    code: str
    bits: int
    span: int
    """The largest number that it can be."""
    default: int = 0
    """The number of the declared default."""
    low: int | float = 0
    step: float = 1.0
    secret: bool = False
    """Whether only the owner of the item gets it."""
    kind: Kind | None = None
    """Of a declared scalar."""

    @property
    def smooth(self) -> int:
        """How a receiver carries it on: 0 not at all, 1 up to its span, 2 round and round."""
        if self.code == TURN:
            return 2
        return int(self.code == STEPS and self.bits > SHORT)

    @property
    def is_plain(self) -> bool:
        """Whether its number is the value minus ``low``: integers and bools."""
        return self.code == INT and self.kind is not None and not self.kind.members

    @property
    def line(self) -> str:
        """Its line in the text of the tables."""
        scaled = self.code == STEPS
        low = float(self.low).hex() if scaled else str(self.low)
        step = self.step.hex() if scaled else "1"
        return f"{self.name} {self.code} {self.bits} {self.span} {self.default} {low} {step}"

    def number_of(self, value: Any) -> int:
        """The number that is sent for a value."""
        assert self.kind is not None
        if self.code == STEPS:
            return int(steps_of(float(value), self.low, self.step, self.span))
        if self.code == TURN:
            return int(turn_of(value))
        if self.code == FLOAT:
            return int(_BITS.unpack(_DOUBLE.pack(value))[0])
        return int(self.kind.raw(value)) - int(self.low)

    def raw_of(self, number: int) -> Any:
        """What a world saves for a number: an integer, or a float."""
        kind = self.kind
        assert kind is not None
        if self.code == STEPS:
            value = self.low + number * self.step
            return value if kind.is_real else min(max(round(value), kind.least), kind.greatest)
        if self.code == TURN:
            return (number - 65536 if number >= 32768 else number) * _TURN
        if self.code == FLOAT:
            return _DOUBLE.unpack(_BITS.pack(number))[0]
        return number + int(self.low)


def number(
    name: str, bits: int, *, code: str = INT, span: int | None = None, default: int = 0, secret: bool = False
) -> WireField:
    """A field that is no declared value by itself."""
    span = (1 << bits) - 1 if span is None else span
    return WireField(name=name, code=code, bits=bits, span=span, default=default, secret=secret)


def flag(name: str, *, default: bool, secret: bool) -> WireField:
    """Whether there is a value, or a part."""
    return WireField(name=name, code=INT, bits=1, span=1, default=int(default), secret=secret)


def scalar(where: str, name: str, member: Member, default: Any, *, secret: bool) -> WireField:
    """The field of a scalar, of a reference, or of one value of a list; ``default`` is None for none."""
    common: dict[str, Any] = {"name": name, "secret": secret}
    if member.holds == LINK:
        return WireField(code=REF, bits=32, span=0xFFFFFFFF, **common)
    kind = member.kind
    assert kind is not None
    common["kind"] = kind
    if member.range is not None and member.range.step is not None and (kind.is_real or kind.is_whole):
        made = _scaled(where, member, common)
    elif kind.is_real and member.is_angle and member.range is None:
        made = WireField(code=TURN, bits=16, span=65535, **common)
    elif kind.is_real:
        made = WireField(code=FLOAT, bits=64, span=(1 << 64) - 1, **common)
    else:
        span = kind.greatest - kind.least
        made = WireField(code=INT, bits=max(1, span.bit_length()), span=span, low=kind.least, **common)
    if default is None:
        return made
    # The dataclass is frozen, and its default is a number of its own form.
    object.__setattr__(made, "default", made.number_of(default))
    return made


def numbers_of_value(where: str, name: str, member: Member, default: Any, *, secret: bool) -> list[WireField]:
    """The fields of a value: one of a scalar, and one for each number of a vector or a rectangle."""
    form = member.form
    if not isinstance(form, Form):
        return [scalar(where, name, member, default, secret=secret)]
    each = replace(member, holds=REAL if form.kind.is_real else NUMBER, kind=form.kind, form=None)
    return [
        scalar(where, f"{name}.{axis}", each, None if default is None else getattr(default, axis), secret=secret)
        for axis in form.names
    ]


def text_fields(name: str, member: Member, default: str | None, *, secret: bool) -> list[WireField]:
    """The fields of a text: its length in bytes, and the bytes, eight in a field."""
    size, words = words_of(default or "", member.most)
    length = number(f"{name}.length", member.most.bit_length(), span=member.most, default=size, secret=secret)
    held = [
        number(f"{name}[{index}]", 8 * min(WORD, member.most - WORD * index), code=TEXT, default=word, secret=secret)
        for index, word in enumerate(words)
    ]
    return [length, *held]


def words_of(text: str, most: int) -> tuple[int, list[int]]:
    """Length in bytes, and the numbers of the fields of a text of at most so many bytes."""
    data = text.encode()
    return len(data), [int.from_bytes(data[at : at + WORD], "little") for at in range(0, most, WORD)]


def _scaled(where: str, member: Member, common: dict[str, Any]) -> WireField:
    bounds = member.range
    assert bounds is not None
    assert bounds.step is not None
    kind = common["kind"]
    if kind.is_whole and not (float(bounds.low).is_integer() and float(bounds.step).is_integer()):
        raise SchemaError(f"{where}: low and step of an integer's Range are whole numbers")
    width = (bounds.high - bounds.low) / bounds.step
    if isinf(width) or round(width) > MOST_STEPS:
        raise SchemaError(f"{where}: a Range has at most {MOST_STEPS} steps, not {width:.0f}; use a larger step")
    span = round(width)
    return WireField(
        code=STEPS, bits=span.bit_length(), span=span, low=float(bounds.low), step=float(bounds.step), **common
    )
