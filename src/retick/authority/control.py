"""Control messages for games without packets of their own; a game with its own has messages of these names and fields.

::

    0  u8  3, the packet type
    1  u8  subtype
    hello   1   u32 version
    welcome 2   u32 version   i32 peer id   u32 server tick rate, client tick rate, snapshot rate
                u32 interpolation delay ms, extrapolation ms, smoothing ms   f32 snap threshold   i32 input delay ticks
                u32 server tick
    ping    3   u16 seq   u32 sender's clock ms
    pong    4   u16 seq, echoed   u32 clock ms, echoed   u32 sender's server tick
    delay   5   i32 input delay ticks
    resync  6   u32 server tick

Little-endian; a message of any other length is refused. Version first: of another version nothing more is read.
"""

# retick: floats -- one threshold, carried as binary32

import struct
from math import isfinite
from typing import Final, NamedTuple

from retick.errors import InvalidValue, UnsupportedVersion

__all__ = [
    "CONTROL",
    "Control",
    "DelayUpdate",
    "Hello",
    "Ping",
    "Pong",
    "ResyncHint",
    "Welcome",
    "decode_control",
    "encode_control",
]

CONTROL: Final = 3


class Hello(NamedTuple):
    """A client's first words."""

    version: int


class Welcome(NamedTuple):
    """The server's answer, in wire order."""

    version: int
    peer_id: int
    server_tick_rate: int
    client_tick_rate: int
    snapshot_rate: int
    interpolation_delay_ms: int
    max_extrapolation_ms: int
    reconcile_smooth_ms: int
    reconcile_snap_threshold: float
    input_delay_ticks: int
    server_tick: int


class Ping(NamedTuple):
    """Answered at once by a pong with the same two numbers."""

    seq: int
    clock_ms: int


class Pong(NamedTuple):
    """A ping's echo, with the server tick that the sender knows."""

    seq: int
    clock_ms: int
    server_tick: int


class DelayUpdate(NamedTuple):
    """How far ahead the server now wants commands stamped."""

    delay_ticks: int


class ResyncHint(NamedTuple):
    """The server has heard nothing usable for long: start again from this tick."""

    server_tick: int


Control = Hello | Welcome | Ping | Pong | DelayUpdate | ResyncHint

_SUBTYPES: Final[dict[int, tuple[type[Control], struct.Struct]]] = {
    1: (Hello, struct.Struct("<I")),
    2: (Welcome, struct.Struct("<Ii6IfiI")),
    3: (Ping, struct.Struct("<HI")),
    4: (Pong, struct.Struct("<HII")),
    5: (DelayUpdate, struct.Struct("<i")),
    6: (ResyncHint, struct.Struct("<I")),
}
_SUBTYPE_OF: Final = {kind: number for number, (kind, _) in _SUBTYPES.items()}


def encode_control(message: Control) -> bytes:
    subtype = _SUBTYPE_OF[type(message)]
    return bytes((CONTROL, subtype)) + _SUBTYPES[subtype][1].pack(*message)


def decode_control(data: bytes, version: int) -> Control:
    """The message, or a DecodeError."""
    if len(data) < 2 or data[0] != CONTROL or data[1] not in _SUBTYPES:
        raise InvalidValue("not a control message")
    kind, layout = _SUBTYPES[data[1]]
    if kind in (Hello, Welcome) and len(data) >= 6:
        found = int.from_bytes(data[2:6], "little")
        if found != version:
            raise UnsupportedVersion(f"version {found}, and this is {version}", version=found)
    if len(data) != 2 + layout.size:
        raise InvalidValue(f"a {kind.__name__} has {2 + layout.size} bytes, not {len(data)}")
    fields = layout.unpack_from(data, 2)
    if not all(map(isfinite, fields)):
        raise InvalidValue(f"a {kind.__name__} has a value that is not a finite number")
    return kind._make(fields)
