"""The head of a compact payload, before its body.

::

    1  form: bits 0-1 history (0 none, 1 the usual ages, 2 listed, 3 even), 2 carried, 3 check, 4 structure, 5 cut,
       6 plain
    4  check, little-endian                       if bit 3
    1  number of history ages, then each age      if history is listed
    1  the first of three ages; the others are twice and three times that    if history is even
    v  first entity that is left as it is         if bit 5
    v  bytes of the structure, and the structure  if bit 4: destroys and creates as version 2 writes them
       the body; or the sections of version 2     if bit 6
"""

import struct
import zlib
from bisect import bisect_left
from collections.abc import Sequence
from typing import Any, NamedTuple

from retick.errors import ChecksumMismatch, InvalidValue, SchemaMismatch, Truncated, with_code
from retick.snapshot import layout
from retick.snapshot.compact.coder import GroupRow
from retick.snapshot.compact.defaults import FieldPrediction
from retick.snapshot.compact.numbers import FRAMES, OLDEST
from retick.snapshot.compact.prior import Prior, generic_prior
from retick.snapshot.errors import decode_error
from retick.snapshot.fields import Angle, Group, Integral, Motion, Rotation
from retick.snapshot.layout import DELTA, FULL, HEADER, HEADER_BYTES, MAGIC, MAGIC_WORD
from retick.snapshot.limits import Limits
from retick.snapshot.schema import Schema
from retick.snapshot.stream import Fault
from retick.wire.explain import RowReader
from retick.wire.varint import decode_varuint, encode_varuint

USUAL_AGES = (1, 3, 8)
"""How many ticks before the baseline the history frames should be."""
CHECK_BYTES = 4
USUAL, LISTED, EVEN = 1, 2, 3
"""The kinds of history that a form's lowest two bits name."""
_TICKS = struct.Struct("<II")
HISTORY, CARRIED, CHECK = 3, 4, 8
"""The bits of the form that other modules need."""
_STRUCTURE, _CUT, _PLAIN = 16, 32, 64


def pick_history(base_tick: int, held: Sequence[int]) -> list[int]:
    """The ticks, among those a receiver holds, nearest to the usual ages, newest first."""
    ticks = sorted(tick for tick in held if 0 < base_tick - tick <= OLDEST)
    found: list[int] = []
    end = len(ticks)
    for age in USUAL_AGES:
        if end:
            wanted = base_tick - age
            at = bisect_left(ticks, wanted, 0, end)
            if at == end or (at and wanted - ticks[at - 1] < ticks[at] - wanted):
                at -= 1
            found.append(ticks[at])
            end = at
    return found


def is_even(ages: tuple[int, ...]) -> bool:
    """Whether these are three evenly spaced ages, as when snapshots are sent every few ticks."""
    return len(ages) == FRAMES and ages[1:] == (2 * ages[0], 3 * ages[0])


class Head(NamedTuple):
    """Everything before the body except the check."""

    ages: tuple[int, ...] = ()
    """Ticks from each history frame to the baseline, ascending."""
    carried: bool = False
    """Whether the statistics are those of the baseline instead of the prior."""
    cut: int | None = None
    """The index of the first entity that stays as it is; None if none is cut off."""
    structure: bytes = b""
    plain: bool = False
    """Whether sections of version 2 replace the body."""

    def to_bytes(self) -> bytes:
        ages = self.ages
        history = 0 if not ages else USUAL if ages == USUAL_AGES else EVEN if is_even(ages) else LISTED
        form = CARRIED * self.carried | _STRUCTURE * bool(self.structure) | _PLAIN * self.plain
        made = bytes((form | history | _CUT * (self.cut is not None),))
        if history == EVEN:
            made += bytes((ages[0],))
        elif history == LISTED:
            made += bytes((len(ages), *ages))
        if self.cut is not None:
            made += encode_varuint(self.cut)
        if self.structure:
            made += encode_varuint(len(self.structure)) + self.structure
        return made


_EVEN_AGES = [(first, 2 * first, 3 * first) for first in range(1, OLDEST // 3 + 1)]
SHORT_HEADS = {
    (ages, carried): Head(ages, carried).to_bytes() for ages in (USUAL_AGES, *_EVEN_AGES) for carried in (False, True)
}
"""The heads of most packets, of one or two bytes, by their ages and whether statistics are carried."""


def check_of(payload: bytes, lineage: int, tick: int, base_tick: int) -> int:
    """The check of a payload: a CRC-32 that continues from the statistics' lineage and both ticks."""
    return zlib.crc32(_TICKS.pack(tick, base_tick) + payload, lineage)


def with_check(payload: bytes, check: int) -> bytes:
    return bytes((payload[0] | CHECK,)) + check.to_bytes(CHECK_BYTES, "little") + payload[1:]


def split_check(data: bytes, wanted: bool) -> tuple[bytes, int | None]:
    """Split a payload into the rest and its check; the check must be there if ``wanted``."""
    if not data:
        raise _truncated(1, 0)
    if not data[0] & CHECK:
        if wanted:
            raise with_code(InvalidValue("the payload has no check, and the link is not sealed"), "Compact.NoCheck")
        return data, None
    if len(data) < 1 + CHECK_BYTES:
        raise _truncated(1 + CHECK_BYTES, len(data))
    check = int.from_bytes(data[1 : 1 + CHECK_BYTES], "little")
    return bytes((data[0] & ~CHECK,)) + data[1 + CHECK_BYTES :], check


def compare_checks(expected: int, found: int | None) -> None:
    if found is not None and expected != found:
        message = f"the payload's check is {found:08x}, its content makes {expected:08x}"
        raise with_code(ChecksumMismatch(message, expected=expected, found=found), "Compact.Check")


def read_head(payload: bytes) -> tuple[Head, int]:
    """Read the head of a payload without check; returns it with the offset of the body."""
    form = payload[0]
    at = 1
    history = form & HISTORY
    if form & 0x80 or form & CHECK:
        raise _invalid(f"{form:#04x} is not a form of a compact payload")
    ages: tuple[int, ...] = USUAL_AGES if history == USUAL else ()
    if history == EVEN:
        if len(payload) < 2:
            raise _truncated(2, len(payload))
        first, at = payload[1], 2
        ages = (first, 2 * first, 3 * first)
        if not 0 < ages[-1] <= OLDEST:
            raise _invalid(f"history frames cannot be {ages} ticks older than the baseline")
    if history == LISTED:
        ages = tuple(payload[2 : 2 + (payload[1] if len(payload) > 1 else 0)])
        at = 2 + len(ages)
        if len(payload) < 2 or len(ages) != payload[1]:
            raise _truncated(2 + (payload[1] if len(payload) > 1 else 0), len(payload))
        ordered = all(before < after for before, after in zip((0, *ages), ages, strict=False))
        if not 1 <= len(ages) <= FRAMES or not ordered or ages[-1] > OLDEST or ages == USUAL_AGES or is_even(ages):
            raise _invalid(f"history frames cannot be {ages} ticks older than the baseline")
    cut = None
    if form & _CUT:
        cut, at = decode_varuint(payload, at)
    structure = b""
    if form & _STRUCTURE:
        size, at = decode_varuint(payload, at)
        structure = payload[at : at + size]
        if len(structure) < size:
            raise _truncated(at + size, len(payload))
        if not size:
            raise _invalid("a structure without content")
        at += size
    plain = bool(form & _PLAIN)
    if plain and (form & ~_PLAIN & ~CARRIED):
        raise _invalid("plain sections go with no history, cut or structure")
    return Head(ages, bool(form & CARRIED), cut, structure, plain), at


def _invalid(message: str) -> InvalidValue:
    return with_code(InvalidValue(message), "Compact.Head")


def _truncated(needed: int, available: int) -> Truncated:
    message = f"{needed} bytes are needed, {available} are there"
    return with_code(Truncated(message, needed=needed, available=available), "Compact.Truncated")


# Compact packets with the standard header: version 3, and the compact schema's hash.
#
# The checks stand in the order of docs/formats/snapshot.md, with the same codes.

VERSION = 3


def compact_hash(schema: Schema, prediction: FieldPrediction, prior: Prior) -> int:
    """The schema's hash with its groups and the prior: the first eight bytes of blake3, little-endian."""
    # Imported here so that programs without snapshots do not load it.
    from blake3 import blake3

    rows = zip(prediction.groups, prediction.plan.groups, strict=True)
    groups = struct.pack("<I", len(prediction.groups)) + b"".join(_group_bytes(group, row) for group, row in rows)
    digest = blake3(schema.hash_preimage() + groups + prior.digest.to_bytes(4, "little")).digest()
    return int.from_bytes(digest[:8], "little")


def _group_bytes(group: Group, row: GroupRow) -> bytes:
    """A group as bytes for the hash: everything that a decoder's predictions depend on."""
    count = len(group.fields)
    made = struct.pack(f"<BBHI{count}H", row.kind, row.doubtful, group.component, count, *group.fields)
    given = group.predictor
    if isinstance(given, Motion):
        return made + struct.pack(f"<{1 + count}d", given.damping, *(given.acceleration or [0.0] * count))
    if isinstance(given, Angle):
        return made + struct.pack("<Qd", row.modulus, given.damping)
    if isinstance(given, Integral):
        return made + struct.pack("<Id", row.source, given.rate)
    if isinstance(given, Rotation):
        return made + struct.pack("<d", given.damping)
    return made


def read_header(
    data: Any, flags: int, base_tick: int | None, expected_hash: int, limits: Limits, schema: Schema
) -> tuple[int, bytes]:
    """Check a packet's kind and baseline; returns its tick and payload."""
    found = open_header(data, limits, schema)
    if found.flags != flags:
        raise fault_error(schema, layout.INVALID_FLAGS, flags=found.flags)
    if base_tick is not None and found.baseline_tick != base_tick:
        raise fault_error(schema, layout.BASELINE_TICK, expected=base_tick, found=found.baseline_tick)
    if found.hash != expected_hash:
        message = (
            f"written with compact schema {found.hash:016x}, read with {expected_hash:016x}: "
            "fields, their names, groups and the prior must be the same"
        )
        raise with_code(
            SchemaMismatch(message, expected=expected_hash, found=found.hash),
            "SchemaMismatch",
            expected=expected_hash,
            found=found.hash,
        )
    return found.tick, found.payload


class Header(NamedTuple):
    """The checked content of a packet's header."""

    flags: int
    hash: int
    tick: int
    baseline_tick: int
    payload: bytes


def open_header(data: Any, limits: Limits, schema: Schema) -> Header:
    """Read the header of any compact packet, whatever its schema; ``schema`` is only for the words of errors."""
    packet = bytes(data)
    if len(packet) < HEADER_BYTES:
        raise fault_error(schema, layout.PACKET_TOO_SMALL, needed=HEADER_BYTES, available=len(packet))
    if len(packet) > limits.max_packet_bytes:
        raise fault_error(schema, layout.PACKET_BYTES, limit=limits.max_packet_bytes, actual=len(packet))
    magic, version, found_flags, found_hash, tick, baseline, size = HEADER.unpack(packet[:HEADER_BYTES])
    if magic != MAGIC:
        raise fault_error(schema, layout.INVALID_MAGIC, expected=MAGIC_WORD, found=int.from_bytes(magic, "little"))
    if version != VERSION:
        raise fault_error(schema, layout.UNSUPPORTED_VERSION, expected=VERSION, found=version)
    if found_flags not in (FULL, DELTA):
        raise fault_error(schema, layout.INVALID_FLAGS, flags=found_flags)
    if (baseline == 0) != (found_flags == FULL):
        raise fault_error(schema, layout.INVALID_BASELINE_TICK, found=baseline, flags=found_flags)
    if size != len(packet) - HEADER_BYTES:
        raise fault_error(schema, layout.PAYLOAD_LENGTH, expected=size, found=len(packet) - HEADER_BYTES)
    return Header(found_flags, found_hash, tick, baseline, packet[HEADER_BYTES:])


def fault_error(schema: Schema, status: int, **numbers: int) -> Exception:
    """The decoder's error for a status, with its numbers."""
    fault = Fault()
    for name, value in numbers.items():
        setattr(fault, name, value)
    return decode_error(status, fault, schema)


# The head of a compact payload, field by field: everything readable without earlier snapshots.


class CompactParts(NamedTuple):
    """A payload split into all its parts."""

    form: int
    check: int | None
    head: Head
    structure_at: int
    """The offset of its sections; of the body if there are none."""
    body_at: int
    size: int
    check_is_of_prior: bool
    """Whether the check fits a payload coded from the library's prior."""

    @property
    def summary(self) -> str:
        """Describe the payload in a few words."""
        if self.head.plain:
            return "plain sections"
        body = f"{self.size - self.body_at} bytes of body, {len(self.head.ages)} history frames"
        return body + (f", {len(self.head.structure)} of structure" if self.head.structure else "")

    def to_json(self) -> dict[str, Any]:
        """The parts as plain values."""
        head = self.head
        return {
            "form": self.form,
            "check": self.check,
            "check_is_of_prior": self.check_is_of_prior,
            "ages": list(head.ages),
            "carried": head.carried,
            "cut": head.cut,
            "plain": head.plain,
            "structure_bytes": len(head.structure),
            "body_bytes": self.size - self.body_at,
        }

    def read_rows(self, reader: RowReader) -> None:
        """Add rows for everything, from the reader's position on."""
        reader.add(1, "form", f"0x{self.form:02x}", self._form_names())
        if self.check is not None:
            known = (
                "right: coded from the library's prior" if self.check_is_of_prior else "of statistics not known here"
            )
            reader.add(CHECK_BYTES, "check", f"0x{self.check:08x}", known)
        ages = self.head.ages
        if is_even(ages):
            reader.add(1, "ages", ", ".join(map(str, ages)), "ticks before the baseline; the first is sent")
        elif ages and ages != USUAL_AGES:
            reader.add(1, "history frames", str(len(ages)))
            reader.add(len(ages), "ages", ", ".join(map(str, ages)), "ticks before the baseline")
        if self.head.cut is not None:
            size = len(encode_varuint(self.head.cut))
            reader.add(size, "cut", str(self.head.cut), "first entity that stays as it is")
        structure = self.head.structure
        if structure:
            reader.add(len(encode_varuint(len(structure))), "structure bytes", str(len(structure)))
            reader.raw(len(structure), "structure", "destroys and creates, sections of version 2")
        reader.raw(
            self.size - self.body_at,
            "sections" if self.head.plain else "body",
            "of version 2" if self.head.plain else "entropy-coded: needs the snapshots before it",
        )

    def _form_names(self) -> str:
        head = self.head
        found = [self._history_name(), "carried statistics" if head.carried else "from the prior"]
        found += ["check"] * (self.check is not None) + ["structure"] * bool(head.structure)
        found += ["cut"] * (head.cut is not None) + ["plain"] * head.plain
        return ", ".join(found)

    def _history_name(self) -> str:
        ages = self.head.ages
        if not ages:
            return "no history"
        return "usual history" if ages == USUAL_AGES else "even history" if is_even(ages) else "listed history"


def compact_parts(payload: bytes, tick: int, base_tick: int) -> CompactParts:
    """Split the payload of a delta, or raise DecodeError."""
    bare, check = split_check(payload, False)
    head, at = read_head(bare)
    moved = len(payload) - len(bare)
    # The prior is the only start known without state; carried statistics start from it, too.
    is_of_prior = check == check_of(bare, generic_prior().digest, tick, base_tick)
    start = at + moved
    return CompactParts(payload[0], check, head, start - len(head.structure), start, len(payload), is_of_prior)
