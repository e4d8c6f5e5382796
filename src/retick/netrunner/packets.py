"""The wire of an existing game: no byte here may change; what is ours is in delta.py.

Byte 0 of each packet is its type, and every type has one fixed length.

::

    1 input bundle  167   client to server   unreliable
    2 snapshot     1398   server to client   unreliable
    3 control        96   both               reliable
    4 fire           29   client to server   reliable
    5 fire result    13   server to client   reliable
    6 fire visual    42   server to client   reliable
"""

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from math import isfinite, pi
from typing import Any, ClassVar, Final, NamedTuple, Self, TypeAlias

from retick.errors import EncodeError, InvalidValue, LimitExceeded, TrailingData, Truncated, UsageError
from retick.games.runner import locomotion
from retick.games.runner.commands import RunnerCommand
from retick.games.runner.state import BOUNDS as TUNING_BOUNDS
from retick.games.runner.state import RunnerState, Tuning
from retick.host.stats import InputStats
from retick.netrunner.messages import (
    INPUT_STATS_FORMAT,
    ControlMessages,
    PlayerView,
    SessionNumbers,
    SharedMessage,
    SnapshotView,
)
from retick.wire.values import LARGEST, LARGEST_INT, Bounds, round32, within_bounds

PROTOCOL_VERSION: Final = 6

INPUT_BUNDLE: Final = 1
SNAPSHOT: Final = 2
CONTROL: Final = 3
FIRE: Final = 4
FIRE_RESULT: Final = 5
FIRE_VISUAL: Final = 6


def packet_type(data: bytes) -> int:
    """Read byte 0, which must be a type of this protocol; the length is not checked."""
    if not data:
        raise Truncated("an empty packet", needed=1, available=0)
    if not INPUT_BUNDLE <= data[0] <= FIRE_VISUAL:
        raise InvalidValue(f"packet type {data[0]} is unknown")
    return data[0]


def check_packet(data: bytes, kind: int, size: int, what: str) -> None:
    """Raise unless ``data`` is of this type and of exactly this length."""
    if packet_type(data) != kind:
        raise InvalidValue(f"{what} begins with {kind}, not {data[0]}")
    if len(data) < size:
        raise Truncated(f"{what} is {size} bytes, not {len(data)}", needed=size, available=len(data))
    if len(data) > size:
        raise TrailingData(f"{what} is {size} bytes, not {len(data)}", extra=len(data) - size)


# The numbers that a server decides for a session: rates, delays, the limits of the view and the tuning of movement.
#
# A configuration is read from JSON text by the protocol's own key names; upper and lower case are alike. Reading never
# fails: a value that cannot be used is left at its default, and named in a list of complaints that the caller can show.

# retick: floats -- thresholds and tuning are sent as binary32 and are rounded when they are set


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerConfig(SessionNumbers):
    """One session's configuration; the defaults are the protocol's WAN profile. Raises UsageError if out of range."""

    # The bounds to which a Welcome's values are clamped, and within which a server is configured.
    BOUNDS: ClassVar[Mapping[str, Bounds]] = {
        **SessionNumbers.BOUNDS,
        "server_tick_rate": (1, LARGEST_INT),
        "client_tick_rate": (1, LARGEST_INT),
        "snapshot_rate": (1, LARGEST_INT),
        "reconcile_snap_threshold": (0.1, LARGEST),
        "pitch_clamp_degrees": (1.0, 89.0),
        "max_players": (1, 16),
    }

    pitch_clamp_degrees: float = 89.0
    """How far a runner can look up and down, in degrees."""
    tuning: Tuning = field(default_factory=Tuning)
    """The numbers of the movement."""

    @property
    def pitch_limit(self) -> float:
        """The pitch clamp in radians, as binary32."""
        return round32(self.pitch_clamp_degrees * pi / 180)


WAN: Final = RunnerConfig()
LAN: Final = RunnerConfig(snapshot_rate=30, input_delay_ticks=1, interpolation_delay_ms=50)

_KEYS: Final = {
    "servertickrate": "server_tick_rate",
    "clienttickrate": "client_tick_rate",
    "snapshotrate": "snapshot_rate",
    "serverinputdelayticks": "input_delay_ticks",
    "interpolationdelayms": "interpolation_delay_ms",
    "maxextrapolationms": "max_extrapolation_ms",
    "reconciliationsmoothms": "reconcile_smooth_ms",
    "reconciliationsnapthreshold": "reconcile_snap_threshold",
    "pitchclampdegrees": "pitch_clamp_degrees",
    "maxplayers": "max_players",
} | {tuned.name.replace("_", ""): tuned.name for tuned in fields(Tuning)}
"""Maps the protocol's keys, in lower case, to our fields."""

_ALL_BOUNDS: Final = {**RunnerConfig.BOUNDS, **TUNING_BOUNDS}


def config_object(text: str) -> dict[str, Any]:
    """Read a JSON object from ``text``; raises UsageError if it is not one."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"not JSON: {error}") from None
    if not isinstance(found, dict):
        raise UsageError("not a JSON object")
    return found


def parse_config(text: str) -> tuple[RunnerConfig, tuple[str, ...]]:
    """Read a configuration from JSON ``text``; returns it with complaints about entries that could not be used."""
    try:
        found = config_object(text)
    except UsageError as error:
        return WAN, (f"{error}: defaults used",)
    complaints: list[str] = []
    usable: dict[str, Any] = {}
    for key, value in found.items():
        name = _KEYS.get(key.lower())
        if name is None:
            complaints.append(f"{key} is not a key of this configuration")
            continue
        try:
            usable[name] = within_bounds(key, _ALL_BOUNDS[name], value)
        except UsageError as error:
            complaints.append(f"{error}: default used")
    tuned = {name: usable.pop(name) for name in TUNING_BOUNDS if name in usable}
    return RunnerConfig(tuning=Tuning(**tuned), **usable), tuple(complaints)


# The control packet, 96 bytes in both directions: the shared messages of ``messages``, and this game's Welcome.
#
# ::
#
#     0  u8  3, the packet type
#     1  u8  2, the subtype
#     welcome     @2 u32 protocol version  @6 i32 peer id
#                 @10 3i32 server tick rate, client tick rate, snapshot rate
#                 @22 3i32 interpolation delay ms, extrapolation ms, smoothing ms
#                 @34 2f32 snap threshold m, pitch clamp degrees
#                 @42 6f32 move speed, ground and air acceleration, air control, jump velocity, gravity
#                 @66 i32 input delay ticks  @70 2f32 floor snap length, ground stick velocity  @78 u32 server tick
#                 @82 2u8 wall-run and slide max ticks
#                 @84 3f32 wall-run gravity scale, wall-jump up and away velocity
#
# Little-endian. The other messages are shorter; the rest of the 96 bytes is zero when written and not looked at when
# read.

# retick: floats -- binary32 fields, carried as they are; none that is not a finite number gets in or out


CONTROL_SIZE: Final = 96


class RunnerWelcome(NamedTuple):
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
        """The welcome that a server with ``config`` sends to one client."""
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


Control: TypeAlias = SharedMessage | RunnerWelcome

_MESSAGES: Final = ControlMessages(RunnerWelcome, "I7i8fi2fI2B3f", version=PROTOCOL_VERSION, size=CONTROL_SIZE)


def encode_control(message: Control) -> bytes:
    """Encode any control message as 96 bytes."""
    return _MESSAGES.encode(message)


def decode_control(data: bytes) -> Control:
    """Decode a control packet, or raise DecodeError."""
    check_packet(data, CONTROL, CONTROL_SIZE, "a control packet")
    return _MESSAGES.decode(data)


# The input bundle, 167 bytes from client to server.
#
# ::
#
#     0         u8   1, the packet type
#     1         u8   count of commands, 1..5
#     2 + 33*i  command i, newest first
#        +0   u32  seq      +4   u32  tick    +8   u32  epoch
#        +12  f32  dt       +16  f32  move x  +20  f32  move y
#        +24  u8   buttons  +25  f32  yaw     +29  f32  pitch
#
# Little-endian, always of full length. Slots past the count are zero when written and not looked at when read.
# The server decides for each command whether it is acceptable: see ``is_acceptable`` in games/runner/commands.py.

# retick: floats -- binary32 fields, carried as they are


MAX_COMMANDS: Final = 5
_INPUT_HEADER: Final = struct.Struct("<BB")
_COMMAND: Final = struct.Struct("<IIIfffBff")
COMMAND_SIZE: Final = _COMMAND.size
BUNDLE_SIZE: Final = _INPUT_HEADER.size + MAX_COMMANDS * COMMAND_SIZE


def encode_inputs(commands: Sequence[RunnerCommand]) -> bytes:
    """Encode a bundle of one to five commands, newest first."""
    if not 1 <= len(commands) <= MAX_COMMANDS:
        raise EncodeError(f"a bundle holds 1 to {MAX_COMMANDS} commands, not {len(commands)}")
    bundle = bytearray(BUNDLE_SIZE)
    try:
        _INPUT_HEADER.pack_into(bundle, 0, INPUT_BUNDLE, len(commands))
        for index, command in enumerate(commands):
            _COMMAND.pack_into(bundle, _INPUT_HEADER.size + index * COMMAND_SIZE, *command)
    except (struct.error, OverflowError) as error:
        raise EncodeError(f"a command does not fit its 33 bytes: {error}") from None
    return bytes(bundle)


def decode_inputs(data: bytes) -> tuple[RunnerCommand, ...]:
    """Decode a bundle's commands in packet order, or raise DecodeError."""
    check_packet(data, INPUT_BUNDLE, BUNDLE_SIZE, "an input bundle")
    count = data[1]
    if count == 0:
        raise InvalidValue("an input bundle without commands")
    if count > MAX_COMMANDS:
        raise LimitExceeded(
            f"an input bundle holds at most {MAX_COMMANDS} commands, not {count}",
            what="commands",
            limit=MAX_COMMANDS,
            actual=count,
        )
    end = _INPUT_HEADER.size + count * COMMAND_SIZE
    return tuple(map(RunnerCommand._make, _COMMAND.iter_unpack(memoryview(data)[_INPUT_HEADER.size : end])))


# The snapshot, 1398 bytes, the same for every client.
#
# ::
#
#     0         u8   2, the packet type
#     1         u32  server tick just simulated
#     5         u8   count of players, 0..16
#     6 + 87*i  player i
#        +0   i32   peer id              +4   u32  newest seq consumed (the ack)
#        +8   3f32  position             +20  3f32 velocity
#        +32  f32   yaw                  +36  f32  pitch
#        +40  u8    grounded             +41  u32  commands that came too late
#        +45  u32   ... too early        +49  u32  ticks run on a real command
#        +53  u32   ... on a repeated    +57  u32  ... on a neutral
#        +61  u32   missing streak now   +65  u32  its maximum
#        +69  i32   input delay, ticks   +73  f32  round trip ms    +77  f32  jitter ms
#        +81  6 bytes of locomotion
#
# Little-endian, always of full length. Slots past the count are zero when written and not looked at when read. One bad
# player makes the whole packet bad.

# retick: floats -- binary32 fields, carried as they are; none that is not a finite number gets in or out


MAX_PLAYERS: Final = 16
_SNAPSHOT_HEADER: Final = struct.Struct("<BIB")
_STATE: Final = struct.Struct(f"<iI8fB{INPUT_STATS_FORMAT}6s")
STATE_SIZE: Final = _STATE.size
SNAPSHOT_SIZE: Final = _SNAPSHOT_HEADER.size + MAX_PLAYERS * STATE_SIZE


PlayerSnapshot: TypeAlias = PlayerView[RunnerState]
RunnerSnapshot: TypeAlias = SnapshotView[RunnerState]


def encode_state(player: PlayerSnapshot) -> bytes:
    """Encode one player as 87 bytes."""
    state = player.state
    if not all(map(isfinite, state[:8])) or not all(map(isfinite, player.stats[8:])):
        raise EncodeError(f"player {player.peer_id} has a value that is not a finite number")
    packed = locomotion.pack(state.locomotion)
    try:
        return _STATE.pack(player.peer_id, player.ack, *state[:8], state.grounded, *player.stats, packed)
    except (struct.error, OverflowError) as error:
        raise EncodeError(f"player {player.peer_id} does not fit 87 bytes: {error}") from None


def encode_snapshot(tick: int, players: Sequence[PlayerSnapshot]) -> bytes:
    """Encode up to sixteen players as a packet."""
    if len(players) > MAX_PLAYERS:
        raise EncodeError(f"a snapshot holds at most {MAX_PLAYERS} players, not {len(players)}")
    try:
        header = _SNAPSHOT_HEADER.pack(SNAPSHOT, tick, len(players))
    except struct.error as error:
        raise EncodeError(f"tick {tick} does not fit 32 bits: {error}") from None
    return (header + b"".join(map(encode_state, players))).ljust(SNAPSHOT_SIZE, b"\0")


def decode_state(data: bytes) -> PlayerSnapshot:
    """Decode one player from exactly 87 bytes."""
    if len(data) != STATE_SIZE:
        raise InvalidValue(f"a player is {STATE_SIZE} bytes, not {len(data)}")
    return _player(_STATE.unpack(data))


def decode_snapshot(data: bytes) -> RunnerSnapshot:
    """Decode a snapshot, or raise DecodeError; nothing of a refused one may be used."""
    check_packet(data, SNAPSHOT, SNAPSHOT_SIZE, "a snapshot")
    _, tick, count = _SNAPSHOT_HEADER.unpack_from(data)
    if count > MAX_PLAYERS:
        raise LimitExceeded(
            f"a snapshot holds at most {MAX_PLAYERS} players, not {count}",
            what="players",
            limit=MAX_PLAYERS,
            actual=count,
        )
    end = _SNAPSHOT_HEADER.size + count * STATE_SIZE
    slots = _STATE.iter_unpack(memoryview(data)[_SNAPSHOT_HEADER.size : end])
    return SnapshotView(tick, tuple(map(_player, slots)))


def _player(slot: tuple[Any, ...]) -> PlayerSnapshot:
    row: tuple[float, ...] = slot[2:10]
    stats = InputStats._make(slot[11:21])
    if not all(map(isfinite, row)) or not (isfinite(stats.rtt_ms) and isfinite(stats.jitter_ms)):
        raise InvalidValue(f"player {slot[0]} has a value that is not a finite number")
    mode, mode_ticks, normal, wall_run_ticks, slide_ticks = locomotion.unpack(slot[21])
    state = RunnerState._make((*row, slot[10] != 0, mode, mode_ticks, *normal, wall_run_ticks, slide_ticks))
    return PlayerView(slot[0], slot[1], state, stats)


# The three packets for shots.
#
# ::
#
#     fire 29         @0 u8 4  @1 u32 seq  @5 u32 tick  @9 u32 epoch  @13 i32 interpolation delay ticks  @17 3f32 aim
#     fire result 13  @0 u8 5  @1 i32 shooter  @5 i32 peer hit, -1 for none  @9 u32 tick judged
#     fire visual 42  @0 u8 6  @1 i32 shooter  @5 u32 tick judged  @9 3f32 origin  @21 f32 yaw  @25 f32 pitch
#                     @29 u8 did hit  @30 3f32 point
#
# A client asks for a shot by a button in a command. The fire packet is left from older versions: a server decodes it
# and ignores it.

# retick: floats -- binary32 fields, carried as they are; none that is not a finite number gets in or out


Vector = tuple[float, float, float]

NOBODY: Final = -1
"""Used in place of a peer id if no one was hit."""


class Fire(NamedTuple):
    """The old request for a shot. The server ignores it."""

    seq: int
    tick: int
    epoch: int
    interpolation_delay_ticks: int
    aim: Vector


class FireResult(NamedTuple):
    """The result of a shot."""

    shooter: int
    """The shooter's peer id."""
    hit: int
    """The peer id of the player that was hit, or NOBODY."""
    tick: int
    """The server tick at which the shooter saw the others: their places at this tick decide the shot."""


class FireVisual(NamedTuple):
    """What to draw for a shot."""

    shooter: int
    """The shooter's peer id."""
    tick: int
    """The server tick at which the shooter saw the others."""
    origin: Vector
    """In metres."""
    yaw: float
    """In radians."""
    pitch: float
    """In radians."""
    did_hit: bool
    point: Vector
    """Where the shot ended, in metres."""


FirePacket = Fire | FireResult | FireVisual

_FIRE: Final = struct.Struct("<BIIIi3f")
_RESULT: Final = struct.Struct("<BiiI")
_VISUAL: Final = struct.Struct("<BiI3fffB3f")


def encode_fire(packet: FirePacket) -> bytes:
    """Encode any of the three packets for shots."""
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
    """Decode any of the three packets for shots by its type byte, or raise DecodeError."""
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
