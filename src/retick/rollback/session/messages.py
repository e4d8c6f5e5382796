"""The reliable messages by which machines leave and enter a running match; docs/formats/membership.md has the tables.

::

    04 DROP      u8 match, u8 n, n lost machines; u8 n, n of them that left before this match; u8 players, each:
                 u8 player, u32 first missing frame, u8 n, and the n inputs before it; u8 commits, each: u8 machine,
                 u16 seats as bits, u32 frame
    05 WELCOME   u8 sender, u8 your number, 8 bytes token, u32 seed, u8 match, u32 frame, u32 checksum, u32 state size,
                 u16 players gone as bits, roster
    06 STATE     u32 offset, bytes
    07 MEET      u8 match, u8 machine, u16 seats as bits, u32 frame, u8 n, n bytes address
    08 JOINED    nothing: the newcomer has the state and all links
    09 PROPOSE   u8 machine
    0A PROMISE   u8 machine, u32 frame
    0B COMMIT    u8 machine, u32 frame
    0C CANCEL    u8 machine
    0D REMATCH   u8 match
    0E FEED      u32 first frame, u16 bytes of roster, u8 whether there is one, roster, inputs by frame
    0F EVIDENCE  u8 match, after a desync: docs/formats/desync-bundle.md
    10 RESYNC    u8 match, u32 state size, u32 checksum; STATE messages follow
    11 RESYNCED  u8 match, u32 checksum

Readers check everything and raise DecodeError; nothing is allocated beyond the size of the message.
"""

import struct
from typing import NamedTuple

from retick.errors import InvalidValue, Truncated
from retick.rollback.session import roster as lobby

__all__ = [
    "CANCEL",
    "COMMIT",
    "DROP",
    "EVIDENCE",
    "FEED",
    "JOINED",
    "MEET",
    "PROMISE",
    "PROPOSE",
    "REMATCH",
    "RESYNC",
    "RESYNCED",
    "STATE",
    "WELCOME",
    "Drop",
    "Feed",
    "Known",
    "Meeting",
    "Welcome",
    "bits_of",
    "decode_chunk",
    "decode_drop",
    "decode_feed",
    "decode_meeting",
    "decode_number",
    "decode_numbered",
    "decode_resync",
    "decode_welcome",
    "encode_chunk",
    "encode_drop",
    "encode_feed",
    "encode_meeting",
    "encode_number",
    "encode_numbered",
    "encode_resync",
    "encode_welcome",
    "players_of",
]

DROP, WELCOME, STATE, MEET, JOINED, PROPOSE, PROMISE, COMMIT, CANCEL, REMATCH, FEED = range(4, 15)
EVIDENCE, RESYNC, RESYNCED = 15, 16, 17

LARGEST_STATE = 16 << 20
"""Bytes of a state that a newcomer takes at most."""
KNOWN_INPUTS = 96
"""Inputs of a lost player that one DROP carries at most."""

_WELCOME = struct.Struct("<BBB8sIBIIIH")
_MEET = struct.Struct("<BBBHIB")
_NUMBERED = struct.Struct("<BBI")
_NUMBER = struct.Struct("<BB")
_STATE = struct.Struct("<BI")
_RESYNC = struct.Struct("<BBII")
_KNOWN = struct.Struct("<BIB")
_COMMIT = struct.Struct("<BHI")
_FEED = struct.Struct("<BIHB")


class Known(NamedTuple):
    """What a machine knows of a lost player: the first frame it misses, and the inputs before it."""

    player: int
    missing: int
    inputs: tuple[int, ...]


class Drop(NamedTuple):
    """One machine's view when others are lost."""

    lost: frozenset[int]
    known: tuple[Known, ...]
    commits: tuple[tuple[int, int, int], ...]
    match: int = 0
    before: frozenset[int] = frozenset()


class Welcome(NamedTuple):
    """What a newcomer needs to begin with."""

    sender: int
    number: int
    token: bytes
    seed: int
    match: int
    frame: int
    checksum: int
    state_size: int
    gone: tuple[int, ...]
    members: tuple[lobby.Member, ...]


class Meeting(NamedTuple):
    """Somebody new will call, or may be asked instead."""

    number: int
    players: tuple[int, ...]
    frame: int
    address: object
    match: int = 0


class Feed(NamedTuple):
    """Final inputs for a spectator."""

    first: int
    rows: bytes
    members: tuple[lobby.Member, ...]


def bits_of(players: tuple[int, ...] | frozenset[int]) -> int:
    return sum(1 << player for player in players)


def players_of(bits: int) -> tuple[int, ...]:
    return tuple(player for player in range(16) if bits >> player & 1)


def _need(data: bytes, size: int) -> None:
    if len(data) < size:
        raise Truncated(f"a message of {len(data)} bytes where {size} are needed", needed=size, available=len(data))


def encode_number(kind: int, number: int) -> bytes:
    return _NUMBER.pack(kind, number)


def decode_number(data: bytes) -> int:
    if len(data) != _NUMBER.size:
        raise InvalidValue(f"a message of kind {data[0]} has {_NUMBER.size} bytes, not {len(data)}")
    return data[1]


def encode_numbered(kind: int, number: int, frame: int) -> bytes:
    return _NUMBERED.pack(kind, number, frame)


def decode_numbered(data: bytes) -> tuple[int, int]:
    if len(data) != _NUMBERED.size:
        raise InvalidValue(f"a message of kind {data[0]} has {_NUMBERED.size} bytes, not {len(data)}")
    _, number, frame = _NUMBERED.unpack(data)
    return number, frame


def encode_chunk(offset: int, part: bytes) -> bytes:
    return _STATE.pack(STATE, offset) + part


def decode_chunk(data: bytes) -> tuple[int, bytes]:
    _need(data, _STATE.size + 1)
    return _STATE.unpack_from(data)[1], data[_STATE.size :]


def encode_resync(match: int, size: int, checksum: int) -> bytes:
    return _RESYNC.pack(RESYNC, match, size, checksum)


def decode_resync(data: bytes) -> tuple[int, int, int]:
    """The number of the match to come, and the size and checksum of its first state."""
    if len(data) != _RESYNC.size:
        raise InvalidValue(f"RESYNC has {_RESYNC.size} bytes, not {len(data)}")
    _, match, size, checksum = _RESYNC.unpack(data)
    return match, size, checksum


def encode_drop(drop: Drop, input_size: int) -> bytes:
    parts = [bytes((DROP, drop.match, len(drop.lost), *sorted(drop.lost), len(drop.before), *sorted(drop.before)))]
    parts.append(bytes((len(drop.known),)))
    for player, missing, inputs in drop.known:
        parts.append(_KNOWN.pack(player, missing, len(inputs)))
        parts += [value.to_bytes(input_size, "little") for value in inputs]
    parts.append(bytes((len(drop.commits),)))
    parts += [_COMMIT.pack(*commit) for commit in drop.commits]
    return b"".join(parts)


def decode_drop(data: bytes, input_size: int) -> Drop:
    _need(data, 6)
    at = 3 + data[2]
    _need(data, at + 3)
    lost = frozenset(data[3:at])
    end = at + 1 + data[at]
    _need(data, end + 2)
    before = frozenset(data[at + 1 : end])
    if not before <= lost:
        raise InvalidValue("a DROP with machines that left before and are not lost")
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
    _need(data, at + _KNOWN.size + 1)
    player, missing, held = _KNOWN.unpack_from(data, at)
    at += _KNOWN.size
    if held > KNOWN_INPUTS or held > missing:
        raise InvalidValue(f"{held} inputs before frame {missing}, where at most {KNOWN_INPUTS} are taken")
    end = at + held * input_size
    _need(data, end + 1)
    cells = range(at, end, input_size)
    inputs = tuple(int.from_bytes(data[cell : cell + input_size], "little") for cell in cells)
    return Known(player, missing, inputs), end


def encode_welcome(welcome: Welcome) -> bytes:
    head = _WELCOME.pack(
        WELCOME,
        welcome.sender,
        welcome.number,
        welcome.token,
        welcome.seed,
        welcome.match,
        welcome.frame,
        welcome.checksum,
        welcome.state_size,
        bits_of(welcome.gone),
    )
    return head + lobby.encode_members(welcome.members)


def decode_welcome(data: bytes) -> Welcome:
    _need(data, _WELCOME.size)
    _, sender, number, token, seed, match, frame, checksum, size, gone = _WELCOME.unpack_from(data)
    if size > LARGEST_STATE:
        raise InvalidValue(f"a state of {size} bytes, where at most {LARGEST_STATE} are taken")
    members = lobby.decode_members(data, _WELCOME.size)
    return Welcome(sender, number, token, seed, match, frame, checksum, size, players_of(gone), members)


def encode_meeting(meeting: Meeting) -> bytes:
    address = lobby.pack_address(meeting.address)
    head = (MEET, meeting.match, meeting.number, bits_of(meeting.players), meeting.frame)
    return _MEET.pack(*head, len(address)) + address


def decode_meeting(data: bytes) -> Meeting:
    _need(data, _MEET.size)
    _, match, number, seats, frame, length = _MEET.unpack_from(data)
    if len(data) != _MEET.size + length or length > lobby.MAX_ADDRESS or not seats:
        raise InvalidValue("a MEET with a wrong length or without a seat")
    return Meeting(number, players_of(seats), frame, lobby.unpack_address(data[_MEET.size :]), match)


def encode_feed(feed: Feed) -> bytes:
    members = lobby.encode_members(feed.members) if feed.members else b""
    return _FEED.pack(FEED, feed.first, len(members), bool(members)) + members + feed.rows


def decode_feed(data: bytes) -> Feed:
    _need(data, _FEED.size)
    _, first, length, _ = _FEED.unpack_from(data)
    _need(data, _FEED.size + length)
    at = _FEED.size
    members = lobby.decode_members(data[: at + length], at) if length else ()
    return Feed(first, data[at + length :], members)
