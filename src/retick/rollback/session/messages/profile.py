"""What a peer says about itself; and the list of peers, for those without links to the players.

::

    14 PROFILE   16 bytes seat commitment, u8 n, n bytes name, u8 m, m bytes profile
    15 LIST      u8 count; each: u8 peer id, u16 seats as bits, u8 n, n bytes name, u8 m, m bytes profile
    16 RETURN    u8 peer id, 16 bytes seat token

A name is UTF-8, printable or empty. A profile is the application's own.
"""

import struct
from typing import NamedTuple

from retick.errors import InvalidValue, UsageError
from retick.link.request import COMMITMENT_SIZE, NO_COMMITMENT, SEAT_TOKEN_SIZE
from retick.rollback.events import RosterPeer
from retick.rollback.session.messages.kinds import MessageKind, MessageReader, fields_of
from retick.rollback.session.messages.roster import MAX_PEERS, check_unclaimed, pack_seats, unpack_seats

MAX_NAME = 64
"""The most bytes of a name."""
MAX_PROFILE = 128
"""The most bytes of a profile."""

_PROFILE = struct.Struct(f"<B{COMMITMENT_SIZE}s")
_LISTED = struct.Struct("<BH")
_RETURN = struct.Struct(f"<BB{SEAT_TOKEN_SIZE}s")


class Profile(NamedTuple):
    """What a peer says about itself."""

    name: str = ""
    """The name, for people."""
    data: bytes = b""
    """The application's own bytes."""
    commitment: bytes = NO_COMMITMENT
    """The commitment that the seat token of this peer must fit."""


def check_profile(profile: Profile) -> Profile:
    """Return the profile; raise a UsageError if its name or data cannot be sent."""
    size = len(profile.name.encode(errors="replace"))
    if size > MAX_NAME or not profile.name.isprintable():
        raise UsageError(f"a name is up to {MAX_NAME} bytes of printable text, not {profile.name!r} ({size} bytes)")
    if len(profile.data) > MAX_PROFILE:
        raise UsageError(f"a profile has at most {MAX_PROFILE} bytes, not {len(profile.data)}")
    return profile


def encode_profile(profile: Profile) -> bytes:
    return _PROFILE.pack(MessageKind.PROFILE, profile.commitment) + _pack_words(profile.name, profile.data)


def decode_profile(data: bytes) -> Profile:
    reader = MessageReader(data)
    _, commitment = reader.unpack(_PROFILE)
    name, words = _read_words(reader)
    reader.end()
    return Profile(name, words, commitment)


def encode_list(peers: tuple[RosterPeer, ...]) -> bytes:
    parts = [bytes((MessageKind.LIST, len(peers)))]
    for peer in peers:
        parts.append(_LISTED.pack(peer.peer_id, pack_seats(peer.players)) + _pack_words(peer.name, peer.profile))
    return b"".join(parts)


def decode_list(data: bytes) -> tuple[RosterPeer, ...]:
    reader = MessageReader(data, 1)
    count = reader.byte()
    if count > MAX_PEERS:
        raise InvalidValue(f"a LIST has at most {MAX_PEERS} peers, not {count}")
    peers = []
    for _ in range(count):
        peer_id, seats = reader.unpack(_LISTED)
        peers.append(RosterPeer(peer_id, unpack_seats(seats), *_read_words(reader)))
    reader.end()
    check_unclaimed((peer.peer_id, peer.players) for peer in peers)
    return tuple(peers)


def encode_return(peer_id: int, token: bytes) -> bytes:
    return _RETURN.pack(MessageKind.RETURN, peer_id, token)


def decode_return(data: bytes) -> tuple[int, bytes]:
    """Read the id of the returning peer, and its token."""
    _, peer_id, token = fields_of(_RETURN, data)
    return peer_id, token


def _pack_words(name: str, profile: bytes) -> bytes:
    text = name.encode()
    return bytes((len(text),)) + text + bytes((len(profile),)) + profile


def _read_words(reader: MessageReader) -> tuple[str, bytes]:
    """Read a name and a profile."""
    text, profile = reader.short(), reader.short()
    if len(text) > MAX_NAME or len(profile) > MAX_PROFILE:
        raise InvalidValue(f"a name of {len(text)} and a profile of {len(profile)} bytes are too long")
    try:
        name = text.decode()
    except UnicodeDecodeError:
        raise InvalidValue("a name that is not UTF-8") from None
    if not name.isprintable():
        raise InvalidValue(f"{name!r} is not a name: it cannot be printed")
    return name, profile
