"""What peers of three and more sign, and what they show each other when two signatures do not agree.

::

    18 RANGE    u8 match, signed range, u8 count; each: u8 peer id, u32 first frame, 8 bytes of the digest: the newest
                range of that peer that the sender has
    19 SIGNED   u8 match, u8 peer id, signed range, the inputs of the range or nothing

    signed range: u32 first frame, u16 frames, 32 bytes digest, 64 bytes signature
"""

import struct
from typing import NamedTuple

from retick.errors import InvalidValue
from retick.rollback.desync.equivocation import MOST_INPUT_BYTES, SignedRange, pack_range, unpack_range
from retick.rollback.session.messages.kinds import Kind, need
from retick.rollback.session.messages.roster import MAX_PEERS

__all__ = ["SHORT", "Range", "Seen", "Signed", "decode_range", "decode_signed", "encode_range", "encode_signed"]

SHORT = 8
"""Bytes of a digest that are enough to see that two differ."""

_SEEN = struct.Struct(f"<BI{SHORT}s")


class Seen(NamedTuple):
    """The newest range of a third peer that the sender of a RANGE has."""

    peer_id: int
    first: int
    digest: bytes
    """Its first 8 bytes."""


class Range(NamedTuple):
    """A peer's own range, and what it has of others."""

    match: int
    range: SignedRange
    seen: tuple[Seen, ...]


class Signed(NamedTuple):
    """A range of another peer, as it was signed."""

    match: int
    peer_id: int
    range: SignedRange
    inputs: bytes
    """What was signed; nothing where the sender has other inputs of that peer."""


def encode_range(message: Range) -> bytes:
    head = bytes((Kind.RANGE, message.match)) + pack_range(message.range)
    return head + bytes((len(message.seen),)) + b"".join(_SEEN.pack(*each) for each in message.seen)


def decode_range(data: bytes) -> Range:
    need(data, 2)
    found, at = unpack_range(data, 2)
    need(data, at + 1)
    count = data[at]
    at += 1
    if count > MAX_PEERS or len(data) != at + count * _SEEN.size:
        raise InvalidValue(f"a RANGE of {len(data)} bytes that names {count} others")
    seen = tuple(Seen(*_SEEN.unpack_from(data, at + number * _SEEN.size)) for number in range(count))
    if len({each.peer_id for each in seen}) != count:
        raise InvalidValue("a RANGE that names a peer twice")
    return Range(data[1], found, seen)


def encode_signed(message: Signed) -> bytes:
    return bytes((Kind.SIGNED, message.match, message.peer_id)) + pack_range(message.range) + message.inputs


def decode_signed(data: bytes) -> Signed:
    need(data, 3)
    found, at = unpack_range(data, 3)
    inputs = data[at:]
    if len(inputs) > MOST_INPUT_BYTES or len(inputs) % found.frames:
        raise InvalidValue(f"a SIGNED with {len(inputs)} bytes of inputs for {found.frames} frames")
    return Signed(data[1], data[2], found, inputs)
