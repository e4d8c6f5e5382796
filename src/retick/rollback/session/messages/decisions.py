"""Whom a peer no longer hears, who is lost, and what it knows of their players.

::

    04 DROP   u8 match, u32 serial; u8 n, n unheard peers, each: u8 peer id, u8 reason;
              u8 n, n lost peers; u8 n, n of them that were dropped before this match began;
              u8 n decided players, each: u8 player, u32 first frame on neutral input;
              u8 n undecided players, each: u8 player, u32 first missing frame, u8 n, and the n inputs before it;
              u8 commits, each: u8 peer id, u16 seats as bits, u32 frame
"""

import struct
from typing import Any, NamedTuple

from retick.errors import InvalidValue
from retick.rollback.session.messages.kinds import MessageKind, need
from retick.rollback.session.messages.roster import MAX_SEATS

KNOWN_INPUTS = 96
"""The most inputs of a lost player in one DROP; further ones are asked for with WANT."""

_HEAD = struct.Struct("<BBI")
SERIAL_END = _HEAD.size
"""The offset of the end of a DROP's serial."""
LARGEST_DROP = 16384
"""The most bytes of a DROP: 16 lost players with inputs of 8 bytes take fewer, and it must fit into a FORWARD."""
_UNHEARD = struct.Struct("<BB")
_DECIDED = struct.Struct("<BI")
_KNOWN = struct.Struct("<BIB")
_COMMIT = struct.Struct("<BHI")


class Known(NamedTuple):
    """What a peer knows of a lost player: the first frame that it misses, and the inputs before it."""

    player: int
    missing: int
    inputs: tuple[int, ...]


class Drop(NamedTuple):
    """One peer's view of peers that are no longer heard."""

    lost: frozenset[int]
    """Ids of the lost peers: no chain of peers that hear each other leads to them."""
    known: tuple[Known, ...]
    """The players of lost peers whose last frame the sender has not decided."""
    commits: tuple[tuple[int, int, int], ...]
    """Newcomers that became players: peer id, seats as bits, and the frame of the first input."""
    match: int = 0
    """The number of the match in which the sender is."""
    before: frozenset[int] = frozenset()
    """The peers in ``lost`` that were dropped before this match began."""
    unheard: tuple[tuple[int, int], ...] = ()
    """The peers that the sender itself no longer hears, with the reason for each."""
    decided: tuple[tuple[int, int], ...] = ()
    """The players of lost peers that the sender has dropped, with the first frame on neutral input."""
    serial: int = 0
    """Grows with every DROP of this sender, so that outdated forwarded ones are recognised."""


def encode_drop(drop: Drop, input_size: int) -> bytes:
    parts = [_HEAD.pack(MessageKind.DROP, drop.match, drop.serial)]
    _add_rows(parts, _UNHEARD, drop.unheard)
    for peer_ids in (drop.lost, drop.before):
        parts.append(bytes((len(peer_ids), *sorted(peer_ids))))
    _add_rows(parts, _DECIDED, drop.decided)
    parts.append(bytes((len(drop.known),)))
    for player, missing, inputs in drop.known:
        parts.append(_KNOWN.pack(player, missing, len(inputs)))
        parts += [value.to_bytes(input_size, "little") for value in inputs]
    _add_rows(parts, _COMMIT, drop.commits)
    return b"".join(parts)


def _add_rows(parts: list[bytes], layout: struct.Struct, rows: tuple[tuple[int, ...], ...]) -> None:
    parts.append(bytes((len(rows),)))
    parts += [layout.pack(*row) for row in rows]


def serial_of(data: bytes) -> int:
    """The serial of a DROP that was decoded before."""
    serial: int = _HEAD.unpack_from(data)[2]
    return serial


def decode_drop(data: bytes, input_size: int) -> Drop:
    need(data, _HEAD.size)
    if len(data) > LARGEST_DROP:
        raise InvalidValue(f"a DROP of {len(data)} bytes, where {LARGEST_DROP} are allowed")
    _, match, serial = _HEAD.unpack_from(data)
    unheard, at = _decode_rows(data, _HEAD.size, _UNHEARD)
    lost, at = _decode_ids(data, at)
    before, at = _decode_ids(data, at)
    if not before <= lost:
        raise InvalidValue("a DROP with peers that were dropped before and are not lost")
    decided, at = _decode_rows(data, at, _DECIDED)
    known = []
    need(data, at + 1)
    count = data[at]
    at += 1
    for _ in range(count):
        one, at = _decode_known(data, at, input_size)
        known.append(one)
    if len({one.player for one in known}) != count:
        raise InvalidValue("a DROP that names a player twice")
    commits, at = _decode_rows(data, at, _COMMIT)
    if len(data) != at:
        raise InvalidValue("a DROP whose length does not fit its contents")
    return Drop(lost, tuple(known), commits, match, before, unheard, decided, serial)


def _decode_ids(data: bytes, at: int) -> tuple[frozenset[int], int]:
    need(data, at + 1)
    end = at + 1 + data[at]
    need(data, end)
    return frozenset(data[at + 1 : end]), end


def _decode_rows(data: bytes, at: int, layout: struct.Struct) -> tuple[tuple[Any, ...], int]:
    need(data, at + 1)
    end = at + 1 + data[at] * layout.size
    need(data, end)
    return tuple(layout.iter_unpack(data[at + 1 : end])), end


def _decode_known(data: bytes, at: int, input_size: int) -> tuple[Known, int]:
    need(data, at + _KNOWN.size)
    player, missing, held = _KNOWN.unpack_from(data, at)
    at += _KNOWN.size
    if held > KNOWN_INPUTS or held > missing:
        raise InvalidValue(f"{held} inputs before frame {missing}, where at most {KNOWN_INPUTS} are allowed")
    end = at + held * input_size
    need(data, end)
    cells = range(at, end, input_size)
    inputs = tuple(int.from_bytes(data[cell : cell + input_size], "little") for cell in cells)
    return Known(player, missing, inputs), end


# Where a peer stops, and whether it wants the match to be paused.
#
# ::
#
#     17 PAUSE   u8 match, u32 serial, u8 pause, u8 wants: 0 or 1, u32 the frame before which the sender stops

_PAUSE = struct.Struct("<BBIBBI")


class Pausing(NamedTuple):
    """A PAUSE of one peer."""

    match: int
    serial: int
    """Grows with every PAUSE of this sender, as in a DROP."""
    pause: int
    """Which pause of the match, counted from 0, to distinguish consecutive ones."""
    wants: bool
    """Whether the sender wants the pause, or only stops because others want it."""
    frame: int
    """The first frame that the sender does not run."""


def encode_pause(said: Pausing) -> bytes:
    return _PAUSE.pack(MessageKind.PAUSE, *said)


def decode_pause(data: bytes) -> Pausing:
    if len(data) != _PAUSE.size:
        raise InvalidValue(f"PAUSE has {_PAUSE.size} bytes, not {len(data)}")
    _, match, serial, pause, wants, frame = _PAUSE.unpack(data)
    if wants > 1:
        raise InvalidValue(f"a PAUSE that wants {wants}, not 0 or 1")
    return Pausing(match, serial, pause, bool(wants), frame)


# The proposal to play again, and with which seats.
#
# ::
#
#     0D REMATCH   u8 number of the match to come, u8 n, n bytes: the new seat of whoever has seat 0, 1 ... n - 1 now
#
# n is 0 where seats move on by the usual rule.

_REMATCH_HEAD = 3


def is_order(seats: tuple[int, ...]) -> bool:
    """Whether each seat is given once."""
    return sorted(seats) == list(range(len(seats)))


def encode_rematch(number: int, seats: tuple[int, ...] = ()) -> bytes:
    return bytes((MessageKind.REMATCH, number, len(seats), *seats))


def decode_rematch(data: bytes) -> tuple[int, tuple[int, ...]]:
    """Read the number of the match to come, and the new seats."""
    need(data, _REMATCH_HEAD)
    seats = tuple(data[_REMATCH_HEAD:])
    if data[2] != len(seats) or len(seats) > MAX_SEATS or not is_order(seats):
        raise InvalidValue("a REMATCH that does not name each seat once")
    return data[1], seats
