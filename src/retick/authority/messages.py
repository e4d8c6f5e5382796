"""The reliable messages between a server of a world and its clients.

::

    WELCOME    0x31  u8 version  u8 seat  u8 players  u16 ticks a second  u8 ticks a snapshot  u32 tick
    MESSAGE    0x32  the application's bytes
    PLAYER     0x33  u8 seat  u8 state  name
    ROOM_OVER  0x34  u8 reason  words
    LOST       0x35  u8 reason  u32 how many
"""

import struct
from enum import IntEnum
from typing import Final, NamedTuple, TypeVar

from retick.errors import (
    EncodeError,
    InvalidValue,
    LimitExceeded,
    TrailingData,
    Truncated,
    UnsupportedVersion,
    UsageError,
)
from retick.host.config import LARGEST_MESSAGE

VERSION: Final = 1
SPECTATOR: Final = 255
"""Stands for the seat of a client without one."""
LONGEST_NAME: Final = 32
"""The most bytes of a player's name."""
LONGEST_WORDS: Final = 200
"""The most bytes of the text at the end of a room."""
MOST_LOST: Final = 0xFFFFFFFF
"""The most messages that one LOST can count."""
LARGEST_DATA: Final = LARGEST_MESSAGE - 1
"""The most bytes of a reliable message of the application."""
LARGEST_NOTE: Final = 1000
"""The most bytes of an unreliable message: it always fits one datagram."""
_WELCOME: Final = struct.Struct("<BBBHBI")
_LOST: Final = struct.Struct("<BI")
_WELCOME_KIND, _MESSAGE_KIND, _PLAYER_KIND, _OVER_KIND, _LOST_KIND = range(0x31, 0x36)
KINDS: Final = {
    "WELCOME": _WELCOME_KIND,
    "MESSAGE": _MESSAGE_KIND,
    "PLAYER": _PLAYER_KIND,
    "ROOM_OVER": _OVER_KIND,
    "LOST": _LOST_KIND,
}
"""The first byte of each message, by the names of the format."""


class Presence(IntEnum):
    """The state of a player's presence."""

    LEFT = 0
    PLAYING = 1
    CONNECTION_LOST = 2
    BOT = 3


class Ended(IntEnum):
    """Why a room is over."""

    ENDED = 0
    FAULT = 1
    DRAINED = 2
    CLOSED = 3
    DROPPED = 4


class Gone(IntEnum):
    """Why a message was dropped."""

    TOO_MANY = 0
    TOO_LONG = 1


class RoomWelcome(NamedTuple):
    """The first message of a server."""

    seat: int
    """The client's seat; SPECTATOR without one."""
    players: int
    tick_rate: int
    """Ticks a second."""
    snapshot_ticks: int
    """Ticks from one snapshot to the next."""
    tick: int
    """The server's tick."""


class RoomMessage(NamedTuple):
    """The application's own bytes."""

    data: bytes


class SeatNews(NamedTuple):
    """A player came, left, or has another name."""

    seat: int
    state: Presence
    name: str


class RoomOver(NamedTuple):
    """The room is over: no tick follows."""

    reason: Ended
    words: str


class LossNotice(NamedTuple):
    """This many MESSAGEs of the sender were dropped, and will never come."""

    reason: Gone
    messages: int


WorldMessage = RoomWelcome | RoomMessage | SeatNews | RoomOver | LossNotice


def misfit(data: bytes, reliable: bool) -> str | None:
    """Why the application's bytes cannot be sent; None if they can. Raises UsageError for anything but bytes."""
    if not isinstance(data, bytes | bytearray | memoryview):
        raise UsageError(f"a message is bytes, not {type(data).__name__}: text.encode() makes bytes of a text")
    most = LARGEST_DATA if reliable else LARGEST_NOTE
    if len(data) > most:
        return f"{'a' if reliable else 'an unreliable'} message has at most {most} bytes, not {len(data)}"
    return None


def encode_message(message: WorldMessage) -> bytes:
    """Encode a message."""
    match message:
        case RoomWelcome():
            seat, players, tick_rate, snapshot_ticks, tick = message
            packed = _WELCOME.pack(VERSION, seat, players, tick_rate, snapshot_ticks, tick)
            return bytes((_WELCOME_KIND,)) + packed
        case RoomMessage():
            return bytes((_MESSAGE_KIND,)) + message.data
        case SeatNews():
            return bytes((_PLAYER_KIND, message.seat, message.state)) + _packed_text(message.name, LONGEST_NAME)
        case RoomOver():
            return bytes((_OVER_KIND, message.reason)) + _packed_text(message.words, LONGEST_WORDS)
        case LossNotice():
            return bytes((_LOST_KIND,)) + _LOST.pack(message.reason, message.messages)


def decode_message(data: bytes) -> WorldMessage:
    """Decode a message, or raise DecodeError."""
    _need(data, 1)
    kind, body = data[0], bytes(data[1:])
    if kind == _MESSAGE_KIND:
        return RoomMessage(body)
    if kind == _WELCOME_KIND:
        return _welcome(body)
    if kind == _PLAYER_KIND:
        _need(body, 2)
        if body[0] == SPECTATOR:
            raise InvalidValue("a spectator has no seat")
        return SeatNews(body[0], _member(Presence, body[1]), _text(body[2:], LONGEST_NAME))
    if kind == _OVER_KIND:
        _need(body, 1)
        return RoomOver(_member(Ended, body[0]), _text(body[1:], LONGEST_WORDS))
    if kind == _LOST_KIND:
        _exactly(body, _LOST.size)
        reason, count = _LOST.unpack(body)
        return LossNotice(_member(Gone, reason), count)
    raise InvalidValue(f"there is no message of kind {kind:#04x}")


def _welcome(body: bytes) -> RoomWelcome:
    _need(body, 1)
    if body[0] != VERSION:
        raise UnsupportedVersion(f"the server speaks version {body[0]}, not {VERSION}", version=body[0])
    _exactly(body, _WELCOME.size)
    made = RoomWelcome._make(_WELCOME.unpack(body)[1:])
    if 0 in (made.players, made.tick_rate, made.snapshot_ticks) or not (
        made.seat < made.players or made.seat == SPECTATOR
    ):
        raise InvalidValue(f"the welcome is not valid: {made}")
    return made


E = TypeVar("E", bound=IntEnum)


def _member(kind: type[E], number: int) -> E:
    try:
        return kind(number)
    except ValueError:
        raise InvalidValue(f"{number} is not a valid {kind.__name__}") from None


def _packed_text(text: str, most: int) -> bytes:
    data = text.encode()
    if len(data) > most or not text.isprintable():
        raise EncodeError(f"{text!r} must be printable and have at most {most} bytes", value=text)
    return data


def _text(data: bytes, most: int) -> str:
    if len(data) > most:
        raise LimitExceeded(
            f"a text has at most {most} bytes, not {len(data)}", what="text", limit=most, actual=len(data)
        )
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise InvalidValue("a text is not UTF-8") from None
    if not text.isprintable():
        raise InvalidValue("a text is not printable")
    return text


def _need(data: bytes, size: int) -> None:
    if len(data) < size:
        raise Truncated(f"a message ends after {len(data)} bytes", needed=size, available=len(data))


def _exactly(data: bytes, size: int) -> None:
    _need(data, size)
    if len(data) > size:
        raise TrailingData(f"{len(data) - size} bytes follow the message", extra=len(data) - size)
