"""The control packet, 96 bytes both ways: six messages that share one layout.

::

    0  u8  3, the packet type
    1  u8  subtype
    hello   1   @2 u32 protocol version
    welcome 2   @2 u32 protocol version  @6 i32 peer id
                @10 3i32 server tick rate, client tick rate, snapshot rate
                @22 3i32 interpolation delay ms, extrapolation ms, smoothing ms
                @34 2f32 snap threshold m, pitch clamp degrees
                @42 6f32 move speed, ground and air acceleration, air control, jump velocity, gravity
                @66 i32 input delay ticks  @70 2f32 floor snap length, ground stick velocity  @78 u32 server tick
                @82 2u8 wall-run and slide max ticks
                @84 3f32 wall-run gravity scale, wall-jump up and away velocity
    ping    3   @2 u16 seq  @4 u32 sender's clock ms
    pong    4   @2 u16 seq, echoed  @4 u32 clock ms, echoed  @8 u32 sender's server tick
    delay   5   @2 i32 input delay ticks
    resync  6   @2 u32 server tick

Little-endian. Bytes past a message's fields are zero when written and not looked at when read. A hello or welcome of
another version is refused before anything else in it is read: another version may mean another layout.
"""

# retick: floats -- binary32 fields, carried as they are; none that is not a finite number gets in or out

import struct
from math import isfinite
from typing import Any, Final, NamedTuple, Self

from retick.errors import EncodeError, InvalidValue, UnsupportedVersion
from retick.games.runner.motor.tuning import BOUNDS as TUNING_BOUNDS
from retick.games.runner.motor.tuning import Tuning
from retick.games.runner.netrunner.config import BOUNDS, RunnerConfig
from retick.games.runner.netrunner.framing import CONTROL, PROTOCOL_VERSION, check_packet

__all__ = [
    "CONTROL_SIZE",
    "MAX_DELAY_TICKS",
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

CONTROL_SIZE: Final = 96
MAX_DELAY_TICKS: Final = 10


class Hello(NamedTuple):
    """A client's first words."""

    version: int = PROTOCOL_VERSION


class Welcome(NamedTuple):
    """The server's answer, in wire order. ``config`` gives its values within the protocol's bounds."""

    version: int
    peer_id: int
    server_tick_rate: int
    client_tick_rate: int
    snapshot_rate: int
    interpolation_delay_ms: int
    max_extrapolation_ms: int
    reconcile_smooth_ms: int
    reconcile_snap_threshold: float
    pitch_clamp_degrees: float
    move_speed: float
    ground_acceleration: float
    air_acceleration: float
    air_control_factor: float
    jump_velocity: float
    gravity: float
    input_delay_ticks: int
    floor_snap_length: float
    ground_stick_velocity: float
    server_tick: int
    wall_run_max_ticks: int
    slide_max_ticks: int
    wall_run_gravity_scale: float
    wall_jump_up_velocity: float
    wall_jump_away_velocity: float

    @classmethod
    def of(cls, config: RunnerConfig, *, peer_id: int, delay_ticks: int, server_tick: int) -> Self:
        """What a server with ``config`` tells one client."""
        known = {"version": PROTOCOL_VERSION, "peer_id": peer_id, "server_tick": server_tick}
        known["input_delay_ticks"] = delay_ticks
        values = []
        for name in cls._fields:
            owner = config.tuning if name in TUNING_BOUNDS else config
            values.append(known[name] if name in known else getattr(owner, name))
        return cls._make(values)

    def config(self) -> RunnerConfig:
        """The configuration that a client adopts: each value clamped to its bounds."""
        session: dict[str, Any] = {
            name: _within(BOUNDS[name], getattr(self, name)) for name in BOUNDS if name in self._fields
        }
        tuning: dict[str, Any] = {name: _within(bounds, getattr(self, name)) for name, bounds in TUNING_BOUNDS.items()}
        return RunnerConfig(tuning=Tuning(**tuning), **session)


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
    2: (Welcome, struct.Struct("<I7i8fi2fI2B3f")),
    3: (Ping, struct.Struct("<HI")),
    4: (Pong, struct.Struct("<HII")),
    5: (DelayUpdate, struct.Struct("<i")),
    6: (ResyncHint, struct.Struct("<I")),
}
_SUBTYPE_OF: Final = {kind: number for number, (kind, _layout) in _SUBTYPES.items()}


def _within(bounds: tuple[float, float], value: float) -> float:
    low, high = bounds
    return min(max(value, low), high)


def encode_control(message: Control) -> bytes:
    """The 96 bytes of any control message."""
    subtype = _SUBTYPE_OF[type(message)]
    if not all(map(isfinite, message)):
        raise EncodeError(f"a {type(message).__name__} has a value that is not a finite number")
    try:
        fields = _SUBTYPES[subtype][1].pack(*message)
    except (struct.error, OverflowError) as error:
        raise EncodeError(f"a {type(message).__name__} does not fit its packet: {error}") from None
    return (bytes((CONTROL, subtype)) + fields).ljust(CONTROL_SIZE, b"\0")


def decode_control(data: bytes) -> Control:
    """The message of a control packet, or a DecodeError."""
    check_packet(data, CONTROL, CONTROL_SIZE, "a control packet")
    subtype = data[1]
    if subtype not in _SUBTYPES:
        raise InvalidValue(f"control subtype {subtype} is unknown")
    kind, layout = _SUBTYPES[subtype]
    fields = layout.unpack_from(data, 2)
    if kind in (Hello, Welcome) and fields[0] != PROTOCOL_VERSION:
        raise UnsupportedVersion(f"protocol {fields[0]}, and this is {PROTOCOL_VERSION}", version=fields[0])
    if not all(map(isfinite, fields)):
        raise InvalidValue(f"a {kind.__name__} has a value that is not a finite number")
    return kind._make(fields)
