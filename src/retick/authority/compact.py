"""Compact snapshots of a world: which fields they have, by which schema, and how one is encoded and decoded.

A compact snapshot has two parts. Its *structure* is a body like that of any snapshot: it destroys and creates entities,
and changes fields that are coded plainly, texts and lists of values. ``retick.snapshot.compact`` predicts and
entropy-codes the rest. docs/formats/world-server.md has the rules.
"""

from array import array
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from retick.authority.deltas import columns_of, encode_body, middle_of, rows_of
from retick.authority.layout import FLOAT, SHORT, STEPS, TURN, WireField, WorldLayout
from retick.authority.rows import Rows
from retick.errors import InvalidValue, LimitExceeded, TrailingData
from retick.snapshot import Bool, Codec, Component, Field, Fixed, Limits, Schema, Snapshot, UInt
from retick.snapshot.compact.coder import GroupRow, Statistics
from retick.snapshot.compact.motion import same_shape
from retick.snapshot.fields import Angle, Group, Predictor, Real
from retick.wire.bits import BitReader

# Reads a body, which turns one set of entities into another: the reverse of :mod:`retick.authority.deltas`.
#
# The checks stand in the order of docs/formats/world-server.md. A base is never changed.

MOST_ENTITIES: Final = 4096
"""The most entities of one receiver."""
_LAST_ID: Final = 0xFFFFFFFF
_LONGEST_GAMMA: Final = 32

_Entity = tuple[int, Sequence[int]]
"""The index of the component, and the numbers."""


def decode_body(base: Rows, tick: int, body: bytes, layout: WorldLayout, columns: Sequence[int] | None = None) -> Rows:
    """The rows that a body makes of ``base``; raises DecodeError if it is not valid.

    ``columns`` is given for a structure: for each field of all components, the column of compact snapshots, or -1.
    A structure does not change fields that have a column.
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
    reader: BitReader, base: Rows, held: dict[int, _Entity], layout: WorldLayout, columns: Sequence[int] | None
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
    reader: BitReader,
    held: dict[int, _Entity],
    layout: WorldLayout,
    columns: Sequence[int] | None,
    first: int,
    end: int,
) -> None:
    """Read new entities with ids from ``first`` to below ``end``."""
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
    reader: BitReader, layout: WorldLayout, columns: Sequence[int] | None, kind: int, before: Sequence[int], count: int
) -> Sequence[int]:
    """Read ``count`` changes; returns the numbers of the entity after them."""
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


MOST_FIELDS: Final = 256
"""The most compact fields of a world; further ones are coded plainly. Each makes the statistics larger."""
UNCHANGED: Final = bytes((0xE0,))
"""The body that changes nothing."""
_DECLARED: Final[dict[str, Predictor]] = {TURN: Angle(), FLOAT: Real()}
"""The predictors of codes; names and types decide for all others."""
_UNLIMITED: Final = 0x7FFFFFFF
"""No limit of its own: a datagram limits the bytes of a snapshot."""


class KnownSnapshot(NamedTuple):
    """A snapshot that both ends know, so that later ones can be predicted from it."""

    rows: Rows
    columns: Snapshot
    """Its compact fields."""
    statistics: Statistics
    """What both ends have learned up to this snapshot."""


class CompactTables:
    """The compact fields of a layout. Each end builds its own, and the hashes are compared when a client joins."""

    def __init__(self, layout: WorldLayout, *, sealed: bool = False) -> None:
        """``sealed``: the link refuses altered datagrams, so no check is needed."""
        self._layout = layout
        self.places = array("i", [-1]) * len(layout.bits)
        """For each field of all components: its column, or -1."""
        self.members = array("i", [-1]) * len(layout.components)
        """For each component: its component in the schema, or -1."""
        self.begins = array("i", [0])
        """For each component: its first column; and a final entry."""
        self.offsets = array("i")
        """For each column: the place of its field in a row."""
        self.defaults = array("Q")
        """For each column: the default of its field."""
        components: list[Component] = []
        groups: list[Group] = []
        for kind, component in enumerate(layout.components):
            fields: list[Field] = []
            for index in _compact_fields(component.fields)[: MOST_FIELDS - len(self.offsets)]:
                made = component.fields[index]
                self.places[layout.firsts[kind] + index] = len(self.offsets)
                self.offsets.append(index)
                self.defaults.append(made.default)
                fields.append(Field(index + 1, _codec_of(made), name=made.name.replace(".", "_")))
                if made.code in _DECLARED:
                    groups.append(Group(kind + 1, (index + 1,), _DECLARED[made.code]))
            self.begins.append(len(self.offsets))
            if fields:
                self.members[kind] = len(components)
                components.append(Component(kind + 1, fields, name=component.name))
        limits = Limits(
            max_section_len=_UNLIMITED,
            max_section_bytes=_UNLIMITED,
            max_entities_create=MOST_ENTITIES,
            max_entities_update=MOST_ENTITIES,
            max_entities_destroy=MOST_ENTITIES,
            max_components_per_entity=MOST_FIELDS,
            max_fields_per_component=MOST_FIELDS,
            max_total_entities_after_apply=MOST_ENTITIES,
        )
        self.schema = Schema(components, groups)
        self.table = self.schema.table
        codec = Codec(self.schema, limits=limits, compact=True, sealed=sealed)
        self.hash = codec.schema_hash
        self._payloads = codec.compact_payloads()

    @property
    def groups(self) -> tuple[GroupRow, ...]:
        """The groups in coding order; fields are numbered as columns."""
        return tuple(self._payloads.plan.groups)

    def known(self, rows: Rows, statistics: Statistics | None) -> KnownSnapshot:
        """A snapshot that was sent in the plain form, from which nothing is learned.

        ``statistics`` are those of its base; None for a full snapshot.
        """
        return KnownSnapshot(rows, columns_of(rows, rows.tick, self), statistics or self._payloads.prior_statistics())

    def encode(self, base: KnownSnapshot, rows: Rows, history: Sequence[Snapshot]) -> tuple[bytes, KnownSnapshot]:
        """The payload that makes ``rows`` of ``base``, and what both ends know afterwards.

        ``history``: the columns of older snapshots that the receiver has used, newest first.
        """
        middle = middle_of(base.rows, rows, self)
        structure = b"" if middle.same_as(base.rows) else encode_body(base.rows, middle, self._layout)
        current = columns_of(rows, rows.tick, self)
        made = self._payloads.encode(
            columns_of(middle, base.rows.tick, self),
            current,
            history,
            base.statistics,
            structure=structure,
        )
        return made.payload, KnownSnapshot(rows, current, made.statistics)

    def decode(
        self, base: KnownSnapshot, tick: int, payload: bytes, held: Callable[[int], Snapshot | None]
    ) -> KnownSnapshot:
        """Decode what a payload makes of ``base``; ``held`` gives the columns of an older tick, or None."""
        middle, shape = base.rows, base.columns

        def restructured(structure: bytes) -> Snapshot:
            nonlocal middle, shape
            if structure == UNCHANGED:
                raise InvalidValue("a structure that changes nothing is not sent")
            middle = decode_body(base.rows, base.rows.tick, structure, self._layout, self.places)
            shape = columns_of(middle, middle.tick, self)
            return shape  # type: ignore[no-any-return]  # mypy sees kernels untyped

        columns, statistics = self._payloads.decode(base.columns, tick, payload, held, base.statistics, restructured)
        # Only sections in place of a body could do that.
        if not same_shape(columns, shape):
            raise InvalidValue("a compact snapshot creates and destroys entities by its structure only")
        return KnownSnapshot(rows_of(columns, middle, tick, self), columns, statistics)


def _compact_fields(fields: Sequence[WireField]) -> list[int]:
    """The indices of compactly coded fields: all but those of texts and of lists of values."""
    found = []
    for index, made in enumerate(fields):
        after = fields[index + 1].name if index + 1 < len(fields) else ""
        is_length = after.startswith(f"{made.name.removesuffix('.length')}[")
        if made.bits and "[" not in made.name and not is_length:
            found.append(index)
    return found


def _codec_of(made: WireField) -> Bool | Fixed | UInt:
    if made.span == 1:
        return Bool()
    if made.code == STEPS or made.span != (1 << made.bits) - 1:
        return Fixed(min_q=0, max_q=made.span, scale=1)
    return UInt(made.bits)
