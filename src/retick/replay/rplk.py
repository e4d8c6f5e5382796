"""RPLK v1, the replay of two players of 16 buttons; the checks below are in the order of docs/formats/rplk.md.

::

    0   4  magic "RPLK"
    4   1  version 1
    5   1  flags 0
    6   2  header size 32
    8   4  seed
    12  4  start frame 0
    16  4  frame count
    20  4  CRC-32 of the payload
    24  8  reserved, zeros
    32     payload: frame count times two inputs of 2 bytes
"""

import struct
from typing import Final

from retick.errors import (
    BadHeaderSize,
    BadMagic,
    ChecksumMismatch,
    EncodeError,
    ReservedNotZero,
    SeedIsZero,
    StartFrameNotZero,
    TrailingData,
    Truncated,
    UnknownFlags,
    UnsupportedVersion,
    UsageError,
)
from retick.replay.limits import Budget, ReadLimits, budget_for
from retick.replay.replay import Replay
from retick.sim.checksum import crc32

MAGIC: Final = b"RPLK"
VERSION: Final = 1
HEADER: Final = struct.Struct("<4sBBHIIII8s")
FRAME_SIZE: Final = 4
RESERVED: Final = bytes(8)


def misfit(replay: Replay) -> str | None:
    """Say why RPLK cannot hold this match; None if it can."""
    if replay.num_players != 2:
        return f"RPLK holds two players, not {replay.num_players}"
    if replay.input_size != 2:
        return f"RPLK holds inputs of 2 bytes, not {replay.input_size}"
    if replay.start_state is not None:
        return "RPLK holds no start state"
    if replay.resyncs:
        return "RPLK holds no states to go on from"
    if replay.hosting is not None:
        return "RPLK holds no match that a server ran"
    return None


def extras(replay: Replay) -> list[str]:
    """Names of the fields that RPLK would lose, because it has no place for them."""
    candidates = ("game_id", "game_version", "local_players", "checkpoints", "arrivals", "metadata", "truncated")
    return [name for name in candidates if getattr(replay, name)]


def dumps(replay: Replay) -> bytes:
    """Write a match as RPLK, without the ``extras``; raises EncodeError if RPLK cannot hold it."""
    problem = misfit(replay)
    if problem:
        raise EncodeError(f"{problem}: write RTK")
    if replay.start_frame != 0:
        raise UsageError(f"RPLK starts at frame 0, not {replay.start_frame}: write RTK with a start state")
    payload = replay.frames
    count = len(payload) // FRAME_SIZE
    header = HEADER.pack(MAGIC, VERSION, 0, HEADER.size, replay.seed, 0, count, crc32(payload), RESERVED)
    return header + payload


def loads(data: bytes | memoryview, *, limits: ReadLimits | Budget | None = None) -> Replay:
    """Read a match, or raise DecodeError."""
    view = memoryview(data)
    budget = budget_for(limits, len(view))
    if len(view) < HEADER.size:
        raise Truncated(
            f"an RPLK header takes {HEADER.size} bytes, not {len(view)}", needed=HEADER.size, available=len(view)
        )
    magic, version, flags, size, seed, start, count, expected, reserved = HEADER.unpack_from(view)
    if magic != MAGIC:
        raise BadMagic(f"not RPLK: it starts with {magic!r}")
    if version != VERSION:
        raise UnsupportedVersion(f"RPLK version {version}, where this reads version {VERSION}", version=version)
    if flags:
        raise UnknownFlags(f"RPLK flags are 0, not 0x{flags:02X}")
    if size != HEADER.size:
        raise BadHeaderSize(f"the RPLK header takes {HEADER.size} bytes, and this says {size}")
    if seed == 0:
        raise SeedIsZero("RPLK seed is 0")
    if start != 0:
        raise StartFrameNotZero(f"RPLK starts at frame 0, and this says {start}")
    if reserved != RESERVED:
        raise ReservedNotZero(f"the reserved bytes of the RPLK header are {reserved.hex(' ')}, not zeros")
    payload = _payload(view, count, budget)
    found = crc32(payload)
    if found != expected:
        raise ChecksumMismatch(
            f"CRC of the RPLK payload is 0x{found:08X}, and the header says 0x{expected:08X}",
            expected=expected,
            found=found,
        )
    return Replay(seed=seed, frames=payload)


def _payload(view: memoryview, count: int, budget: Budget) -> bytes:
    """Check the length of the payload, then copy it."""
    needed = count * FRAME_SIZE
    available = len(view) - HEADER.size
    budget.spend("bytes", needed, "RPLK payload")
    budget.spend("frames", count, "RPLK payload")
    if available < needed:
        raise Truncated(
            f"RPLK of {count} frames takes {needed} bytes of payload, not {available}",
            needed=needed,
            available=available,
        )
    if available > needed:
        raise TrailingData(f"{available - needed} bytes after RPLK's last frame", extra=available - needed)
    return bytes(view[HEADER.size :])
