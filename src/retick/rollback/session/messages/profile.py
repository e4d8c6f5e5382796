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
from retick.rollback.session.messages.kinds import MessageKind, need
from retick.rollback.session.messages.roster import MAX_PEERS, pack_seats, unpack_seats

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
    need(data, _PROFILE.size)
    name, words, end = _unpack_words(data, _PROFILE.size)
    if end != len(data):
        raise InvalidValue(f"a PROFILE of {end} bytes, not {len(data)}")
    return Profile(name, words, _PROFILE.unpack_from(data)[1])


def encode_list(peers: tuple[RosterPeer, ...]) -> bytes:
    parts = [bytes((MessageKind.LIST, len(peers)))]
    for peer in peers:
        parts.append(_LISTED.pack(peer.peer_id, pack_seats(peer.players)) + _pack_words(peer.name, peer.profile))
    return b"".join(parts)


def decode_list(data: bytes) -> tuple[RosterPeer, ...]:
    need(data, 2)
    if data[1] > MAX_PEERS:
        raise InvalidValue(f"a LIST has at most {MAX_PEERS} peers, not {data[1]}")
    peers: list[RosterPeer] = []
    at, taken = 2, 0
    for _ in range(data[1]):
        need(data, at + _LISTED.size)
        peer_id, seats = _LISTED.unpack_from(data, at)
        name, words, at = _unpack_words(data, at + _LISTED.size)
        if seats & taken or any(peer_id == other.peer_id for other in peers):
            raise InvalidValue("a LIST with the same seat or peer id twice")
        taken |= seats
        peers.append(RosterPeer(peer_id, unpack_seats(seats), name, words))
    if at != len(data):
        raise InvalidValue(f"a LIST of {at} bytes, not {len(data)}")
    return tuple(peers)


def encode_return(peer_id: int, token: bytes) -> bytes:
    return _RETURN.pack(MessageKind.RETURN, peer_id, token)


def decode_return(data: bytes) -> tuple[int, bytes]:
    """Read the id of the returning peer, and its token."""
    if len(data) != _RETURN.size:
        raise InvalidValue(f"RETURN has {_RETURN.size} bytes, not {len(data)}")
    _, peer_id, token = _RETURN.unpack(data)
    return peer_id, token


def _pack_words(name: str, profile: bytes) -> bytes:
    text = name.encode()
    return bytes((len(text),)) + text + bytes((len(profile),)) + profile


def _unpack_words(data: bytes, at: int) -> tuple[str, bytes, int]:
    """Read a name and a profile; returns them with the offset after them."""
    text, at = _unpack_short(data, at, MAX_NAME)
    profile, at = _unpack_short(data, at, MAX_PROFILE)
    try:
        name = text.decode()
    except UnicodeDecodeError:
        raise InvalidValue("a name that is not UTF-8") from None
    if not name.isprintable():
        raise InvalidValue(f"{name!r} is not a name: it cannot be printed")
    return name, profile, at


def _unpack_short(data: bytes, at: int, most: int) -> tuple[bytes, int]:
    need(data, at + 1)
    end = at + 1 + data[at]
    if data[at] > most:
        raise InvalidValue(f"a text of {data[at]} bytes, where {most} are allowed")
    need(data, end)
    return data[at + 1 : end], end
