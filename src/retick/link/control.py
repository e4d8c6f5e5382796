"""CONTROL: acknowledgement, report, keepalive and fragments in one datagram. Byte table: docs/formats/link.md.

::

     0  8  envelope       kind C0, connection id, sequence, ack
     8  2  hold           1/16 ms, 65535 for none
    10  2  acked sequence
    12  4  received
    16  2  next fragment
    18  8  fragments that arrived after it, bit by bit
    26     fragments      number 2, length and marks 2, data
"""

import struct
from typing import NamedTuple

from retick.errors import InvalidValue
from retick.link.handshake import MAX_TEXT, cut_text, shown_text

__all__ = [
    "BYE",
    "BYE_ACK",
    "CONTROL",
    "CONTROL_SIZE",
    "ENVELOPE",
    "ENVELOPE_SIZE",
    "FIRST",
    "FRAGMENT",
    "HOLD_NONE",
    "LAST",
    "PAYLOAD",
    "PROOF",
    "PROVE",
    "Fragment",
    "Report",
    "decode_bye",
    "decode_fragments",
    "decode_report",
    "encode_bye",
    "encode_report",
]

PAYLOAD, CONTROL, BYE, BYE_ACK, PROVE, PROOF = 0x80, 0xC0, 0xC1, 0xC2, 0xC3, 0xC4
ENVELOPE = struct.Struct("<BIHB")
ENVELOPE_SIZE = 8
CONTROL_SIZE = 26
HOLD_NONE = 0xFFFF
HOLD_UNIT = 1 / 16000
"""Seconds."""
FRAGMENT = struct.Struct("<HH")
FIRST, LAST = 0x8000, 0x4000
_LENGTH = 0x07FF
_UNUSED = 0x3800

_REPORT = struct.Struct("<BIHBHHIHQ")
_REPORT_BODY = struct.Struct("<HHIHQ")


class Report(NamedTuple):
    """The fixed part of CONTROL after its envelope."""

    hold: int
    """1/16 ms, HOLD_NONE for none."""
    acked: int
    received: int
    next_fragment: int
    fragments: int


class Fragment(NamedTuple):
    """A piece of a reliable message."""

    number: int
    marks: int
    """FIRST, LAST, both or neither."""
    data: bytes


def encode_report(
    connection_id: int, sequence: int, hold: int, acked: int, received: int, next_fragment: int, fragments: int
) -> bytes:
    return _REPORT.pack(
        CONTROL, connection_id, sequence, acked & 0xFF, hold, acked, received & 0xFFFFFFFF, next_fragment, fragments
    )


def decode_report(data: bytes) -> Report:
    if len(data) < CONTROL_SIZE:
        raise InvalidValue("CONTROL is cut short")
    return Report._make(_REPORT_BODY.unpack_from(data, ENVELOPE_SIZE))


def decode_fragments(data: bytes) -> list[Fragment]:
    """All fragments of a CONTROL, or InvalidValue: none is taken when one is wrong."""
    found = []
    at, end = CONTROL_SIZE, len(data)
    while at < end:
        if at + 4 > end:
            raise InvalidValue("a fragment's head is cut short")
        number, marked = FRAGMENT.unpack_from(data, at)
        stop = at + 4 + (marked & _LENGTH)
        if stop > end or marked & _UNUSED:
            raise InvalidValue("a fragment is cut short, or has marks that are not known")
        found.append(Fragment(number, marked & (FIRST | LAST), bytes(data[at + 4 : stop])))
        at = stop
    return found


def encode_bye(connection_id: int, sequence: int, acked: int, reason: int, text: str) -> bytes:
    words = cut_text(text)
    return ENVELOPE.pack(BYE, connection_id, sequence, acked & 0xFF) + bytes((reason, len(words))) + words


def decode_bye(data: bytes) -> tuple[int, str]:
    """Reason and text."""
    if len(data) < 10 or data[9] > MAX_TEXT or len(data) != 10 + data[9]:
        raise InvalidValue("BYE with a wrong length")
    return data[8], shown_text(data[10:])
