"""What a peer knows of players whose peers are lost.

::

    04 DROP   u8 match, u8 n, n lost peers; u8 n, n of them that were dropped before this match began;
              u8 players, each: u8 player, u32 first missing frame, u8 n, and the n inputs before it;
              u8 commits, each: u8 peer id, u16 seats as bits, u32 frame
"""

import struct
from typing import NamedTuple

from retick.errors import InvalidValue
from retick.rollback.session.messages.kinds import Kind, need

__all__ = ["KNOWN_INPUTS", "Drop", "Known", "decode_drop", "encode_drop"]

KNOWN_INPUTS = 96
"""Inputs of a lost player that one DROP carries at most."""

_KNOWN = struct.Struct("<BIB")
_COMMIT = struct.Struct("<BHI")


class Known(NamedTuple):
    """What a peer knows of a lost player: the first frame that it misses, and the inputs before it."""

    player: int
    missing: int
    inputs: tuple[int, ...]


class Drop(NamedTuple):
    """One peer's view when others are lost."""

    lost: frozenset[int]
    """Ids of the lost peers."""
    known: tuple[Known, ...]
    commits: tuple[tuple[int, int, int], ...]
    """Newcomers that became players: peer id, seats as bits, and the frame of the first input."""
    match: int = 0
    """The number of the match in which the sender is."""
    before: frozenset[int] = frozenset()
    """Those of ``lost`` that were dropped before this match began."""


def encode_drop(drop: Drop, input_size: int) -> bytes:
    parts = [bytes((Kind.DROP, drop.match, len(drop.lost), *sorted(drop.lost)))]
    parts.append(bytes((len(drop.before), *sorted(drop.before))))
    parts.append(bytes((len(drop.known),)))
    for player, missing, inputs in drop.known:
        parts.append(_KNOWN.pack(player, missing, len(inputs)))
        parts += [value.to_bytes(input_size, "little") for value in inputs]
    parts.append(bytes((len(drop.commits),)))
    parts += [_COMMIT.pack(*commit) for commit in drop.commits]
    return b"".join(parts)


def decode_drop(data: bytes, input_size: int) -> Drop:
    need(data, 6)
    at = 3 + data[2]
    need(data, at + 3)
    lost = frozenset(data[3:at])
    end = at + 1 + data[at]
    need(data, end + 2)
    before = frozenset(data[at + 1 : end])
    if not before <= lost:
        raise InvalidValue("a DROP with peers that were dropped before and are not lost")
    at = end
    known = []
    count = data[at]
    at += 1
    for _ in range(count):
        one, at = _decode_known(data, at, input_size)
        known.append(one)
    if len(data) != at + 1 + data[at] * _COMMIT.size:
        raise InvalidValue("a DROP whose length does not fit its contents")
    return Drop(lost, tuple(known), tuple(_COMMIT.iter_unpack(data[at + 1 :])), data[1], before)


def _decode_known(data: bytes, at: int, input_size: int) -> tuple[Known, int]:
    need(data, at + _KNOWN.size + 1)
    player, missing, held = _KNOWN.unpack_from(data, at)
    at += _KNOWN.size
    if held > KNOWN_INPUTS or held > missing:
        raise InvalidValue(f"{held} inputs before frame {missing}, where at most {KNOWN_INPUTS} are allowed")
    end = at + held * input_size
    need(data, end + 1)
    cells = range(at, end, input_size)
    inputs = tuple(int.from_bytes(data[cell : cell + input_size], "little") for cell in cells)
    return Known(player, missing, inputs), end
