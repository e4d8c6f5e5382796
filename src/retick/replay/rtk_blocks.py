"""The bytes of an RTK file: its prefix, its blocks with compression and CRC, and the fixed layouts inside them.

::

    prefix  0   4  magic "RTK\\n"
            4   1  version 1
            5   3  reserved, zeros
    block   0   1  type
            1   1  encoding: 0 as it is, 1 zlib
            2   2  reserved, zeros
            4   4  stored size
            8   4  body size
            12  4  CRC-32 of the 12 bytes above and the stored body
            16     stored body

docs/formats/rtk.md has the tables of all block bodies and numbers the checks. Checks that fail because a file was cut
off or damaged raise :class:`Unproven`; all others mean that the file was written wrong. The content of bodies is read
in ``rtk`` and written in ``recorder``.
"""

import struct
import zlib
from enum import IntEnum
from typing import Final, NamedTuple

from retick.errors import (
    BadMagic,
    ChecksumMismatch,
    DecodeError,
    EncodeError,
    InvalidValue,
    LimitExceeded,
    ReservedNotZero,
    Truncated,
    UnsupportedVersion,
)
from retick.replay.limits import Budget
from retick.sim.checksum import crc32

MAGIC: Final = b"RTK\n"
VERSION: Final = 1
PREFIX: Final = MAGIC + bytes((VERSION, 0, 0, 0))
MAX_BODY: Final = 16 * 1024 * 1024
FIRST_OPTIONAL_TYPE: Final = 128
LEAST_TO_COMPRESS: Final = 64
"""Bodies of fewer bytes are never compressed."""
PLAIN, ZLIB = 0, 1
"""The encodings of a body."""

HEADER: Final = struct.Struct("<BBHIII")
COVERED: Final = struct.Struct("<BBHII")
"""The part of the header that the CRC covers."""

HEAD: Final = struct.Struct("<BBHIIIBB")
"""Players, input size, local seats, seed, start frame, game version, flags, size of the game id that follows."""
HAS_STATE: Final = 1
WAS_HOSTED: Final = 2
"""The last flag of HEAD."""

INPUTS: Final = struct.Struct("<II")
"""First frame, count; packed inputs follow."""

CHECK: Final = struct.Struct("<II")
"""Frame, checksum."""

ARRIVAL: Final = struct.Struct("<IIHBB")
"""Local frame, first frame, count, player, 0."""

RESYNC: Final = struct.Struct("<I")
"""Frame; the state follows."""

SEAT: Final = struct.Struct("<IBBH")
"""Frame, player, whether it joins, 0."""

VIEW: Final = struct.Struct("<IBBH")
"""Frame, player, 0, frames behind."""

META_KEY: Final = struct.Struct("<B")
META_VALUE: Final = struct.Struct("<H")

END: Final = struct.Struct("<IIIB3sI")
"""Frames, checks, arrivals, whether there is a checksum, zeros, checksum."""


class BlockType(IntEnum):
    """The blocks that version 1 knows; types from ``FIRST_OPTIONAL_TYPE`` on may be skipped."""

    HEAD = 1
    STATE = 2
    INPUTS = 3
    CHECKS = 4
    ARRIVALS = 5
    META = 6
    END = 7
    RESYNC = 8
    SEATS = 9
    VIEWS = 10


class Block(NamedTuple):
    """A block whose CRC is correct."""

    type: int
    encoding: int
    reserved: int
    body_size: int
    stored: memoryview
    end: int
    """The offset of the byte after the block."""


class Unproven(Exception):
    """The bytes from here on are cut off or damaged; ``error`` says how."""

    def __init__(self, error: DecodeError) -> None:
        super().__init__(str(error))
        self.error = error


def encode_block(block_type: BlockType, body: bytes) -> bytes:
    """Encode a block, compressed if that is shorter."""
    if len(body) > MAX_BODY:
        raise EncodeError(f"an RTK {block_type.name} block holds up to {MAX_BODY} bytes, not {len(body)}")
    compressed = zlib.compress(body) if len(body) >= LEAST_TO_COMPRESS else body
    encoding, stored = (ZLIB, compressed) if len(compressed) < len(body) else (PLAIN, body)
    covered = COVERED.pack(block_type, encoding, 0, len(stored), len(body))
    return covered + crc32(stored, crc32(covered)).to_bytes(4, "little") + stored


def check_prefix(view: memoryview) -> int:
    """Check the prefix; returns the offset of the first block."""
    if len(view) < len(PREFIX):
        raise Truncated(
            f"RTK starts with {len(PREFIX)} bytes, not {len(view)}", needed=len(PREFIX), available=len(view)
        )
    if bytes(view[:4]) != MAGIC:
        raise BadMagic(f"not RTK: it starts with {bytes(view[:4])!r}")
    if view[4] != VERSION:
        raise UnsupportedVersion(f"RTK version {view[4]}, where this reads version {VERSION}", version=view[4])
    if any(view[5:8]):
        raise ReservedNotZero(f"the reserved bytes of the RTK prefix are {view[5:8].hex(' ')}, not zeros")
    return len(PREFIX)


def next_block(view: memoryview, at: int) -> Block:
    """Read the block at offset ``at``, or raise :class:`Unproven`."""
    available = len(view) - at
    if available < HEADER.size:
        raise Unproven(
            Truncated(
                f"RTK ends at byte {len(view)}, within a block's header or without an END block",
                needed=HEADER.size,
                available=available,
            )
        )
    block_type, encoding, reserved, stored_size, body_size, expected = HEADER.unpack_from(view, at)
    if stored_size > MAX_BODY:
        raise Unproven(_too_large("stored size", at, MAX_BODY, stored_size))
    if available - HEADER.size < stored_size:
        raise Unproven(
            Truncated(
                f"RTK ends at byte {len(view)}, within the block at byte {at}",
                needed=HEADER.size + stored_size,
                available=available,
            )
        )
    start = at + HEADER.size
    stored = view[start : start + stored_size]
    found = zlib.crc32(stored, zlib.crc32(view[at : at + COVERED.size]))
    if found != expected:
        raise Unproven(
            ChecksumMismatch(
                f"CRC of the RTK block at byte {at} is 0x{found:08X}, and the block says 0x{expected:08X}",
                expected=expected,
                found=found,
            )
        )
    return Block(block_type, encoding, reserved, body_size, stored, start + stored_size)


def decode_body(block: Block, at: int, budget: Budget) -> bytes:
    """The body of a block with a correct CRC; its announced size is spent before anything is expanded."""
    if block.reserved:
        raise ReservedNotZero(f"the reserved bytes of the RTK block at byte {at} are not zeros")
    if block.body_size > MAX_BODY:
        raise _too_large("body size", at, MAX_BODY, block.body_size)
    budget.spend("bytes", block.body_size, f"content of the RTK block at byte {at}")
    if block.encoding == PLAIN:
        if len(block.stored) != block.body_size:
            raise InvalidValue(f"the plain RTK block at byte {at} has two different sizes")
        return bytes(block.stored)
    if block.encoding != ZLIB:
        raise InvalidValue(f"encoding {block.encoding} of the RTK block at byte {at} is unknown")
    return _inflate(block, at)


def _inflate(block: Block, at: int) -> bytes:
    """Decompress at most one byte more than announced, so that a small file cannot become a large one."""
    inflater = zlib.decompressobj()
    try:
        body = inflater.decompress(block.stored, block.body_size + 1)
    except zlib.error as error:
        raise InvalidValue(f"the RTK block at byte {at} is not a zlib stream: {error}") from None
    if len(body) != block.body_size or not inflater.eof or inflater.unused_data:
        raise InvalidValue(f"the zlib stream of the RTK block at byte {at} is not the {block.body_size} bytes it says")
    return body


def _too_large(what: str, at: int, limit: int, actual: int) -> LimitExceeded:
    return LimitExceeded(
        f"{what} of the RTK block at byte {at} is {actual} bytes, over the limit of {limit}",
        what=what,
        limit=limit,
        actual=actual,
    )
