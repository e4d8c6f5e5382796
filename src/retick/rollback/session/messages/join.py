"""How a newcomer is brought into a running match.

::

    05 WELCOME   u8 sender's peer id, u8 your peer id, 8 bytes token, u32 seed, u8 match, u32 frame,
                 u32 bytes of the state, u32 its checksum, u16 free seats as bits, roster entries
    07 MEET      u8 match, u8 peer id, u16 seats as bits, u32 frame, 8 bytes pair token, 32 bytes key, u8 n,
                 n bytes address
    08 JOINED    nothing more: the newcomer has the state and all links

PROPOSE, PROMISE, COMMIT and CANCEL have the layouts of ``kinds``.
"""

import struct
from collections.abc import Hashable
from typing import NamedTuple

from retick.errors import InvalidValue
from retick.rollback.desync.equivocation import KEY_SIZE, NO_KEY
from retick.rollback.session.messages.kinds import MessageKind, need
from retick.rollback.session.messages.roster import (
    MAX_ADDRESS,
    NO_TOKEN,
    TOKEN_SIZE,
    RosterEntry,
    decode_entries,
    encode_entries,
    pack_address,
    pack_seats,
    unpack_address,
    unpack_seats,
)

# The transfer of a state: its announcement, and its chunks.
#
# ::
#
#     state header   u32 bytes of the packed state, u32 the game's checksum of it; part of WELCOME and RESYNC
#     06 STATE       u32 offset, bytes
#     10 RESYNC      u8 number of the match to come, state header; STATE messages follow

LARGEST_STATE = 16 << 20
"""The most bytes of a packed state that a peer accepts."""

_CHUNK = struct.Struct("<BI")
_RESYNC = struct.Struct("<BBII")


class StateHeader(NamedTuple):
    """The announcement of a state, before its chunks come."""

    size: int
    """The size of the packed state in bytes."""
    checksum: int
    """The low 32 bits of the game's checksum of the state."""


def check_header(header: StateHeader) -> StateHeader:
    """Return the header; raise InvalidValue if the state is too large, before any memory is used for it."""
    if header.size > LARGEST_STATE:
        raise InvalidValue(f"a state of {header.size} bytes, where at most {LARGEST_STATE} are allowed")
    return header


def encode_chunk(offset: int, chunk: bytes) -> bytes:
    return _CHUNK.pack(MessageKind.STATE, offset) + chunk


def decode_chunk(data: bytes) -> tuple[int, bytes]:
    need(data, _CHUNK.size)
    return _CHUNK.unpack_from(data)[1], data[_CHUNK.size :]


def encode_resync(match: int, header: StateHeader) -> bytes:
    return _RESYNC.pack(MessageKind.RESYNC, match, *header)


def decode_resync(data: bytes) -> tuple[int, StateHeader]:
    """Read the number of the match to come, and the announcement of its first state."""
    if len(data) != _RESYNC.size:
        raise InvalidValue(f"RESYNC has {_RESYNC.size} bytes, not {len(data)}")
    _, match, size, checksum = _RESYNC.unpack(data)
    return match, check_header(StateHeader(size, checksum))


LAST_WELCOME_FRAME = (1 << 31) - 1
"""More than a year of frames; later ones still fit the 32 bits that messages have for a frame."""

_WELCOME = struct.Struct("<BBB8sIBIIIH")
_MEET = struct.Struct(f"<BBBHI{TOKEN_SIZE}s{KEY_SIZE}sB")


class Welcome(NamedTuple):
    """The first message to a newcomer or a spectator."""

    sender: int
    peer_id: int
    """The receiver's id; 255 for a spectator."""
    token: bytes
    seed: int
    match: int
    frame: int
    """The frame of the state that follows."""
    state: StateHeader
    gone: tuple[int, ...]
    """The free seats."""
    entries: tuple[RosterEntry, ...]


class Meet(NamedTuple):
    """Announces that a newcomer will call."""

    peer_id: int
    players: tuple[int, ...]
    frame: int
    """The first frame whose inputs the newcomer needs."""
    address: Hashable
    match: int = 0
    pair_token: bytes = NO_TOKEN
    """The token that the newcomer shows to the receiver, and to nobody else."""
    key: bytes = NO_KEY
    """The public key with which the newcomer signs its inputs."""


def encode_welcome(welcome: Welcome) -> bytes:
    head = _WELCOME.pack(
        MessageKind.WELCOME,
        welcome.sender,
        welcome.peer_id,
        welcome.token,
        welcome.seed,
        welcome.match,
        welcome.frame,
        *welcome.state,
        pack_seats(welcome.gone),
    )
    return head + encode_entries(welcome.entries)


def decode_welcome(data: bytes) -> Welcome:
    need(data, _WELCOME.size)
    _, sender, peer_id, token, seed, match, frame, size, checksum, gone = _WELCOME.unpack_from(data)
    if not seed:
        raise InvalidValue("a match has a seed from 1 on")
    if frame > LAST_WELCOME_FRAME:
        raise InvalidValue(f"a WELCOME at frame {frame}, where {LAST_WELCOME_FRAME} is the last that is allowed")
    state = check_header(StateHeader(size, checksum))
    entries = decode_entries(data, _WELCOME.size)
    return Welcome(sender, peer_id, token, seed, match, frame, state, unpack_seats(gone), entries)


def encode_meet(meet: Meet) -> bytes:
    address = pack_address(meet.address)
    seats = pack_seats(meet.players)
    head = _MEET.pack(
        MessageKind.MEET, meet.match, meet.peer_id, seats, meet.frame, meet.pair_token, meet.key, len(address)
    )
    return head + address


def decode_meet(data: bytes) -> Meet:
    need(data, _MEET.size)
    _, match, peer_id, seats, frame, pair_token, key, length = _MEET.unpack_from(data)
    if len(data) != _MEET.size + length or length > MAX_ADDRESS or not seats:
        raise InvalidValue("a MEET with a wrong length or without a seat")
    return Meet(peer_id, unpack_seats(seats), frame, unpack_address(data[_MEET.size :]), match, pair_token, key)


def encode_joined() -> bytes:
    return bytes((MessageKind.JOINED,))


def decode_joined(data: bytes) -> None:
    if len(data) != 1:
        raise InvalidValue(f"JOINED has 1 byte, not {len(data)}")


# Final inputs for a spectator.
#
# ::
#
#     0E FEED   u32 first frame, u16 bytes of roster entries (0: as before), roster entries, inputs by frame

_FEED = struct.Struct("<BIH")


class Feed(NamedTuple):
    """Inputs of final frames, which can no longer change."""

    first: int
    """The first frame."""
    rows: bytes
    """The inputs of all seats, frame after frame."""
    entries: tuple[RosterEntry, ...]
    """The players, the sender first; empty if they have not changed."""


def encode_feed(feed: Feed) -> bytes:
    entries = encode_entries(feed.entries) if feed.entries else b""
    return _FEED.pack(MessageKind.FEED, feed.first, len(entries)) + entries + feed.rows


def decode_feed(data: bytes) -> Feed:
    need(data, _FEED.size)
    _, first, length = _FEED.unpack_from(data)
    end = _FEED.size + length
    need(data, end)
    entries = decode_entries(data[:end], _FEED.size) if length else ()
    return Feed(first, data[end:], entries)
