"""What a peer passes on for two others that do not hear each other.

::

    12 FORWARD   u8 origin's peer id, then its message: a DROP, REMATCH, RESYNCED or PAUSE, with its kind

    unreliable payloads, beside RBN1:
    F0 WANT      u8 match, u8 player, u32 first missing frame
    F1 PASS      u8 match, u8 player, u32 first frame, then 1 to 32 inputs
"""

import struct
from typing import NamedTuple

from retick.errors import InvalidValue
from retick.rollback.session.messages.kinds import Kind, need

__all__ = [
    "MOST_PASSED",
    "PASS",
    "WANT",
    "Pass",
    "Want",
    "decode_forward",
    "decode_pass",
    "decode_want",
    "encode_forward",
    "encode_pass",
    "encode_want",
]

WANT, PASS = 0xF0, 0xF1
"""The first byte of the payloads; RBN1 begins with another one."""
MOST_PASSED = 32
"""Frames of inputs in one PASS."""
FORWARDED = frozenset({Kind.DROP, Kind.REMATCH, Kind.RESYNCED, Kind.PAUSE})
"""The messages that each peer sends to all, and that may be received twice."""

_FORWARD = struct.Struct("<BB")
_INPUTS = struct.Struct("<BBBI")


class Want(NamedTuple):
    """Its sender misses the inputs of a player from a frame on."""

    match: int
    player: int
    frame: int


class Pass(NamedTuple):
    """Inputs of a player, as its sender has them."""

    match: int
    player: int
    frame: int
    """Of the first input."""
    inputs: tuple[int, ...]


def encode_forward(origin: int, message: bytes) -> bytes:
    return _FORWARD.pack(Kind.FORWARD, origin) + message


def decode_forward(data: bytes) -> tuple[int, bytes]:
    """The origin, and its message."""
    need(data, _FORWARD.size + 1)
    if data[_FORWARD.size] not in FORWARDED:
        raise InvalidValue(f"a FORWARD of a message of kind {data[_FORWARD.size]}")
    return data[1], data[_FORWARD.size :]


def encode_want(want: Want) -> bytes:
    return _INPUTS.pack(WANT, *want)


def decode_want(data: bytes) -> Want:
    if len(data) != _INPUTS.size:
        raise InvalidValue(f"a WANT has {_INPUTS.size} bytes, not {len(data)}")
    return Want(*_INPUTS.unpack(data)[1:])


def encode_pass(passed: Pass, input_size: int) -> bytes:
    head = _INPUTS.pack(PASS, passed.match, passed.player, passed.frame)
    return head + b"".join(value.to_bytes(input_size, "little") for value in passed.inputs)


def decode_pass(data: bytes, input_size: int) -> Pass:
    need(data, _INPUTS.size)
    count, rest = divmod(len(data) - _INPUTS.size, input_size)
    if rest or not 1 <= count <= MOST_PASSED:
        raise InvalidValue(f"a PASS of {len(data)} bytes, where an input has {input_size}")
    cells = range(_INPUTS.size, len(data), input_size)
    inputs = tuple(int.from_bytes(data[cell : cell + input_size], "little") for cell in cells)
    _, match, player, frame = _INPUTS.unpack_from(data)
    return Pass(match, player, frame, inputs)
