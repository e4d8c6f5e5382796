"""How a newcomer is brought into a running match.

::

    05 WELCOME   u8 sender's peer id, u8 your peer id, 16 bytes token, u32 disconnect_after in milliseconds, u32 seed,
                 u32 match, u32 frame, u32 bytes of the state, u32 its checksum, u16 free seats as bits, roster entries
    07 MEET      u8 match, u8 peer id, u16 seats as bits, u32 frame, 8 bytes pair token, 32 bytes key, reach, u8 n,
                 n bytes address
    08 JOINED    nothing more: the newcomer has the state and all links

CANCEL has the layout of ``kinds``. The match of a WELCOME counts all matches of the session; MEET has its last byte.
"""

import struct
from collections.abc import Hashable
from typing import NamedTuple

from retick.errors import InvalidValue
from retick.link.addresses import MAX_ADDRESS, pack_address, unpack_address
from retick.rollback.desync.equivocation import KEY_SIZE, NO_KEY
from retick.rollback.session.messages.kinds import MessageKind, MessageReader
from retick.rollback.session.messages.roster import (
    NO_PAIR_TOKEN,
    PAIR_TOKEN_SIZE,
    TOKEN_SIZE,
    Reach,
    RosterEntry,
    encode_entries,
    in_milliseconds,
    pack_seats,
    read_entries,
    unpack_seats,
)

# The transfer of a state: its announcement, and its chunks.
#
# ::
#
#     state header   u32 bytes of the packed state, u32 the game's checksum of it; part of WELCOME and of statements
#     06 STATE       u8 number of the match that begins with it, 0 after a WELCOME; u32 offset, bytes

LARGEST_STATE = 16 << 20
"""The most bytes of a packed state that a peer accepts."""

_CHUNK = struct.Struct("<BBI")


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


class Chunk(NamedTuple):
    """A part of a state."""

    offset: int
    data: bytes
    match: int = 0
    """The number of the match that begins with the state; 0 after a WELCOME."""


def encode_chunk(chunk: Chunk) -> bytes:
    return _CHUNK.pack(MessageKind.STATE, chunk.match, chunk.offset) + chunk.data


def decode_chunk(data: bytes) -> Chunk:
    reader = MessageReader(data)
    _, match, offset = reader.unpack(_CHUNK)
    return Chunk(offset, reader.rest(), match)


LAST_WELCOME_FRAME = (1 << 31) - 1
"""More than a year of frames; later ones still fit the 32 bits that messages have for a frame."""

_WELCOME = struct.Struct(f"<BBB{TOKEN_SIZE}sIIIIIIH")
_MEET = struct.Struct(f"<BBBHI{PAIR_TOKEN_SIZE}s{KEY_SIZE}sBB")


class Welcome(NamedTuple):
    """The first message to a newcomer or a spectator."""

    sender: int
    peer_id: int
    """The receiver's id; 255 for a spectator."""
    token: bytes
    disconnect_after: float
    """Seconds after which all peers count a silent one as lost."""
    seed: int
    match: int
    """How many matches the session has had before this one."""
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
    pair_token: bytes = NO_PAIR_TOKEN
    """The token that the newcomer shows to the receiver, and to nobody else."""
    key: bytes = NO_KEY
    """The public key with which the newcomer signs."""
    reach: Reach = Reach()


def encode_welcome(welcome: Welcome) -> bytes:
    head = _WELCOME.pack(
        MessageKind.WELCOME,
        welcome.sender,
        welcome.peer_id,
        welcome.token,
        in_milliseconds(welcome.disconnect_after),
        welcome.seed,
        welcome.match,
        welcome.frame,
        *welcome.state,
        pack_seats(welcome.gone),
    )
    return head + encode_entries(welcome.entries)


def decode_welcome(data: bytes) -> Welcome:
    reader = MessageReader(data)
    _, sender, peer_id, token, milliseconds, seed, match, frame, size, checksum, gone = reader.unpack(_WELCOME)
    if not seed:
        raise InvalidValue("a match has a seed from 1 on")
    if frame > LAST_WELCOME_FRAME:
        raise InvalidValue(f"a WELCOME at frame {frame}, where {LAST_WELCOME_FRAME} is the last that is allowed")
    state = check_header(StateHeader(size, checksum))
    seconds, entries = milliseconds / 1000, read_entries(reader)
    return Welcome(sender, peer_id, token, seconds, seed, match, frame, state, unpack_seats(gone), entries)


def encode_meet(meet: Meet) -> bytes:
    address = pack_address(meet.address)
    who = (meet.match, meet.peer_id, pack_seats(meet.players), meet.frame)
    head = _MEET.pack(MessageKind.MEET, *who, meet.pair_token, meet.key, *meet.reach)
    return head + bytes((len(address),)) + address


def decode_meet(data: bytes) -> Meet:
    reader = MessageReader(data)
    _, match, peer_id, seats, frame, pair_token, key, *reach = reader.unpack(_MEET)
    address = reader.short()
    reader.end()
    if len(address) > MAX_ADDRESS or not seats:
        raise InvalidValue("a MEET with an address that is too long, or without a seat")
    return Meet(peer_id, unpack_seats(seats), frame, unpack_address(address), match, pair_token, key, Reach(*reach))


def encode_joined() -> bytes:
    return bytes((MessageKind.JOINED,))


def decode_joined(data: bytes) -> None:
    MessageReader(data, 1).end()


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
    reader = MessageReader(data)
    _, first, length = reader.unpack(_FEED)
    entries = read_entries(MessageReader(reader.take(length))) if length else ()
    return Feed(first, reader.rest(), entries)
