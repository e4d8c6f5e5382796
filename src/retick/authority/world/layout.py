"""From the declaration of a world to the tables of what is sent: components, their fields, and the hash of both.

Theory of operation. The world itself and every item of a list of things are entities. All items of one list have one
component, whose fields are the declared ones, flattened: those of parts, and the values of lists of values, are fields
of the item. Kernels read an entity by the *plan* of its component: blocks of fields that are in one cell (the item, or
a part of it). ``retick.authority.world.restore`` goes the other way.
"""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import Any, Final

from retick.authority.world.fields import (
    FLOAT,
    INT,
    REF,
    STEPS,
    TURN,
    WireField,
    flag,
    number,
    numbers_of_value,
    scalar,
    text_fields,
)
from retick.errors import SchemaError
from retick.sim.contract import input_size_of
from retick.sim.world.declaration import (
    CACHE,
    ITEMS,
    LINK,
    MEMBER,
    PART,
    SHAPE,
    TEXT,
    VALUES,
    WIDE,
    Member,
    members_of,
)
from retick.sim.world.declared import World
from retick.sim.world.dice import Dice
from retick.sim.world.forms import Form
from retick.sim.world.marks import Visible

__all__ = ["FIRST_SEAT", "Block", "Component", "Layout", "TextPlan", "ValuesPlan", "is_sent", "layout_of"]

FIRST_SEAT: Final = 0xFFFFFF00
"""The entity of seat 0. Items have ids below it."""
MOST_COMPONENTS: Final = 255
MOST_FIELDS: Final = 65535
"""Of one component."""

PLAIN, REAL_STEPS, WHOLE_STEPS, WIDE_STEPS, REAL_TURN, REAL_BITS, HAS_PART = range(7)
SHAPE_STEPS, SHAPE_BITS, SHAPE_WHOLE = range(7, 10)
"""How a kernel reads a field; ``cell_numbers`` has the same numbers, and a test compares them."""
OP_WIDTH: Final = 6
_SHAPE_OPS: Final = {STEPS: SHAPE_STEPS, FLOAT: SHAPE_BITS, INT: SHAPE_WHOLE}


@dataclass(slots=True)
class Block:
    """Fields that are in one cell, as arrays for the kernels: those in its row of slots, and those in its parts."""

    path: tuple[int, ...]
    """The parts to go through from the item to the cell."""
    slots: int
    """Of the row."""
    ops: "array[int]" = field(default_factory=lambda: array("q"))
    """For each field in the row: how it is read; slot; slot that says whether there is a value, or -1; its place in the
    row of the entity; the lowest value; the span."""
    reals: "array[float]" = field(default_factory=lambda: array("d"))
    """For each field in the row: low and step."""
    part_ops: "array[int]" = field(default_factory=lambda: array("q"))
    """As ``ops``, for what is no number: in place of the slot the part, or four times the part of a shape plus 0 to 3
    for its x, y, width and height."""
    part_reals: "array[float]" = field(default_factory=lambda: array("d"))

    def add(self, op: int, slot: int, guard: int, out: int, made: WireField) -> None:
        low = 0 if isinstance(made.low, float) else made.low
        span = made.span if made.code == STEPS else 0
        ops, reals = (self.ops, self.reals) if op < HAS_PART else (self.part_ops, self.part_reals)
        ops.extend((op, slot, guard, out, low, span))
        reals.extend((float(made.low) if made.code == STEPS else 0.0, made.step))


@dataclass(frozen=True, slots=True)
class ValuesPlan:
    """A list of values in a cell."""

    path: tuple[int, ...]
    part: int
    out: int
    """Place of its length; the values follow."""
    name: str
    most: int
    each: WireField | None
    """Of a scalar."""
    shape: Block
    """The numbers of a vector or a rectangle, of part 0."""


@dataclass(frozen=True, slots=True)
class TextPlan:
    """A text in a cell."""

    path: tuple[int, ...]
    part: int
    out: int
    """Place of its length; its bytes follow, eight in a field."""


@dataclass(slots=True)
class Component:
    """What all entities of one list have: its fields, and how kernels read them."""

    name: str
    kind: Any
    """The class of the items, or of the world; None for seats."""
    parent: int = 0
    """Index of the component whose entities hold the list."""
    path: tuple[int, ...] = ()
    """From an entity of the parent to the cell with the list."""
    part: int = -1
    most: int = 0
    hidden: bool = False
    """Whether only the owner of the holder sees the items."""
    has_holder: bool = False
    fields: list[WireField] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)
    values: list[ValuesPlan] = field(default_factory=list)
    texts: list[TextPlan] = field(default_factory=list)
    player_slot: int = -1
    secrets: "array[int]" = field(default_factory=lambda: array("i"))
    links: "array[int]" = field(default_factory=lambda: array("i"))

    def position_slots(self, names: tuple[str, ...]) -> tuple[int, ...]:
        """Where a kernel finds the numbers of an item's place; none if they are not all in the item itself.

        A float field is its slot. A vector or a rectangle is twice a negative number: -1, minus four times its part,
        minus 0 for x and 1 for y; for those of the middle of a rectangle, 2 and 3.
        """
        known = {each.name: each for each in self.kind._declared.fields}
        found: list[int] = []
        for name in names:
            each = known.get(name)
            if each is None or each.optional or each.kind is None:
                return ()
            if each.code == SHAPE:
                first = -1 - 4 * each.part - (2 if len(each.kind.names) == 4 else 0)
                found += (first, first - 1)
            elif each.slot >= 0 and each.kind.is_real:
                found.append(each.slot)
            else:
                return ()
        return tuple(found)


def is_sent(member: Member) -> bool:
    """Whether a field is in any component."""
    if member.holds == CACHE or member.visible is Visible.SERVER:
        return False
    return not (member.holds == PART and issubclass(member.thing, Dice))


class Layout:
    """The tables of one class of worlds; see :func:`layout_of`."""

    def __init__(self, world: type[World]) -> None:
        self.world = world
        self.players: int = world.num_players
        self.command = world.command
        self.input_bits = 8 * input_size_of(world) if self.command is None else self.command.bits
        self.components: list[Component] = []
        self._add_entities(Component("world", world), [number("next_id", 32, default=1)])
        seat = Component("seat", None, fields=[number("connected", 1), number("input", self.input_bits)])
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

    def _add_entities(self, component: Component, first: list[WireField]) -> None:
        index = len(self.components)
        component.fields += first
        self.components.append(component)
        lists: list[tuple[str, tuple[int, ...], Any, Member, bool]] = []
        texts: list[tuple[Block, Any, Member, str, Any, bool]] = []
        self._add_fields(component, component.kind, "", (), False, (lists, texts), is_there=True)
        # They change seldom. Here nobody skips over them on the way to what moves.
        for text in texts:
            self._add_text(component, *text)
        for name, path, plan, member, hidden in lists:
            inner = Component(
                name if index == 0 else f"{component.name}.{name}", member.thing, parent=index, path=path,
                part=plan.part, most=member.most, hidden=hidden, has_holder=index > 0,
            )  # fmt: skip
            self._add_entities(inner, [number("holder", 32)] if inner.has_holder else [])

    def _add_fields(
        self, component: Component, cls: Any, prefix: str, path: tuple[int, ...], secret: bool, later: Any, *,
        is_there: bool,
    ) -> None:  # fmt: skip
        """Add the fields of a class, which is that of the item or of a part of it.

        ``later``: gets the lists of things, and the texts; ``is_there``: whether a new item has this part, so that its
        defaults are those of the class.
        """
        block = Block(path, cls._declared.slots)
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
            if member.holds == ITEMS:
                later[0].append((name, path, plan, member, mine))
            elif member.holds == TEXT:
                later[1].append((block, plan, member, name, default, mine))
            elif member.holds == VALUES:
                self._add_values(component, path, plan, member, name, default, mine)
            elif member.holds == PART:
                self._add_flag(component, block, plan, member, name, None, mine)
                inside = (*path, plan.part)
                there = is_there and not member.optional
                self._add_fields(component, member.thing, f"{name}.", inside, mine, later, is_there=there)
            elif member.holds == SHAPE:
                self._add_shape(component, block, plan, member, name, default, mine)
            else:
                self._add_scalar(component, block, plan, member, name, default, mine)

    def _add_scalar(
        self, component: Component, block: Block, plan: Any, member: Member, name: str, default: Any, secret: bool
    ) -> None:
        made = scalar(plan.where, name, member, default, secret=secret)
        guard = -1
        if member.optional and member.holds != LINK:
            guard = plan.slot + 1
            there = flag(f"{name}?", default=default is not None, secret=secret)
            self._add(component, block, PLAIN, guard, -1, there)
        self._add(component, block, _op_of(member, made), plan.slot, guard, made)

    def _add_values(
        self, component: Component, path: tuple[int, ...], plan: Any, member: Member, name: str, default: Any,
        secret: bool,
    ) -> None:  # fmt: skip
        out = len(component.fields)
        values = default or ()
        bits, most = member.most.bit_length(), member.most
        self._append(component, number(f"{name}.length", bits, span=most, default=len(values), secret=secret))
        each: list[WireField] = []
        for index in range(most):
            value = values[index] if index < len(values) else None
            each = numbers_of_value(plan.where, f"{name}[{index}]", member, value, secret=secret)
            for made in each:
                self._append(component, made)
        shape = Block((), 0)
        if isinstance(member.form, Form):
            for axis, made in enumerate(each):
                shape.add(_SHAPE_OPS[made.code], axis, -1, axis, made)
        one = each[0] if member.form is None else None
        component.values.append(ValuesPlan(path, plan.part, out, name, most, one, shape))

    def _add_shape(
        self, component: Component, block: Block, plan: Any, member: Member, name: str, default: Any, secret: bool
    ) -> None:
        self._add_flag(component, block, plan, member, name, default, secret)
        for axis, made in enumerate(numbers_of_value(plan.where, name, member, default, secret=secret)):
            self._add(component, block, _SHAPE_OPS[made.code], 4 * plan.part + axis, -1, made)

    def _add_text(
        self, component: Component, block: Block, plan: Any, member: Member, name: str, default: Any, secret: bool
    ) -> None:
        self._add_flag(component, block, plan, member, name, default, secret)
        component.texts.append(TextPlan(block.path, plan.part, len(component.fields)))
        for made in text_fields(name, member, default, secret=secret):
            self._append(component, made)

    def _add_flag(
        self, component: Component, block: Block, plan: Any, member: Member, name: str, default: Any, secret: bool
    ) -> None:
        """Whether there is what is no number."""
        if member.optional:
            made = flag(f"{name}?", default=default is not None, secret=secret)
            self._add(component, block, HAS_PART, plan.part, -1, made)

    def _add(self, component: Component, block: Block, op: int, slot: int, guard: int, made: WireField) -> None:
        block.add(op, slot, guard, len(component.fields), made)
        self._append(component, made)

    def _append(self, component: Component, made: WireField) -> None:
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
        """From which the hash is made."""
        return "".join(f"{line}\n" for line in self.lines())

    @property
    def hash(self) -> int:
        """By which two ends know that they mean the same fields."""
        return int.from_bytes(sha256(self.text.encode()).digest()[:8], "little")


def _player_error(cls: Any, member: Member) -> SchemaError:
    return SchemaError(f"{cls.__name__}.{member.name}: whose thing it is is known to all who see the thing")


def _op_of(member: Member, made: WireField) -> int:
    if made.code == STEPS:
        if made.kind is not None and made.kind.is_real:
            return REAL_STEPS
        return WIDE_STEPS if member.holds == WIDE else WHOLE_STEPS
    if made.code == TURN:
        return REAL_TURN
    if made.code == FLOAT:
        return REAL_BITS
    assert member.holds <= MEMBER or member.holds == LINK
    return PLAIN


@cache
def layout_of(world: type[World]) -> Layout:
    """The tables of a class of worlds, made once; a SchemaError that names the field if they cannot be made."""
    return Layout(world)
