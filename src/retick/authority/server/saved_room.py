"""A room as bytes, for a restarted server: the world, its tick, and who has which seat.

::

    0   4  magic "RTWR"
    4   1  version 1
    5   8  hash of the tables
    13  4  seed
    17  4  tick
    21  1  n, seats that are taken
    22     n times: u8 seat, u8 flags (1: a bot), 16 bytes of token, u8 length of the name, the name
           u32 length of the world's saved bytes, the bytes
           u32 CRC-32 of all before it
"""

import struct
from dataclasses import dataclass
from typing import Final, NamedTuple
from zlib import crc32

from retick.authority.frames import LAST_TICK
from retick.errors import (
    BadMagic,
    ChecksumMismatch,
    InvalidValue,
    SeedIsZero,
    TrailingData,
    Truncated,
    UnsupportedVersion,
)
from retick.host.joining import LONGEST_NAME, TOKEN_SIZE

MAGIC: Final = b"RTWR"
VERSION: Final = 1
_HEAD: Final = struct.Struct("<4sBQIIB")
_SEAT: Final = struct.Struct(f"<BB{TOKEN_SIZE}sB")
_SIZE: Final = struct.Struct("<I")
_BOT: Final = 1


class SavedSeat(NamedTuple):
    """A seat that was taken."""

    seat: int
    token: bytes
    name: str
    is_bot: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedRoom:
    """A room between two ticks."""

    schema: int
    """The hash of the tables of its world."""
    seed: int
    tick: int
    """The tick that was run last."""
    seats: tuple[SavedSeat, ...]
    """The taken seats in ascending order."""
    world: bytes
    """The bytes of ``world.save``."""


def encode_room(room: SavedRoom) -> bytes:
    """Encode a room."""
    out = bytearray(_HEAD.pack(MAGIC, VERSION, room.schema, room.seed, room.tick, len(room.seats)))
    for seat, token, name, is_bot in room.seats:
        packed = name.encode()
        out += _SEAT.pack(seat, _BOT if is_bot else 0, token, len(packed)) + packed
    out += _SIZE.pack(len(room.world)) + room.world
    return bytes(out) + _SIZE.pack(crc32(out))


def decode_room(data: bytes) -> SavedRoom:
    """Decode a room, or raise DecodeError. The world's own bytes are not checked."""
    _need(data, _HEAD.size + 2 * _SIZE.size)
    magic, version, schema, seed, tick, count = _HEAD.unpack_from(data)
    if magic != MAGIC:
        raise BadMagic(f"not a saved room: it starts with {magic!r}")
    if version != VERSION:
        raise UnsupportedVersion(f"a saved room of version {version}, where this reads {VERSION}", version=version)
    [expected] = _SIZE.unpack_from(data, len(data) - _SIZE.size)
    found = crc32(memoryview(data)[: -_SIZE.size])
    if found != expected:
        raise ChecksumMismatch(
            f"CRC of the saved room is 0x{found:08X}, and it says 0x{expected:08X}", expected=expected, found=found
        )
    if seed == 0:
        raise SeedIsZero("the seed of a saved room is 0")
    if tick > LAST_TICK:
        raise InvalidValue(f"tick {tick} of a saved room is above {LAST_TICK}")
    seats: list[SavedSeat] = []
    at = _HEAD.size
    for _ in range(count):
        made, at = _seat(data, at)
        if seats and made.seat <= seats[-1].seat:
            raise InvalidValue(f"seat {made.seat} of a saved room is out of order")
        seats.append(made)
    _need(data, at + 2 * _SIZE.size)
    end = at + _SIZE.size + _SIZE.unpack_from(data, at)[0]
    _need(data, end + _SIZE.size)
    if len(data) > end + _SIZE.size:
        raise TrailingData("bytes follow a saved room", extra=len(data) - end - _SIZE.size)
    world = bytes(data[at + _SIZE.size : end])
    return SavedRoom(schema=schema, seed=seed, tick=tick, seats=tuple(seats), world=world)


def _seat(data: bytes, at: int) -> tuple[SavedSeat, int]:
    _need(data, at + _SEAT.size)
    seat, flags, token, length = _SEAT.unpack_from(data, at)
    at += _SEAT.size
    _need(data, at + length)
    if flags & ~_BOT or length > LONGEST_NAME or seat == 255:
        raise InvalidValue(f"no saved room has seat {seat} with flags {flags} and a name of {length} bytes")
    try:
        name = bytes(data[at : at + length]).decode()
    except UnicodeDecodeError:
        raise InvalidValue("a name in a saved room is not UTF-8") from None
    if not name.isprintable():
        raise InvalidValue("a name in a saved room is not printable")
    return SavedSeat(seat, token, name, bool(flags)), at + length


def _need(data: bytes, size: int) -> None:
    if len(data) < size:
        raise Truncated(f"a saved room ends after {len(data)} bytes", needed=size, available=len(data))
