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
from retick.rollback.session.messages.kinds import MessageKind, need
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
    if len(data) != _INPUTS.size:
        raise InvalidValue(f"a WANT has {_INPUTS.size} bytes, not {len(data)}")
    return WantedInputs(*_INPUTS.unpack(data)[1:])


def encode_pass(passed: PassedInputs, input_size: int) -> bytes:
    head = _INPUTS.pack(PASS, passed.match, passed.player, passed.frame)
    return head + b"".join(value.to_bytes(input_size, "little") for value in passed.inputs)


def decode_pass(data: bytes, input_size: int) -> PassedInputs:
    need(data, _INPUTS.size)
    count, rest = divmod(len(data) - _INPUTS.size, input_size)
    if rest or not 1 <= count <= MOST_PASSED:
        raise InvalidValue(f"a PASS of {len(data)} bytes, where an input has {input_size}")
    cells = range(_INPUTS.size, len(data), input_size)
    inputs = tuple(int.from_bytes(data[cell : cell + input_size], "little") for cell in cells)
    _, match, player, frame = _INPUTS.unpack_from(data)
    return PassedInputs(match, player, frame, inputs)


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
    need(data, 2)
    found, at = unpack_range(data, 2)
    need(data, at + 1)
    count = data[at]
    at += 1
    if count > MAX_PEERS or len(data) != at + count * _SEEN.size:
        raise InvalidValue(f"a RANGE of {len(data)} bytes that names {count} others")
    seen = tuple(SeenRanges(*_SEEN.unpack_from(data, at + number * _SEEN.size)) for number in range(count))
    if len({each.peer_id for each in seen}) != count:
        raise InvalidValue("a RANGE that names a peer twice")
    return InputRange(data[1], found, seen)


def encode_signed(message: Signed) -> bytes:
    return bytes((MessageKind.SIGNED, message.match, message.peer_id)) + pack_range(message.range) + message.inputs


def decode_signed(data: bytes) -> Signed:
    need(data, 3)
    found, at = unpack_range(data, 3)
    inputs = data[at:]
    if len(inputs) > MOST_INPUT_BYTES or len(inputs) % found.frames:
        raise InvalidValue(f"a SIGNED with {len(inputs)} bytes of inputs for {found.frames} frames")
    return Signed(data[1], data[2], found, inputs)
