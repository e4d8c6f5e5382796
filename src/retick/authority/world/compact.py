"""Compact snapshots of a world: which fields they have, as which schema, and one snapshot both ways.

A compact snapshot has two parts. Its *structure* is a body as that of any snapshot: it destroys and creates entities,
and changes what is coded plainly, texts and lists of values. The rest is predicted and entropy-coded by
``retick.snapshot.compact``. docs/formats/world-server.md has the rules.
"""

from array import array
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from retick.authority.world.bodies import MOST_ENTITIES, decode_body
from retick.authority.world.columns import columns_of, middle_of, rows_of
from retick.authority.world.deltas import encode_body
from retick.authority.world.fields import FLOAT, STEPS, TURN, WireField
from retick.authority.world.layout import Layout
from retick.authority.world.rows import Rows
from retick.errors import InvalidValue
from retick.snapshot import Bool, Codec, Component, Field, Fixed, Limits, Schema, Snapshot, UInt
from retick.snapshot.compact.frames import same_shape
from retick.snapshot.compact.plan import GroupRow
from retick.snapshot.compact.statistics import Statistics
from retick.snapshot.predictors import Angle, Group, Predictor, Real

__all__ = ["MOST_FIELDS", "CompactTables", "Known"]

MOST_FIELDS: Final = 256
"""Compact fields of a world; those after them are coded plainly. Statistics grow with each."""
UNCHANGED: Final = bytes((0xE0,))
"""The body that changes nothing."""
_DECLARED: Final[dict[str, Predictor]] = {TURN: Angle(), FLOAT: Real()}
"""What codes say about how fields go on; of the others names and types do."""
_UNLIMITED: Final = 0x7FFFFFFF
"""A datagram limits the bytes of a snapshot."""


class Known(NamedTuple):
    """A snapshot that both ends know, as later ones are predicted from it."""

    rows: Rows
    columns: Snapshot
    """Its compact fields."""
    statistics: Statistics
    """What both ends have learned up to it."""


class CompactTables:
    """The compact fields of a layout. Both ends make their own, and compare its hash when a client joins."""

    def __init__(self, layout: Layout, *, sealed: bool = False) -> None:
        """``sealed``: the link refuses what was changed on the way, so no check is needed."""
        self._layout = layout
        self.places = array("i", [-1]) * len(layout.bits)
        """For each field of all components: its column, or -1."""
        self.members = array("i", [-1]) * len(layout.components)
        """For each component: that of the schema, or -1."""
        self.begins = array("i", [0])
        """For each component: its first column; and one more."""
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

    def known(self, rows: Rows, statistics: Statistics | None) -> Known:
        """A snapshot that was sent in the plain form: nothing is learned from it.

        ``statistics``: those of its base; None if it is a full one.
        """
        return Known(rows, columns_of(rows, rows.tick, self), statistics or self._payloads.prior_statistics())

    def encode(self, base: Known, rows: Rows, history: Sequence[Snapshot]) -> tuple[bytes, Known]:
        """The payload that makes ``rows`` of ``base``, and what both ends know then.

        ``history``: the columns of older snapshots that the receiver has used, the newest first.
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
        return made.payload, Known(rows, current, made.statistics)

    def decode(self, base: Known, tick: int, payload: bytes, held: Callable[[int], Snapshot | None]) -> Known:
        """What a payload makes of ``base``, or a DecodeError; ``held`` gives the columns of an older tick, or None."""
        middle, shape = base.rows, base.columns

        def restructured(structure: bytes) -> Snapshot:
            nonlocal middle, shape
            if structure == UNCHANGED:
                raise InvalidValue("a structure that changes nothing is not sent")
            middle = decode_body(base.rows, base.rows.tick, structure, self._layout, self.places)
            shape = columns_of(middle, middle.tick, self)
            return shape  # type: ignore[no-any-return]  # mypy sees kernels untyped

        columns, statistics = self._payloads.decode(base.columns, tick, payload, held, base.statistics, restructured)
        # Only sections in place of a body can do that.
        if not same_shape(columns, shape):
            raise InvalidValue("a compact snapshot creates and destroys entities by its structure only")
        return Known(rows_of(columns, middle, tick, self), columns, statistics)


def _compact_fields(fields: Sequence[WireField]) -> list[int]:
    """Indices of the fields that are coded compactly: all but those of texts and of lists of values."""
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
