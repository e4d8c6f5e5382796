"""A schema as flat arrays of numbers, the form in which the kernels read it (a compiled kernel).

Fields are numbered through all components. Every field that is not a varint is coded the same way, so that the inner
loops have no branch by kind::

    u = value - low        must be <= span, as unsigned 64-bit numbers
    wire = u ^ flip        flip is the sign bit of a signed field, which makes it two's complement; else 0

A mask of a component's fields lies in words of up to 64 fields; in each word the first field is the highest bit, as
on the wire.
"""

from typing import Any, NamedTuple

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.snapshot.kernels.arrays import ints, kept, longs, ulongs
    from cython.cimports.retick.snapshot.kernels.layout import FIXED_WIDTH
else:
    from retick.snapshot.kernels.arrays import ints, kept, longs, ulongs
    from retick.snapshot.kernels.layout import FIXED_WIDTH

__all__ = ["FieldRow", "FieldTable"]

# A varint may need 7 bits of padding before its five bytes.
_WORST_VARINT_BITS = 47


class FieldRow(NamedTuple):
    """One field, as it is given to the table."""

    coding: int
    """FIXED_WIDTH, VARUINT or VARSINT."""
    bits: int
    """On the wire; 0 for varints."""
    lowest: int
    highest: int
    flip: int
    """Bits that differ between ``value - lowest`` and what is on the wire."""
    wraps: bool
    """Whether the column holds unsigned 64-bit numbers as the signed ones with the same bits."""
    threshold: int
    """A delta carries only larger differences; 0 sends every difference."""
    bools: bool = False
    """Whether a value may be given as True or False."""
    unsigned: bool = False
    """Whether a column may be given as unsigned integers."""


@cython.cclass
class FieldTable:
    """Made once from a schema; see the .pxd for what each array holds."""

    if not cython.compiled:
        schema: Any
        component_count: int
        field_count: int
        word_count: int
        widest: int
        entity_worst_bytes: int
        all_plain: bool
        all_components: int
        entity_plain_bytes: int
        entity_plain_bits: int
        entity_least_bits: int
        coding: Any
        bits: Any
        low: Any
        span: Any
        flip: Any
        threshold: Any
        wraps: Any
        bools: Any
        unsigned: Any
        component_id: Any
        first: Any
        fields: Any
        first_word: Any
        words: Any
        plain: Any
        value_bits: Any
        least_bits: Any
        index_bits: Any
        has_threshold: Any
        mask_byte: Any
        mask_shift: Any
        field_byte: Any
        field_shift: Any
        field_mask: Any
        mask_width: Any
        full_mask: Any
        _owners: list[Any]

    def __init__(self, components: Any) -> None:
        """From pairs of a component id and its FieldRows."""
        groups = [group for _id, group in components]
        fields = [field for group in groups for field in group]
        counts = [len(group) for group in groups]
        words = [(count + 63) // 64 for count in counts]
        varints = [sum(field.coding != FIXED_WIDTH for field in group) for group in groups]
        value_bits = [sum(field.bits for field in group) for group in groups]
        fixed_bits = [count + bits for count, bits in zip(counts, value_bits, strict=True)]
        worst = [bits + _WORST_VARINT_BITS * n for bits, n in zip(fixed_bits, varints, strict=True)]
        self.component_count = len(groups)
        self.field_count = len(fields)
        self.word_count = sum(words)
        self.widest = max(counts, default=0)
        self.entity_least_bits = 32 + len(groups)
        self._owners = []
        self.coding = self._ints([field.coding for field in fields])
        self.bits = self._ints([field.bits for field in fields])
        self.low = self._longs([field.lowest for field in fields])
        self.span = self._unsigned([field.highest - field.lowest for field in fields])
        self.flip = self._unsigned([field.flip for field in fields])
        self.threshold = self._longs([field.threshold for field in fields])
        self.wraps = self._ints([field.wraps for field in fields])
        self.bools = self._ints([field.bools for field in fields])
        self.unsigned = self._ints([field.unsigned for field in fields])
        self.component_id = self._ints([identity for identity, _group in components])
        self.first = self._ints(_offsets(counts))
        self.fields = self._ints(counts)
        self.first_word = self._ints(_offsets(words))
        self.words = self._ints(words)
        # With at most 57 bits a field lies within the eight bytes from its first, whatever the bit it starts at.
        plain = [all(1 <= field.bits <= 57 for field in group) for group in groups]
        self.plain = self._ints(plain)
        # The same holds for masks, so that whole entities can go the fast way.
        self.all_plain = 1 <= len(groups) <= 57 and all(plain) and all(1 <= count <= 57 for count in counts)
        self.all_components = (1 << len(groups)) - 1 if self.all_plain else 0
        self.entity_plain_bits = 32 + len(groups) + sum(counts) + sum(value_bits)
        self.entity_plain_bytes = (self.entity_plain_bits + 7) // 8
        self.value_bits = self._longs(value_bits)
        self.least_bits = self._longs([bits + 8 * n for bits, n in zip(fixed_bits, varints, strict=True)])
        index_bits = [max(0, count - 1).bit_length() for count in counts]
        self.index_bits = self._ints(index_bits)
        self.has_threshold = self._ints([any(field.threshold for field in group) for group in groups])
        self._place_fields(groups)
        widths = [min(64, count - start) for count in counts for start in range(0, count, 64)]
        self.mask_width = self._ints(widths)
        self.full_mask = self._unsigned([(1 << width) - 1 for width in widths])
        # A masked entity, or each component of it as a packed entry with three varints before it.
        masked = 4 + (len(groups) + sum(worst) + 7) // 8
        packed = sum(15 + (w + n * i + 7) // 8 for w, n, i in zip(worst, counts, index_bits, strict=True))
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
                field_places.append((position, field.bits))
                position += field.bits
        plain = self.all_plain
        self.mask_byte = self._ints([at >> 3 for at, _ in mask_places])
        self.mask_shift = self._ints([64 - (at & 7) - bits if plain else 0 for at, bits in mask_places])
        self.field_byte = self._ints([at >> 3 for at, _ in field_places])
        self.field_shift = self._ints([64 - (at & 7) - bits if plain else 0 for at, bits in field_places])
        self.field_mask = self._unsigned([(1 << bits) - 1 for _, bits in field_places])

    def _ints(self, values: Any) -> cython.p_int:
        return ints(kept(self._owners, "i", values))

    def _longs(self, values: Any) -> cython.p_longlong:
        return longs(kept(self._owners, "q", values))

    def _unsigned(self, values: Any) -> cython.p_ulonglong:
        return ulongs(kept(self._owners, "Q", values))


def _offsets(counts: Any) -> Any:
    starts = []
    total = 0
    for count in counts:
        starts.append(total)
        total += count
    return starts
