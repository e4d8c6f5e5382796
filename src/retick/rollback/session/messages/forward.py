"""Inputs that a peer passes on for two others that do not hear each other, and the signed ranges of inputs.

::

    unreliable payloads, beside RBN1:
    F0 WANT      u8 match, u8 player, u32 first missing frame
    F1 PASS      u8 match, u8 player, u32 first frame, then 1 to 32 inputs
"""

import struct
from typing import NamedTuple

from retick.errors import InvalidValue
from retick.rollback.desync.equivocation import MOST_INPUT_BYTES, SignedRange, pack_range, unpack_range
from retick.rollback.session.messages.kinds import (
    MessageKind,
    MessageReader,
    fields_of,
    inputs_from_bytes,
    inputs_to_bytes,
)
from retick.rollback.session.messages.roster import MAX_PEERS

WANT, PASS = 0xF0, 0xF1
"""The first bytes of these payloads; RBN1 begins with another one."""
MOST_PASSED = 32
"""The most frames of inputs in one PASS."""

_INPUTS = struct.Struct("<BBBI")


class WantedInputs(NamedTuple):
    """The inputs that the sender misses: those of a player from a frame on."""

    match: int
    player: int
    frame: int


class PassedInputs(NamedTuple):
    """Inputs of a player, as the sender has them."""

    match: int
    player: int
    frame: int
    """The frame of the first input."""
    inputs: tuple[int, ...]


def encode_want(want: WantedInputs) -> bytes:
    return _INPUTS.pack(WANT, *want)


def decode_want(data: bytes) -> WantedInputs:
    return WantedInputs(*fields_of(_INPUTS, data)[1:])


def encode_pass(passed: PassedInputs, input_size: int) -> bytes:
    return _INPUTS.pack(PASS, *passed[:-1]) + inputs_to_bytes(passed.inputs, input_size)


def decode_pass(data: bytes, input_size: int) -> PassedInputs:
    reader = MessageReader(data)
    _, match, player, frame = reader.unpack(_INPUTS)
    inputs = reader.rest()
    count, rest = divmod(len(inputs), input_size)
    if rest or not 1 <= count <= MOST_PASSED:
        raise InvalidValue(f"a PASS of {len(data)} bytes, where an input has {input_size}")
    return PassedInputs(match, player, frame, inputs_from_bytes(inputs, input_size))


# What peers of a match of three and more sign, and show each other when two signatures do not agree.
#
# ::
#
#     18 RANGE    u8 match, signed range, u8 count; each: u8 peer id, u32 first frame, 8 bytes of the digest: the newest
#                 range of that peer that the sender has
#     19 SIGNED   u8 match, u8 peer id, signed range, the inputs of the range or nothing
#
#     signed range: u32 first frame, u16 frames, 32 bytes digest, 64 bytes signature

SHORT = 8
"""The bytes of a digest that are enough to see a difference."""

_SEEN = struct.Struct(f"<BI{SHORT}s")
_SIGNED = struct.Struct("<BBB")


class SeenRanges(NamedTuple):
    """The newest range of a third peer that the sender of a RANGE has."""

    peer_id: int
    first: int
    digest: bytes
    """The first 8 bytes of its digest."""


class InputRange(NamedTuple):
    """A peer's own range, and the ranges that it has of others."""

    match: int
    range: SignedRange
    seen: tuple[SeenRanges, ...]


class Signed(NamedTuple):
    """A range of another peer, as that peer signed it."""

    match: int
    peer_id: int
    range: SignedRange
    inputs: bytes
    """The signed inputs; empty if the sender has other inputs of that peer."""


def encode_range(message: InputRange) -> bytes:
    head = bytes((MessageKind.RANGE, message.match)) + pack_range(message.range)
    return head + bytes((len(message.seen),)) + b"".join(_SEEN.pack(*each) for each in message.seen)


def decode_range(data: bytes) -> InputRange:
    reader = MessageReader(data, 1)
    match = reader.byte()
    found, reader.at = unpack_range(data, reader.at)
    count = reader.byte()
    if count > MAX_PEERS:
        raise InvalidValue(f"a RANGE that names {count} others")
    seen = tuple(SeenRanges(*reader.unpack(_SEEN)) for _ in range(count))
    reader.end()
    if len({each.peer_id for each in seen}) != count:
        raise InvalidValue("a RANGE that names a peer twice")
    return InputRange(match, found, seen)


def encode_signed(message: Signed) -> bytes:
    head = _SIGNED.pack(MessageKind.SIGNED, message.match, message.peer_id)
    return head + pack_range(message.range) + message.inputs


def decode_signed(data: bytes) -> Signed:
    _, match, peer_id = MessageReader(data).unpack(_SIGNED)
    found, at = unpack_range(data, _SIGNED.size)
    inputs = data[at:]
    if len(inputs) > MOST_INPUT_BYTES or len(inputs) % found.frames:
        raise InvalidValue(f"a SIGNED with {len(inputs)} bytes of inputs for {found.frames} frames")
    return Signed(match, peer_id, found, inputs)
