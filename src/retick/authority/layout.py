"""Turns the declaration of a world into the tables of what is sent: components, their fields, and a hash of both.

Theory of operation. The world itself and every item of a list of things are entities. All items of one list have one
component, whose fields are the declared ones, flattened: those of parts, and the values of lists of values, are fields
of the item. Kernels read an entity by the *plan* of its component: blocks of fields that are in one cell (the item, or
a part of it). ``retick.authority.holding`` does the reverse.
"""

import struct
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from math import isinf, pi
from typing import Any, Final

from retick.authority.survey import steps_of, turn_of
from retick.errors import SchemaError
from retick.sim.contract import input_size_of
from retick.sim.kinds import Kind
from retick.sim.world.dice import Dice
from retick.sim.world.members import Member, Visible, members_of
from retick.sim.world.world import World

# The fields of entities: converts a declared value to an integer from 0 to a span, and back.
#
# ==========  ===============================================================  ===================================
# code        declared as                                                      bits
# ==========  ===============================================================  ===================================
# int         an integer of a width, a bool, or an enum (by position)          those of the width
# steps       a float or an integer with Range(low, high, step=...)            those of (high - low) / step
# turn        an Angle without a Range                                         16: 65536ths of a turn, which wrap
# float       any other float                                                  64, as they are
# ref         a reference                                                      32: the id; 0 for none
# text        up to eight bytes of a text, the first one lowest                8 a byte
# ==========  ===============================================================  ===================================
#
# The numbers of a vector or a rectangle are fields like any others.

# retick: floats -- values are rounded for sending; no simulation reads them back on a server


INT: Final = "int"
STEPS: Final = "steps"
TURN: Final = "turn"
FLOAT: Final = "float"
REF: Final = "ref"
WORDS: Final = "text"

SHORT: Final = 7
"""Fields of at most this many bits are always sent as they are."""
WORD: Final = 8
"""How many bytes of a text one field holds."""
MOST_STEPS: Final = 0xFFFFFFFF
_TURN: Final = 2 * pi / 65536
_DOUBLE, _BITS = struct.Struct("<d"), struct.Struct("<Q")


@dataclass(frozen=True, slots=True, kw_only=True)
class WireField:
    """One field of a component."""

    name: str
    """The dotted name, as in ``aim.x``."""
    code: str
    bits: int
    span: int
    """The largest number that the field can hold."""
    default: int = 0
    """The number of the declared default."""
    low: int | float = 0
    step: float = 1.0
    secret: bool = False
    """Whether only the owner of the item gets it."""
    kind: Kind | None = None
    """The kind of a declared scalar; None for other fields."""

    @property
    def smooth(self) -> int:
        """How a receiver carries the field on: 0 not at all, 1 up to its span, 2 wrapping round."""
        if self.code == TURN:
            return 2
        return int(self.code == STEPS and self.bits > SHORT)

    @property
    def is_plain(self) -> bool:
        """Whether the number is the value minus ``low``, as for integers and bools."""
        return self.code == INT and self.kind is not None and not self.kind.is_converted

    @property
    def line(self) -> str:
        """The field's line in the text of the tables."""
        scaled = self.code == STEPS
        low = float(self.low).hex() if scaled else str(self.low)
        step = self.step.hex() if scaled else "1"
        return f"{self.name} {self.code} {self.bits} {self.span} {self.default} {low} {step}"

    def number_of(self, value: Any) -> int:
        """Convert a value to the number that is sent."""
        assert self.kind is not None
        if self.code == STEPS:
            return int(steps_of(float(value), self.low, self.step, self.span))
        if self.code == TURN:
            return int(turn_of(value))
        if self.code == FLOAT:
            return int(_BITS.unpack(_DOUBLE.pack(value))[0])
        return int(self.kind.raw(value)) - int(self.low)

    def raw_of(self, number: int) -> Any:
        """Convert a number to what a world saves: an integer, or a float."""
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
    """A field that is not itself a declared value."""
    span = (1 << bits) - 1 if span is None else span
    return WireField(name=name, code=code, bits=bits, span=span, default=default, secret=secret)


def flag(name: str, *, default: bool, secret: bool) -> WireField:
    """A field that says whether there is a value, or a part."""
    return WireField(name=name, code=INT, bits=1, span=1, default=int(default), secret=secret)


def scalar(where: str, name: str, member: Member, default: Any, *, secret: bool) -> WireField:
    """The field of a scalar, of a reference, or of one value of a list; ``default`` is None for none."""
    common: dict[str, Any] = {"name": name, "secret": secret}
    kind = member.kind
    if not isinstance(kind, Kind):
        return WireField(code=REF, bits=32, span=0xFFFFFFFF, **common)
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
    # The dataclass is frozen, and its default must be converted by the field itself.
    object.__setattr__(made, "default", made.number_of(default))
    return made


def numbers_of_value(where: str, name: str, member: Member, default: Any, *, secret: bool) -> list[WireField]:
    """The fields of a value: one for a scalar, one for each number of a vector or a rectangle."""
    made = []
    for axis, kind in member.kind.numbers:
        value = getattr(default, axis) if axis and default is not None else default
        each = replace(member, kind=kind)
        made.append(scalar(where, f"{name}.{axis}" if axis else name, each, value, secret=secret))
    return made


def text_fields(name: str, member: Member, default: str | None, *, secret: bool) -> list[WireField]:
    """The fields of a text: its length in bytes, and the bytes, eight per field."""
    most = member.kind.most
    size, words = words_of(default or "", most)
    length = number(f"{name}.length", most.bit_length(), span=most, default=size, secret=secret)
    held = [
        number(f"{name}[{index}]", 8 * min(WORD, most - WORD * index), code=WORDS, default=word, secret=secret)
        for index, word in enumerate(words)
    ]
    return [length, *held]


def words_of(text: str, most: int) -> tuple[int, list[int]]:
    """The length in bytes, and the numbers of the fields, of a text of at most ``most`` bytes."""
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


FIRST_SEAT: Final = 0xFFFFFF00
"""The entity of seat 0. Items have lower ids."""
MOST_COMPONENTS: Final = 255
MOST_FIELDS: Final = 65535
"""The most fields of one component."""

PLAIN, REAL_STEPS, WHOLE_STEPS, WIDE_STEPS, REAL_TURN, REAL_BITS, HAS_PART = range(7)
SHAPE_STEPS, SHAPE_BITS, SHAPE_WHOLE = range(7, 10)
"""How a kernel reads a field; the kernel ``survey`` has the same numbers, and a test compares them."""
OP_WIDTH: Final = 6
_SHAPE_OPS: Final = {STEPS: SHAPE_STEPS, FLOAT: SHAPE_BITS, INT: SHAPE_WHOLE}


@dataclass(slots=True)
class FieldBlock:
    """Fields that are in one cell, as arrays for the kernels: those in its row of slots, and those in its parts."""

    path: tuple[int, ...]
    """The parts to go through from the item to the cell."""
    slots: int
    """How many slots the cell's row has."""
    ops: "array[int]" = field(default_factory=lambda: array("q"))
    """For each field in the row: how it is read; its slot; the slot that says whether there is a value, or -1; its
    place in the row of the entity; the lowest value; the span."""
    reals: "array[float]" = field(default_factory=lambda: array("d"))
    """For each field in the row: low and step."""
    part_ops: "array[int]" = field(default_factory=lambda: array("q"))
    """As ``ops``, for fields held in parts: in place of the slot, the part, or four times the part of a shape plus 0 to
    3 for its x, y, width and height."""
    part_reals: "array[float]" = field(default_factory=lambda: array("d"))

    def add(self, op: int, slot: int, guard: int, out: int, made: WireField) -> None:
        low = 0 if isinstance(made.low, float) else made.low
        span = made.span if made.code == STEPS else 0
        ops, reals = (self.ops, self.reals) if op < HAS_PART else (self.part_ops, self.part_reals)
        ops.extend((op, slot, guard, out, low, span))
        reals.extend((float(made.low) if made.code == STEPS else 0.0, made.step))


@dataclass(frozen=True, slots=True)
class ValuesPlan:
    """Where a list of values in a cell is sent."""

    path: tuple[int, ...]
    part: int
    out: int
    """The place of its length; the values follow."""
    name: str
    most: int
    each: WireField | None
    """The field of a scalar value; None for shapes."""
    shape: FieldBlock
    """The numbers of a vector or a rectangle, of part 0."""


@dataclass(frozen=True, slots=True)
class TextPlan:
    """Where a text in a cell is sent."""

    path: tuple[int, ...]
    part: int
    out: int
    """The place of its length; its bytes follow, eight per field."""


@dataclass(slots=True)
class WorldComponent:
    """What all entities of one list share: the fields, and how kernels read them."""

    name: str
    kind: Any
    """The class of the items, or of the world; None for seats."""
    parent: int = 0
    """The index of the component whose entities hold the list."""
    path: tuple[int, ...] = ()
    """The path from an entity of the parent to the cell with the list."""
    part: int = -1
    most: int = 0
    hidden: bool = False
    """Whether only the owner of the holder sees the items."""
    has_holder: bool = False
    fields: list[WireField] = field(default_factory=list)
    blocks: list[FieldBlock] = field(default_factory=list)
    values: list[ValuesPlan] = field(default_factory=list)
    texts: list[TextPlan] = field(default_factory=list)
    player_slot: int = -1
    secrets: "array[int]" = field(default_factory=lambda: array("i"))
    links: "array[int]" = field(default_factory=lambda: array("i"))

    def position_slots(self, names: tuple[str, ...]) -> tuple[int, ...]:
        """The slots of an item's position for a kernel; empty if they are not all in the item itself.

        A float field gives its slot. A vector or a rectangle gives a negative number twice: -1, minus four times its
        part, minus 0 for x and 1 for y, or 2 and 3 for the middle of a rectangle.
        """
        known = {each.name: each for each in self.kind._declared.fields}
        found: list[int] = []
        for name in names:
            each = known.get(name)
            if each is None or each.optional or each.kind is None:
                return ()
            numbers = each.kind.numbers
            if len(numbers) > 1 and not each.most:
                first = -1 - 4 * each.part - (2 if len(numbers) == 4 else 0)
                found += (first, first - 1)
            elif each.slot >= 0 and each.kind.is_real:
                found.append(each.slot)
            else:
                return ()
        return tuple(found)


def is_sent(member: Member) -> bool:
    """Whether a field is in any component."""
    if not member.kind.is_state or member.visible is Visible.SERVER:
        return False
    return member.kind.most > 0 or member.kind.inside is None or not issubclass(member.kind.inside, Dice)


class WorldLayout:
    """The tables of one class of worlds; see :func:`layout_of`."""

    def __init__(self, world: type[World]) -> None:
        self.world = world
        self.players: int = world.num_players
        self.command = world.command
        self.input_bits = 8 * input_size_of(world) if self.command is None else self.command.bits
        self.components: list[WorldComponent] = []
        self._add_entities(WorldComponent("world", world), [number("next_id", 32, default=1)])
        seat = WorldComponent("seat", None, fields=[number("connected", 1), number("input", self.input_bits)])
        self.components.append(seat)
        self._check()
        self.component_bits = (len(self.components) - 1).bit_length()
        self.widths = array("i", [len(each.fields) for each in self.components])
        self.firsts = array("i", [sum(self.widths[:index]) for index in range(len(self.components))])
        every = [made for each in self.components for made in each.fields]
        self.bits = array("i", [made.bits for made in every])
        self.defaults = array("Q", [made.default for made in every])
        self.spans = array("Q", [made.span for made in every])
        self.smooth = array("B", [made.smooth for made in every])

    def _check(self) -> None:
        if len(self.components) > MOST_COMPONENTS:
            raise SchemaError(
                f"{self.world.__name__} has {len(self.components)} lists of things; a server sends {MOST_COMPONENTS}"
            )
        for each in self.components:
            if len(each.fields) > MOST_FIELDS:
                raise SchemaError(
                    f"{self.world.__name__}.{each.name} has {len(each.fields)} fields; a server sends {MOST_FIELDS}"
                )
        if self.players > 0xFFFFFFFF - FIRST_SEAT:
            raise SchemaError(f"{self.world.__name__} has {self.players} players; a server has at most 255")

    def _add_entities(self, component: WorldComponent, first: list[WireField]) -> None:
        index = len(self.components)
        component.fields += first
        self.components.append(component)
        lists: list[tuple[str, tuple[int, ...], Any, Member, bool]] = []
        texts: list[tuple[FieldBlock, Any, Member, str, Any, bool]] = []
        self._add_fields(component, component.kind, "", (), False, (lists, texts), is_there=True)
        # They change seldom. At this place nobody has to skip them to get to fields that change.
        for text in texts:
            self._add_text(component, *text)
        for name, path, plan, member, hidden in lists:
            inner = WorldComponent(
                name if index == 0 else f"{component.name}.{name}", member.kind.inside, parent=index, path=path,
                part=plan.part, most=member.kind.most, hidden=hidden, has_holder=index > 0,
            )  # fmt: skip
            self._add_entities(inner, [number("holder", 32)] if inner.has_holder else [])

    def _add_fields(
        self, component: WorldComponent, cls: Any, prefix: str, path: tuple[int, ...], secret: bool, later: Any, *,
        is_there: bool,
    ) -> None:  # fmt: skip
        """Add the fields of a class, either the item's own or a part's.

        ``later`` collects the lists of things, and the texts; ``is_there`` says whether a new item has this part, so
        that its defaults are those of the class.
        """
        block = FieldBlock(path, cls._declared.slots)
        component.blocks.append(block)
        for member, plan in zip(members_of(cls), cls._declared.fields, strict=True):
            if not is_sent(member):
                if member.is_player and not path:
                    raise _player_error(cls, member)
                continue
            mine = secret or member.visible is Visible.OWNER
            name = prefix + member.name
            default = plan.default if is_there else None
            if member.is_player and not path:
                if mine:
                    raise _player_error(cls, member)
                component.player_slot = plan.slot
            kind = member.kind
            if kind.inside is not None and kind.most:
                later[0].append((name, path, plan, member, mine))
            elif kind.inside is not None:
                self._add_flag(component, block, plan, member, name, None, mine)
                inside = (*path, plan.part)
                there = is_there and not member.optional
                self._add_fields(component, kind.inside, f"{name}.", inside, mine, later, is_there=there)
            elif not kind.most:
                self._add_value(component, block, plan, member, name, default, mine)
            elif kind.numbers:
                self._add_values(component, path, plan, member, name, default, mine)
            else:
                later[1].append((block, plan, member, name, default, mine))

    def _add_value(
        self, component: WorldComponent, block: FieldBlock, plan: Any, member: Member, name: str, default: Any,
        secret: bool,
    ) -> None:  # fmt: skip
        """Add the numbers of one value, in the row or in a part, and whether they are there."""
        if not member.kind.is_in_row:
            self._add_flag(component, block, plan, member, name, default, secret)
            for axis, made in enumerate(numbers_of_value(plan.where, name, member, default, secret=secret)):
                self._add(component, block, _SHAPE_OPS[made.code], 4 * plan.part + axis, -1, made)
            return
        guard = -1
        if member.optional:
            guard = plan.slot + 1
            there = flag(f"{name}?", default=default is not None, secret=secret)
            self._add(component, block, PLAIN, guard, -1, there)
        made = scalar(plan.where, name, member, default, secret=secret)
        self._add(component, block, _op_of(made), plan.slot, guard, made)

    def _add_values(
        self, component: WorldComponent, path: tuple[int, ...], plan: Any, member: Member, name: str, default: Any,
        secret: bool,
    ) -> None:  # fmt: skip
        out = len(component.fields)
        values = default or ()
        bits, most = member.kind.most.bit_length(), member.kind.most
        self._append(component, number(f"{name}.length", bits, span=most, default=len(values), secret=secret))
        each: list[WireField] = []
        for index in range(most):
            value = values[index] if index < len(values) else None
            each = numbers_of_value(plan.where, f"{name}[{index}]", member, value, secret=secret)
            for made in each:
                self._append(component, made)
        shape = FieldBlock((), 0)
        one = each[0] if len(each) == 1 else None
        if one is None:
            for axis, made in enumerate(each):
                shape.add(_SHAPE_OPS[made.code], axis, -1, axis, made)
        component.values.append(ValuesPlan(path, plan.part, out, name, most, one, shape))

    def _add_text(
        self,
        component: WorldComponent,
        block: FieldBlock,
        plan: Any,
        member: Member,
        name: str,
        default: Any,
        secret: bool,
    ) -> None:
        self._add_flag(component, block, plan, member, name, default, secret)
        component.texts.append(TextPlan(block.path, plan.part, len(component.fields)))
        for made in text_fields(name, member, default, secret=secret):
            self._append(component, made)

    def _add_flag(
        self,
        component: WorldComponent,
        block: FieldBlock,
        plan: Any,
        member: Member,
        name: str,
        default: Any,
        secret: bool,
    ) -> None:
        """Add the fields that say whether values in parts are there."""
        if member.optional:
            made = flag(f"{name}?", default=default is not None, secret=secret)
            self._add(component, block, HAS_PART, plan.part, -1, made)

    def _add(
        self, component: WorldComponent, block: FieldBlock, op: int, slot: int, guard: int, made: WireField
    ) -> None:
        block.add(op, slot, guard, len(component.fields), made)
        self._append(component, made)

    def _append(self, component: WorldComponent, made: WireField) -> None:
        out = len(component.fields)
        if made.secret:
            component.secrets.append(out)
        if made.code == REF:
            component.links.append(out)
        component.fields.append(made)

    def lines(self) -> Iterator[str]:
        """The text of the tables, line by line."""
        yield "retick world 1"
        yield f"players {self.players} input {self.input_bits}"
        if self.command is not None:
            yield f"command {self.command.layout}"
        for component in self.components:
            yield f"component {component.name}"
            yield from (made.line for made in component.fields)

    @property
    def text(self) -> str:
        """The text that is hashed."""
        return "".join(f"{line}\n" for line in self.lines())

    @property
    def hash(self) -> int:
        """The hash by which two ends know that they mean the same fields."""
        return int.from_bytes(sha256(self.text.encode()).digest()[:8], "little")


def _player_error(cls: Any, member: Member) -> SchemaError:
    return SchemaError(
        f"{cls.__name__}.{member.name}: everyone who sees a thing knows its owner, so a Player field cannot be hidden"
    )


def _op_of(made: WireField) -> int:
    if made.code == STEPS:
        assert made.kind is not None
        return REAL_STEPS if made.kind.is_real else WIDE_STEPS if made.kind.greatest >= 1 << 63 else WHOLE_STEPS
    return {TURN: REAL_TURN, FLOAT: REAL_BITS}.get(made.code, PLAIN)


@cache
def layout_of(world: type[World]) -> WorldLayout:
    """The tables of a class of worlds, made once; raises a SchemaError that names the field if it cannot be sent."""
    return WorldLayout(world)
