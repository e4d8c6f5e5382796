"""Datagrams of an established connection: CONTROL, BYE, PROVE, PROOF and CLAIM. Byte tables: docs/formats/link.md.

CONTROL is acknowledgement, report, keepalive and fragments of reliable messages in one datagram::

     0  8  envelope        kind, connection id, sequence, acknowledgement
     8  2  ack delay       1/16 ms, 65535 for none
    10  2  acked sequence
    12  4  received
    16  2  next fragment
    18  8  fragments that arrived after it, bit by bit
    26     fragments       number 2, length and marks 2, data

BYE is the envelope, reason 1, text length 1, text. PROVE and PROOF are kind 1, connection id 4, challenge or proof 8.
CLAIM is kind 1, connection id 4, number 4, proof 8.
PAYLOAD is the envelope and the payload; the module ``connection`` writes and reads it.
"""

import struct
from typing import NamedTuple

from retick.errors import InvalidValue
from retick.link import layout
from retick.link.reasons import cut_text, printable_text

ENVELOPE = struct.Struct("<BIHB")
FRAGMENT = struct.Struct("<HH")
_REPORT = struct.Struct("<BIHBHHIHQ")
_REPORT_BODY = struct.Struct("<HHIHQ")
_PROVE = struct.Struct("<BI8s")
_CLAIM = struct.Struct("<BII")


class Report(NamedTuple):
    """The fixed part of CONTROL, after its envelope."""

    ack_delay: int
    """Time from the arrival of ``acked`` to this report, in 1/16 ms; CONTROL_DELAY_NONE if nothing arrived."""
    acked: int
    """The newest sequence received."""
    received: int
    """How many datagrams were received."""
    next_fragment: int
    """All fragments before this one have arrived."""
    fragments: int
    """Bit i is set if fragment next_fragment + 1 + i has arrived."""


class Fragment(NamedTuple):
    """A piece of a reliable message."""

    number: int
    marks: int
    """FRAGMENT_FIRST, FRAGMENT_LAST, both or neither."""
    data: bytes


def encode_report(connection_id: int, sequence: int, report: Report) -> bytes:
    """CONTROL without fragments; encoded fragments may be appended."""
    ack_delay, acked, received, next_fragment, fragments = report
    return _REPORT.pack(
        layout.CONTROL,
        connection_id,
        sequence,
        acked & 0xFF,
        ack_delay,
        acked,
        received & 0xFFFFFFFF,
        next_fragment,
        fragments,
    )


def decode_report(data: bytes) -> Report:
    if len(data) < layout.CONTROL_SIZE:
        raise InvalidValue("CONTROL is cut short")
    return Report._make(_REPORT_BODY.unpack_from(data, layout.ENVELOPE_SIZE))


def encode_fragment(fragment: Fragment) -> bytes:
    return FRAGMENT.pack(fragment.number, fragment.marks | len(fragment.data)) + fragment.data


def decode_fragments(data: bytes) -> list[Fragment]:
    """Read all fragments of a CONTROL; raises InvalidValue if any is wrong."""
    found = []
    at, end = layout.CONTROL_SIZE, len(data)
    while at < end:
        start = at + layout.FRAGMENT_HEAD_SIZE
        if start > end:
            raise InvalidValue("a fragment's head is cut short")
        number, marked = FRAGMENT.unpack_from(data, at)
        marks, length = marked & ~layout.FRAGMENT_LENGTH_MASK, marked & layout.FRAGMENT_LENGTH_MASK
        at = start + length
        if at > end or marks & ~(layout.FRAGMENT_FIRST | layout.FRAGMENT_LAST):
            raise InvalidValue("a fragment is cut short, or has marks that are not known")
        found.append(Fragment(number, marks, bytes(data[start:at])))
    return found


def encode_bye(connection_id: int, sequence: int, acked: int, reason: int, text: str) -> bytes:
    words = cut_text(text)
    return ENVELOPE.pack(layout.BYE, connection_id, sequence, acked & 0xFF) + bytes((reason, len(words))) + words


def decode_bye(data: bytes) -> tuple[int, str]:
    """Read the reason and text of a BYE."""
    if len(data) < layout.BYE_SIZE:
        raise InvalidValue("BYE is cut short")
    reason, length = data[layout.ENVELOPE_SIZE : layout.BYE_SIZE]
    if length > layout.MAX_TEXT or len(data) != layout.BYE_SIZE + length:
        raise InvalidValue("BYE with a wrong length")
    return reason, printable_text(data[layout.BYE_SIZE :])


def encode_bye_ack(connection_id: int, sequence: int, acked: int) -> bytes:
    return ENVELOPE.pack(layout.BYE_ACK, connection_id, sequence, acked & 0xFF)


def decode_bye_ack(data: bytes) -> None:
    if len(data) != layout.ENVELOPE_SIZE:
        raise InvalidValue(f"BYE ACK has {layout.ENVELOPE_SIZE} bytes")


def encode_prove(kind: int, connection_id: int, value: bytes) -> bytes:
    """Encode PROVE with its challenge, or PROOF with its proof."""
    return _PROVE.pack(kind, connection_id, value)


def decode_prove(data: bytes) -> tuple[int, bytes]:
    """Read the connection id, and the challenge of PROVE or the proof of PROOF."""
    if len(data) != layout.PROVE_SIZE:
        raise InvalidValue(f"PROVE and PROOF have {layout.PROVE_SIZE} bytes")
    _, connection_id, value = _PROVE.unpack(data)
    return connection_id, value


def encode_claim(connection_id: int, number: int) -> bytes:
    """Encode CLAIM without its proof, which is made over these bytes and follows them."""
    return _CLAIM.pack(layout.CLAIM, connection_id, number)


def decode_claim(data: bytes) -> tuple[int, int, bytes, bytes]:
    """Read the connection id, number, bytes covered by the proof, and proof of a CLAIM."""
    if len(data) != layout.CLAIM_SIZE:
        raise InvalidValue(f"CLAIM has {layout.CLAIM_SIZE} bytes")
    _, connection_id, number = _CLAIM.unpack_from(data)
    return connection_id, number, data[: _CLAIM.size], data[_CLAIM.size :]
