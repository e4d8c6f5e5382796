"""What stands before the body of a compact payload.

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
from typing import NamedTuple

from retick.errors import ChecksumMismatch, InvalidValue, Truncated, with_code
from retick.snapshot.compact.numbers import FRAMES, OLDEST
from retick.wire.varint import decode_varuint, encode_varuint

__all__ = [
    "CARRIED",
    "CHECK",
    "CHECK_BYTES",
    "EVEN",
    "HISTORY",
    "SHORT_HEADS",
    "USUAL",
    "USUAL_AGES",
    "Head",
    "check_of",
    "compare_checks",
    "is_even",
    "pick_history",
    "read_head",
    "split_check",
    "with_check",
]

USUAL_AGES = (1, 3, 8)
"""How many ticks before the baseline the history frames should be."""
CHECK_BYTES = 4
USUAL, LISTED, EVEN = 1, 2, 3
"""Which history a form says, in its lowest two bits."""
_TICKS = struct.Struct("<II")
HISTORY, CARRIED, CHECK = 3, 4, 8
"""Bits of the form that other modules ask for."""
_STRUCTURE, _CUT, _PLAIN = 16, 32, 64


def pick_history(base_tick: int, held: Sequence[int]) -> list[int]:
    """Of the ticks that a receiver holds, those nearest to the usual ages; the newest first."""
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
    """Whether these are three ages with the same distance, as of snapshots that are sent every few ticks."""
    return len(ages) == FRAMES and ages[1:] == (2 * ages[0], 3 * ages[0])


class Head(NamedTuple):
    """Everything before the body but the check."""

    ages: tuple[int, ...] = ()
    """Ticks from each history frame to the baseline, ascending."""
    carried: bool = False
    """Whether the statistics are those of the baseline, and not the prior."""
    cut: int | None = None
    """Index of the first entity that is left as it is."""
    structure: bytes = b""
    plain: bool = False
    """Whether sections of version 2 follow in place of a body."""

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
"""The heads that most packets have, of one or two bytes, by their ages and whether statistics are carried."""


def check_of(payload: bytes, lineage: int, tick: int, base_tick: int) -> int:
    """The check of a payload without one: CRC-32 that goes on from the statistics' lineage and both ticks."""
    return zlib.crc32(_TICKS.pack(tick, base_tick) + payload, lineage)


def with_check(payload: bytes, check: int) -> bytes:
    return bytes((payload[0] | CHECK,)) + check.to_bytes(CHECK_BYTES, "little") + payload[1:]


def split_check(data: bytes, wanted: bool) -> tuple[bytes, int | None]:
    """The payload without its check, and the check; a check must be there if it is wanted."""
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
    """The head of a payload without check, and where the body starts."""
    form = payload[0]
    at = 1
    history = form & HISTORY
    if form & 0x80 or form & CHECK:
        raise _invalid(f"{form:#04x} is no form of a compact payload")
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
