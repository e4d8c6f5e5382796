"""The control packet, 96 bytes in both directions: the messages of ``wire.authority``, and this game's Welcome.

::

    0  u8  3, the packet type
    1  u8  2, the subtype
    welcome     @2 u32 protocol version  @6 i32 peer id
                @10 3i32 server tick rate, client tick rate, snapshot rate
                @22 3i32 interpolation delay ms, extrapolation ms, smoothing ms
                @34 2f32 snap threshold m, pitch clamp degrees
                @42 6f32 move speed, ground and air acceleration, air control, jump velocity, gravity
                @66 i32 input delay ticks  @70 2f32 floor snap length, ground stick velocity  @78 u32 server tick
                @82 2u8 wall-run and slide max ticks
                @84 3f32 wall-run gravity scale, wall-jump up and away velocity

Little-endian. The other messages are shorter; the rest of the 96 bytes is zero when written and not looked at when
read.
"""

# retick: floats -- binary32 fields, carried as they are; none that is not a finite number gets in or out

from typing import Any, Final, NamedTuple, Self, TypeAlias

from retick.games.runner.motor.tuning import BOUNDS as TUNING_BOUNDS
from retick.games.runner.motor.tuning import Tuning
from retick.games.runner.netrunner.config import RunnerConfig
from retick.games.runner.netrunner.framing import CONTROL, PROTOCOL_VERSION, check_packet
from retick.wire.authority import ControlMessages, DelayUpdate, Hello, Ping, Pong, ResyncHint, SharedMessage
from retick.wire.binary32 import Bounds

__all__ = [
    "CONTROL_SIZE",
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


class Welcome(NamedTuple):
    """The server's answer to a hello, in wire order. RunnerConfig and Tuning have the units."""

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
            name: _within(bounds, getattr(self, name))
            for name, bounds in RunnerConfig.BOUNDS.items()
            if name in self._fields
        }
        tuning: dict[str, Any] = {name: _within(bounds, getattr(self, name)) for name, bounds in TUNING_BOUNDS.items()}
        return RunnerConfig(tuning=Tuning(**tuning), **session)


def _within(bounds: Bounds, value: float) -> float:
    low, high = bounds
    return min(max(value, low), high)


Control: TypeAlias = SharedMessage | Welcome

_MESSAGES: Final = ControlMessages(Welcome, "I7i8fi2fI2B3f", version=PROTOCOL_VERSION, size=CONTROL_SIZE)


def encode_control(message: Control) -> bytes:
    """The 96 bytes of any control message."""
    return _MESSAGES.encode(message)


def decode_control(data: bytes) -> Control:
    """The message of a control packet, or a DecodeError."""
    check_packet(data, CONTROL, CONTROL_SIZE, "a control packet")
    return _MESSAGES.decode(data)
