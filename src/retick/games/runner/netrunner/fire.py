"""The three packets for shots.

::

    fire 29         @0 u8 4  @1 u32 seq  @5 u32 tick  @9 u32 epoch  @13 i32 interpolation delay ticks  @17 3f32 aim
    fire result 13  @0 u8 5  @1 i32 shooter  @5 i32 peer hit, -1 for none  @9 u32 tick judged
    fire visual 42  @0 u8 6  @1 i32 shooter  @5 u32 tick judged  @9 3f32 origin  @21 f32 yaw  @25 f32 pitch
                    @29 u8 did hit  @30 3f32 point

A client asks for a shot by a button in a command. The fire packet is left from older versions: a server decodes it and
ignores it.
"""

# retick: floats -- binary32 fields, carried as they are; none that is not a finite number gets in or out

import struct
from math import isfinite
from typing import Any, Final, NamedTuple

from retick.errors import EncodeError, InvalidValue
from retick.games.runner.netrunner.framing import FIRE, FIRE_RESULT, FIRE_VISUAL, check_packet

__all__ = ["NOBODY", "Fire", "FireResult", "FireVisual", "decode_fire", "encode_fire"]

Vector = tuple[float, float, float]

NOBODY: Final = -1
"""In the place of a peer id: no one was hit."""


class Fire(NamedTuple):
    """The old request for a shot. The server ignores it."""

    seq: int
    tick: int
    epoch: int
    interpolation_delay_ticks: int
    aim: Vector


class FireResult(NamedTuple):
    """What a shot did."""

    shooter: int
    """Peer id."""
    hit: int
    """Peer id of the player that was hit, or NOBODY."""
    tick: int
    """The server tick at which the shooter saw the others: the shot was judged by their places then."""


class FireVisual(NamedTuple):
    """What to draw of a shot."""

    shooter: int
    """Peer id."""
    tick: int
    """As in FireResult."""
    origin: Vector
    """Metres."""
    yaw: float
    """Radians."""
    pitch: float
    """Radians."""
    did_hit: bool
    point: Vector
    """Where the shot ended, in metres."""


FirePacket = Fire | FireResult | FireVisual

_FIRE: Final = struct.Struct("<BIIIi3f")
_RESULT: Final = struct.Struct("<BiiI")
_VISUAL: Final = struct.Struct("<BiI3fffB3f")


def encode_fire(packet: FirePacket) -> bytes:
    """The bytes of any of the three packets."""
    try:
        data = _encode(packet)
    except (struct.error, OverflowError) as error:
        raise EncodeError(f"a {type(packet).__name__} does not fit its packet: {error}") from None
    return data


def _encode(packet: FirePacket) -> bytes:
    match packet:
        case Fire():
            _check_finite(EncodeError, packet.aim)
            return _FIRE.pack(FIRE, *packet[:4], *packet.aim)
        case FireResult():
            return _RESULT.pack(FIRE_RESULT, *packet)
        case FireVisual(shooter, tick, origin, yaw, pitch, did_hit, point):
            _check_finite(EncodeError, (*origin, yaw, pitch, *point))
            return _VISUAL.pack(FIRE_VISUAL, shooter, tick, *origin, yaw, pitch, did_hit, *point)


def _check_finite(error: type[EncodeError | InvalidValue], values: tuple[float, ...]) -> None:
    if not all(map(isfinite, values)):
        raise error(f"a shot has a value that is not a finite number: {values}")


def decode_fire(data: bytes) -> FirePacket:
    """Any of the three packets, by its type byte; or a DecodeError."""
    found: tuple[Any, ...]
    if data[:1] == bytes((FIRE_RESULT,)):
        check_packet(data, FIRE_RESULT, _RESULT.size, "a fire result")
        return FireResult._make(_RESULT.unpack(data)[1:])
    if data[:1] == bytes((FIRE_VISUAL,)):
        check_packet(data, FIRE_VISUAL, _VISUAL.size, "a fire visual")
        found = _VISUAL.unpack(data)
        _check_finite(InvalidValue, (*found[3:8], *found[9:]))
        return FireVisual(found[1], found[2], found[3:6], found[6], found[7], found[8] != 0, found[9:])
    check_packet(data, FIRE, _FIRE.size, "a fire packet")
    found = _FIRE.unpack(data)
    _check_finite(InvalidValue, found[5:])
    return Fire(found[1], found[2], found[3], found[4], found[5:])
