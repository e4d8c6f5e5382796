"""Reading what makes one set of entities into another: the other direction of :mod:`retick.authority.world.deltas`.

The checks stand in the order of docs/formats/world-server.md. A base is never changed.
"""

from array import array
from collections.abc import Sequence
from typing import Final

from retick.authority.world.fields import SHORT
from retick.authority.world.layout import Layout
from retick.authority.world.rows import Rows
from retick.errors import InvalidValue, LimitExceeded, TrailingData
from retick.wire.bits import BitReader

__all__ = ["MOST_ENTITIES", "decode_body"]

MOST_ENTITIES: Final = 4096
"""Of one receiver."""
_LAST_ID: Final = 0xFFFFFFFF
_LONGEST_GAMMA: Final = 32

_Entity = tuple[int, Sequence[int]]
"""Index of the component, and numbers."""


def decode_body(base: Rows, tick: int, body: bytes, layout: Layout, columns: Sequence[int] | None = None) -> Rows:
    """The rows that a body makes of ``base``; a DecodeError if it is none.

    ``columns``: of each field of all components the column of compact snapshots, or -1. It is given for a structure,
    which does not change the fields that have one.
    """
    reader = BitReader(body)
    held: dict[int, _Entity] = {entity: (kind, numbers) for entity, kind, numbers in base.entities()}
    _read_touched(reader, base, held, layout, columns)
    start = base.values[0] if base.values else 1
    _read_created(reader, held, layout, columns, 0, start)
    _read_created(reader, held, layout, columns, start, _LAST_ID + 1)
    reader.align()
    if reader.remaining:
        raise TrailingData(f"{reader.remaining // 8} bytes follow the body", extra=reader.remaining // 8)
    return Rows.of(tick, held)


def _read_touched(
    reader: BitReader, base: Rows, held: dict[int, _Entity], layout: Layout, columns: Sequence[int] | None
) -> None:
    at = -1
    for _ in range(_bounded(reader, len(base), "entities of the base")):
        at += _gamma(reader)
        if at >= len(base):
            raise InvalidValue(f"the base has {len(base)} entities, and no number {at}")
        entity = base.ids[at]
        if reader.read_bit():
            del held[entity]
            continue
        kind, before = held[entity]
        held[entity] = (kind, _changed(reader, layout, columns, kind, before, _gamma(reader)))


def _read_created(
    reader: BitReader, held: dict[int, _Entity], layout: Layout, columns: Sequence[int] | None, first: int, end: int
) -> None:
    """New entities with ids from ``first`` to below ``end``."""
    last = first - 1
    for _ in range(_bounded(reader, MOST_ENTITIES - len(held), "new entities")):
        last += _gamma(reader)
        if last >= end or last in held:
            raise InvalidValue(f"entity {last} cannot be created: it is there, or not below {end}")
        kind = reader.read_bits(layout.component_bits)
        if kind >= len(layout.components):
            raise InvalidValue(f"there is no component {kind}")
        first = layout.firsts[kind]
        before = layout.defaults[first : first + layout.widths[kind]]
        held[last] = (kind, _changed(reader, layout, columns, kind, before, _gamma(reader) - 1))


def _bounded(reader: BitReader, most: int, what: str) -> int:
    count = _gamma(reader) - 1
    if count > most:
        raise LimitExceeded(f"there are at most {most} {what}, not {count}", what=what, limit=most, actual=count)
    return count


def _changed(
    reader: BitReader, layout: Layout, columns: Sequence[int] | None, kind: int, before: Sequence[int], count: int
) -> Sequence[int]:
    """The numbers of an entity after ``count`` changes."""
    first, width = layout.firsts[kind], layout.widths[kind]
    if count > width:
        raise InvalidValue(f"{layout.components[kind].name} has {width} fields, not {count}")
    after = array("Q", before)
    field = -1
    for _ in range(count):
        field += _gamma(reader)
        if field >= width:
            raise InvalidValue(f"{layout.components[kind].name} has no field {field}")
        if columns is not None and columns[first + field] >= 0:
            raise InvalidValue(f"{layout.components[kind].name}: a structure does not change field {field}")
        value = _value(reader, after[field], layout.bits[first + field])
        if value > layout.spans[first + field]:
            made = layout.components[kind].fields[field]
            raise InvalidValue(f"{layout.components[kind].name}.{made.name}: {value} is above {made.span}")
        after[field] = value
    return after


def _value(reader: BitReader, before: int, bits: int) -> int:
    whole = 1 << bits
    form = 4
    if bits > SHORT:
        form = 1
        while form < 4 and reader.read_bit():
            form += 1
    if form < 4:
        width = form * bits // 4
        read = reader.read_bits(width)
        away = read - ((read >> (width - 1)) << width)
        value = (before + away) % whole
    else:
        value = reader.read_bits(bits)
        away = (value - before) % whole
        away -= (away >> (bits - 1)) << bits
    if away == 0:
        raise InvalidValue("a number is sent that has not changed")
    shorter = (form - 1) * bits // 4
    if bits > SHORT and shorter and away >> (shorter - 1) in (0, -1):
        raise InvalidValue("a number is in a longer form than it needs")
    return value


def _gamma(reader: BitReader) -> int:
    zeros = 0
    while not reader.read_bit():
        zeros += 1
        if zeros > _LONGEST_GAMMA:
            raise InvalidValue(f"a number has more than {_LONGEST_GAMMA} leading zeros")
    return (1 << zeros) | reader.read_bits(zeros)
