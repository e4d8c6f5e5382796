"""A schema as flat arrays of numbers, the form in which the kernels read it (a compiled kernel).

Fields are numbered through all components. Every field that is not a varint is coded the same way, so that the inner
loops have no branch by kind::

    u = value - low        must be <= span, as unsigned 64-bit numbers
    wire = u ^ flip        flip is the sign bit of a signed field, which makes it two's complement; else 0

A mask of a component's fields lies in words of up to 64 fields; in each word the first field is the highest bit, as
on the wire.
"""

from array import array
from typing import Any

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.cpython import array as carray
else:
    VARUINT, VARSINT, UINT, SINT = 3, 4, 1, 2

__all__ = ["FieldTable"]

# A varint may need 7 bits of padding before its five bytes.
_WORST_VARINT_BITS = 47


@cython.cclass
class FieldTable:
    """Made once from a schema; see the .pxd for what each array holds."""

    if not cython.compiled:
        schema: Any
        component_count: int
        field_count: int
        word_count: int
        all_plain: bool
        all_components: int
        entity_plain_bits: int
        entity_plain_bytes: int
        entity_worst_bytes: int
        entity_least_bits: int
        kind: Any
        bits: Any
        low: Any
        span: Any
        flip: Any
        threshold: Any
        component_id: Any
        first: Any
        fields: Any
        first_word: Any
        words: Any
        plain: Any
        has_threshold: Any
        mask_byte: Any
        mask_shift: Any
        field_byte: Any
        field_shift: Any
        field_mask: Any
        value_bits: Any
        worst_bits: Any
        least_bits: Any
        index_bits: Any
        mask_width: Any
        full_mask: Any
        _owners: Any

    def __init__(self, components: Any) -> None:
        fields = [field for _id, group in components for field in group]
        groups = [group for _id, group in components]
        counts = [len(group) for group in groups]
        words = [(count + 63) // 64 for count in counts]
        varint = [[field[0] in (3, 4) for field in group] for group in groups]
        value_bits = [sum(field[1] for field in group) for group in groups]
        worst = [
            n + v + sum(_WORST_VARINT_BITS for is_varint in flags if is_varint)
            for n, v, flags in zip(counts, value_bits, varint, strict=True)
        ]
        self.component_count = len(groups)
        self.field_count = len(fields)
        self.word_count = sum(words)
        self.entity_least_bits = 32 + len(groups)
        self._owners = []
        self.kind = self._ints([field[0] for field in fields])
        self.bits = self._ints([field[1] for field in fields])
        self.low = self._longs([field[2] for field in fields])
        self.span = self._unsigned([field[3] - field[2] for field in fields])
        self.flip = self._unsigned([1 << (field[1] - 1) if field[0] == 2 else 0 for field in fields])
        self.component_id = self._ints([identity for identity, _group in components])
        self.fields = self._ints(counts)
        self.first = self._ints(_offsets(counts))
        self.words = self._ints(words)
        self.first_word = self._ints(_offsets(words))
        # With at most 57 bits a field lies within the eight bytes from its first, whatever the bit it starts at.
        plain = [all(1 <= field[1] <= 57 for field in group) for group in groups]
        self.plain = self._ints(plain)
        # The same holds for masks, so that whole entities can go the fast way.
        self.all_plain = 1 <= len(groups) <= 57 and all(plain) and all(1 <= count <= 57 for count in counts)
        self.all_components = (1 << len(groups)) - 1 if self.all_plain else 0
        self.entity_plain_bits = 32 + len(groups) + sum(counts) + sum(value_bits)
        self.entity_plain_bytes = (self.entity_plain_bits + 7) // 8
        self._place_fields(groups)
        # A bool has no distance: its threshold is hashed but never used.
        thresholds = [[(field[4] or 0) if field[0] else 0 for field in group] for group in groups]
        self.threshold = self._longs([threshold for group in thresholds for threshold in group])
        self.has_threshold = self._ints([any(group) for group in thresholds])
        self.value_bits = self._longs(value_bits)
        self.worst_bits = self._longs(worst)
        self.least_bits = self._longs(
            [n + v + 8 * sum(flags) for n, v, flags in zip(counts, value_bits, varint, strict=True)]
        )
        widths = [min(64, count - start) for count in counts for start in range(0, count, 64)]
        self.mask_width = self._ints(widths)
        self.full_mask = self._unsigned([(1 << width) - 1 for width in widths])
        self.index_bits = self._ints([max(0, count - 1).bit_length() for count in counts])
        # A masked entity, or each component of it as a packed entry with three varints before it.
        masked = 4 + (len(groups) + sum(worst) + 7) // 8
        index_bits = [count * max(0, count - 1).bit_length() for count in counts]
        packed = sum(15 + (w + i + 7) // 8 for w, i in zip(worst, index_bits, strict=True))
        self.entity_worst_bytes = max(masked, packed) + 16

    def _place_fields(self, groups: Any) -> None:
        """Where masks and fields lie in a created entity that has every component: always at the same bit."""
        position = 32 + len(groups)
        mask_places = []
        field_places = []
        for group in groups:
            mask_places.append((position, len(group)))
            position += len(group)
            for field in group:
                field_places.append((position, field[1]))
                position += field[1]
        plain = self.all_plain
        self.mask_byte = self._ints([at >> 3 for at, _ in mask_places])
        self.mask_shift = self._ints([64 - (at & 7) - bits if plain else 0 for at, bits in mask_places])
        self.field_byte = self._ints([at >> 3 for at, _ in field_places])
        self.field_shift = self._ints([64 - (at & 7) - bits if plain else 0 for at, bits in field_places])
        self.field_mask = self._unsigned([(1 << bits) - 1 for _, bits in field_places])

    def _ints(self, values: Any) -> cython.p_int:
        owner = array("i", values)
        self._owners.append(owner)
        if cython.compiled:
            held: carray.array = owner
            return held.data.as_ints
        return owner

    def _longs(self, values: Any) -> cython.p_longlong:
        owner = array("q", values)
        self._owners.append(owner)
        if cython.compiled:
            held: carray.array = owner
            return held.data.as_longlongs
        return owner

    def _unsigned(self, values: Any) -> cython.p_ulonglong:
        owner = array("Q", values)
        self._owners.append(owner)
        if cython.compiled:
            held: carray.array = owner
            return held.data.as_ulonglongs
        return owner


def _offsets(counts: Any) -> Any:
    starts = []
    total = 0
    for count in counts:
        starts.append(total)
        total += count
    return starts
