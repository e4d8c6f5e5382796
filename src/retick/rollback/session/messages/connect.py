"""A request to connect, as the application data of the link's HELLO, and the answer in ACCEPT.

::

    u8 version of the session protocol, u8 tag, and by tag:

    01 PLAY    16 bytes seat token, 0 for none, u8 1 if the sender still has the match of that token, else 0, key,
               reach; the link's request has the number of seats
    02 WATCH   u32 frame to go on from, FFFFFFFF for none, u32 match
    03 CALL    16 bytes token, 8 bytes pair token, u8 peer id, key, reach: a peer of the match calls another

    ACCEPT: u8 version of the session protocol, key, reach

    key: 32 bytes, the public key with which the sender signs; zeros over a plain link

    reach: u8 prediction window, u8 input delay: how far the sender's inputs may be ahead of the receiver's

Version 1 had no version byte: its requests are empty, begin with "WATCH", or have nine bytes. Every later version has
its number in the first byte, and no request of nine bytes or without any.
"""

import struct
from enum import IntEnum
from typing import NamedTuple

from retick.errors import InvalidValue
from retick.link.request import NO_SEAT_TOKEN, SEAT_TOKEN_SIZE
from retick.rollback.desync.equivocation import KEY_SIZE, NO_KEY
from retick.rollback.session.messages.roster import NO_PAIR_TOKEN, PAIR_TOKEN_SIZE, TOKEN_SIZE, Reach

VERSION = 6
"""The version of the session protocol, which includes everything in this package."""
FROM_A_STATE = 0xFFFFFFFF
"""Used in place of the frame to continue from: the spectator has nothing yet."""

LARGEST_REACH = 255
"""The most frames of a window or a delay, as announced."""

_ACCEPT = struct.Struct(f"<B{KEY_SIZE}sBB")
_HEAD = struct.Struct("<BB")
_PLAY = struct.Struct(f"<BB{SEAT_TOKEN_SIZE}sB{KEY_SIZE}sBB")
_WATCH = struct.Struct("<BBII")
_CALL = struct.Struct(f"<BB{TOKEN_SIZE}s{PAIR_TOKEN_SIZE}sB{KEY_SIZE}sBB")
_FIRST_VERSION_CALL = 9
"""The bytes of a call in version 1, which had no version byte."""


class Want(IntEnum):
    """The tag of a request."""

    PLAY = 1
    WATCH = 2
    CALL = 3


class ConnectRequest(NamedTuple):
    """A decoded request; only the fields of its tag have a meaning."""

    want: Want
    frame: int = FROM_A_STATE
    """WATCH: the frame to continue from."""
    match: int = 0
    """WATCH: the match of that frame, as a WELCOME counts matches."""
    token: bytes = b""
    """CALL: the token that all peers of the match know."""
    pair_token: bytes = NO_PAIR_TOKEN
    """CALL: the token that only the caller and the called peer know."""
    peer_id: int = 0
    """CALL: the caller's id."""
    reach: Reach = Reach()
    """PLAY and CALL: the sender's reach."""
    seat_token: bytes = NO_SEAT_TOKEN
    """PLAY: the secret of the seats that the sender held before."""
    keeps_match: bool = False
    """PLAY: whether the sender still has the match in which it held them."""
    key: bytes = NO_KEY
    """PLAY and CALL: the public key with which the sender signs."""

    def __repr__(self) -> str:
        return f"ConnectRequest({self.want.name}, peer_id={self.peer_id}, reach={self.reach})"  # no token is shown


def encode_play(
    reach: Reach, seat_token: bytes = NO_SEAT_TOKEN, *, keeps_match: bool = False, key: bytes = NO_KEY
) -> bytes:
    return _PLAY.pack(VERSION, Want.PLAY, seat_token, keeps_match, key, *reach)


def encode_watch(frame: int, match: int = 0) -> bytes:
    return _WATCH.pack(VERSION, Want.WATCH, frame, match)


def encode_call(
    token: bytes, peer_id: int, reach: Reach, pair_token: bytes = NO_PAIR_TOKEN, key: bytes = NO_KEY
) -> bytes:
    return _CALL.pack(VERSION, Want.CALL, token, pair_token, peer_id, key, *reach)


def encode_acceptance(reach: Reach, key: bytes = NO_KEY) -> bytes:
    return _ACCEPT.pack(VERSION, key, *reach)


def decode_acceptance(data: bytes) -> Reach:
    """Read the reach in an acceptance of our version."""
    if len(data) != _ACCEPT.size:
        raise InvalidValue(f"an acceptance has {_ACCEPT.size} bytes, not {len(data)}")
    return announced_reach(data)


def accepted_key(data: bytes) -> bytes:
    """The key in a checked acceptance."""
    key: bytes = _ACCEPT.unpack(data)[1]
    return key


def announced_reach(data: bytes) -> Reach:
    """The reach in a checked PLAY, CALL or acceptance, each of which ends with it."""
    return Reach(*data[-2:])


def version_fault(data: bytes) -> str | None:
    """Say which version the other side has, from what it sent on connecting; None if it is ours."""
    is_first = not data or len(data) == _FIRST_VERSION_CALL or data.startswith(b"WATCH")
    theirs = 1 if is_first else data[0]
    if theirs == VERSION:
        return None
    return f"session protocol {VERSION} here, {theirs} there: update Retick on the side with the lower number"


def decode_request(data: bytes) -> ConnectRequest:
    """Read a request of our version."""
    if len(data) < _HEAD.size:
        raise InvalidValue("a request to connect that does not say what it wants")
    want = data[1]
    if want == Want.PLAY and len(data) == _PLAY.size:
        _, _, seat_token, keeps_match, key, *reach = _PLAY.unpack(data)
        if keeps_match > 1:
            raise InvalidValue(f"a PLAY whose sender has its match: 0 or 1, not {keeps_match}")
        return ConnectRequest(
            Want.PLAY, reach=Reach(*reach), seat_token=seat_token, keeps_match=keeps_match == 1, key=key
        )
    if want == Want.WATCH and len(data) == _WATCH.size:
        _, _, frame, match = _WATCH.unpack(data)
        return ConnectRequest(Want.WATCH, frame=frame, match=match)
    if want == Want.CALL and len(data) == _CALL.size:
        _, _, token, pair_token, peer_id, key, *reach = _CALL.unpack(data)
        return ConnectRequest(
            Want.CALL, token=token, pair_token=pair_token, peer_id=peer_id, reach=Reach(*reach), key=key
        )
    raise InvalidValue(f"a request to connect with tag {want} and {len(data)} bytes")
