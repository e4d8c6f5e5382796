"""NetRunner protocol 6 as one object: everything that an authoritative server or client needs of this game.

A server and a client import no game. They use a profile through the Protocol in profile.py; docs/formats/netrunner.md
lists the calls. A profile holds no session state: everything that changes from tick to tick is in the values passed in
and returned.
"""

import struct
from math import cos, pi, sin, sqrt
from typing import Final, NamedTuple, TypeAlias

from retick.errors import InvalidValue, UsageError
from retick.games.runner import locomotion
from retick.games.runner.commands import (
    CommandBuilder,
    RunnerButton,
    RunnerCommand,
    held,
    is_acceptable,
    neutral,
    sanitised,
)
from retick.games.runner.course import COURSE, CourseWorld
from retick.games.runner.locomotion import LocomotionState, as_sent
from retick.games.runner.motor import RunnerMotor
from retick.games.runner.state import RunnerState
from retick.netrunner.packets import (
    CONTROL,
    INPUT_BUNDLE,
    MAX_COMMANDS,
    MAX_PLAYERS,
    NOBODY,
    PROTOCOL_VERSION,
    SNAPSHOT,
    WAN,
    Control,
    FirePacket,
    FireResult,
    FireVisual,
    RunnerConfig,
    RunnerSnapshot,
    RunnerWelcome,
    decode_control,
    decode_fire,
    decode_inputs,
    decode_snapshot,
    encode_control,
    encode_fire,
    encode_inputs,
    encode_snapshot,
    packet_type,
)
from retick.wire.values import round32

# The runner as rows of integers, for delta snapshots: exact for its own player, coarse for the others.
#
# ``delta`` makes a schema from the names and ranges declared here. An exact row gives back exactly the same state. A
# public row has what others need to draw a runner: position to 2 mm, velocity to 0.03 m/s, look to 0.001 rad, the mode
# and the wall. It has no timers.

# retick: floats -- binary32 values as their bits, and coarse copies for drawing


PLACE_STEPS: Final = 256
"""Steps per metre."""
SPEED_STEPS: Final = 16
"""Steps per metre per second."""
FASTEST: Final = 64.0
"""The highest speed shown, in metres per second; a faster runner is shown with this."""
YAW_STEPS: Final = 4096
"""Steps in a full turn."""
PITCH_STEPS: Final = 1024
"""Steps from straight down to straight up."""
MARGIN: Final = 2.0
"""Metres around the boxes; a runner further out is shown at this border."""
HEADROOM: Final = 20.0
"""Metres above the highest box, besides the margin."""

_FLOATS: Final = struct.Struct("<8f")
_BITS: Final = struct.Struct("<8I")


class Span(NamedTuple):
    """One field of a row: whole numbers from ``lowest`` to ``highest``."""

    name: str
    lowest: int
    highest: int


def _bits(name: str, width: int) -> Span:
    return Span(name, 0, (1 << width) - 1)


def _steps(value: float, steps: int, span: Span) -> int:
    _, lowest, highest = span
    found = round(value * steps)
    return lowest if found < lowest else highest if found > highest else found


class RunnerLayout:
    """Rows of runners in one world, whose size bounds the positions."""

    exact: Final = (
        *(_bits(name, 32) for name in ("x", "y", "z", "vx", "vy", "vz", "yaw", "pitch")),
        *(_bits(name, width) for name, width in (("grounded", 1), ("meta", 4), ("mode_ticks", 8))),
        *(_bits(name, 8) for name in ("wall_run_ticks", "slide_ticks", "oct_x", "oct_y")),
    )

    def __init__(self, world: CourseWorld) -> None:
        boxes = world.boxes or ((-64.0, world.floor, -64.0, 64.0, world.floor + 20.0, 64.0),)
        places = []
        for axis, name in enumerate("xyz"):
            low = min(box[axis] for box in boxes) - MARGIN
            high = max(box[axis + 3] for box in boxes) + MARGIN
            if name == "y":
                low, high = min(low, world.floor - MARGIN), high + HEADROOM
            places.append(Span(name, int(low * PLACE_STEPS), int(high * PLACE_STEPS)))
        speed = int(FASTEST * SPEED_STEPS)
        self.public = (
            *places,
            *(Span(name, -speed, speed - 1) for name in ("vx", "vy", "vz")),
            _bits("yaw", 12),
            _bits("pitch", 10),
            _bits("grounded", 1),
            _bits("meta", 4),
            _bits("oct_x", 8),
            _bits("oct_y", 8),
        )

    def exact_row(self, state: RunnerState) -> tuple[int, ...]:
        packed = locomotion.pack(state.locomotion)
        return (*_BITS.unpack(_FLOATS.pack(*state[:8])), int(state.grounded), *packed)

    def exact_state(self, row: tuple[int, ...]) -> RunnerState:
        floats = _FLOATS.unpack(_BITS.pack(*row[:8]))
        if any(value - value != 0.0 for value in floats):
            raise InvalidValue("a runner's own row has a value that is not a finite number")
        loco = locomotion.unpack(bytes(row[9:]))
        return RunnerState._make((*floats, bool(row[8]), 0, 0, 0.0, 0.0, 0.0, 0, 0)).with_locomotion(loco)

    def public_row(self, state: RunnerState) -> tuple[int, ...]:
        spans = self.public
        places = [_steps(state[index], PLACE_STEPS, spans[index]) for index in (0, 1, 2)]
        speeds = [_steps(state[index], SPEED_STEPS, spans[index]) for index in (3, 4, 5)]
        yaw = round((state.yaw + pi) / (2 * pi) * YAW_STEPS) % YAW_STEPS
        pitch = max(0, min(PITCH_STEPS - 1, round((state.pitch / pi + 0.5) * PITCH_STEPS)))
        packed = locomotion.pack(state.locomotion)
        return (*places, *speeds, yaw, pitch, int(state.grounded), packed[0], packed[4], packed[5])

    def public_state(self, row: tuple[int, ...]) -> RunnerState:
        x, y, z = (value / PLACE_STEPS for value in row[:3])
        vx, vy, vz = (value / SPEED_STEPS for value in row[3:6])
        yaw = row[6] / YAW_STEPS * 2 * pi - pi
        pitch = (row[7] / PITCH_STEPS - 0.5) * pi
        mode, _, normal, _, _ = locomotion.unpack(bytes((row[9], 0, 0, 0, row[10], row[11])))
        state = RunnerState(x, y, z, vx, vy, vz, yaw, pitch, bool(row[8]))
        return state.with_locomotion(as_sent(LocomotionState(mode, 0, normal, 0, 0)))


# Judging a shot: a ray from the eye, a sphere around each other runner; the nearest is hit. Walls do not stop it.

# retick: floats -- geometry of one shot; clients are told its result and do not compute it


Vector = tuple[float, float, float]

EYE_HEIGHT: Final = 1.55
TARGET_HEIGHT: Final = 0.9
TARGET_RADIUS: Final = 0.5
RANGE: Final = 200.0


def _distance_to(origin: Vector, aim: Vector, target: Vector) -> float | None:
    """The distance along the ray, in metres, to the sphere around a runner; None if the ray misses it."""
    x, y, z = target[0] - origin[0], target[1] + TARGET_HEIGHT - origin[1], target[2] - origin[2]
    along = x * aim[0] + y * aim[1] + z * aim[2]
    inside = TARGET_RADIUS * TARGET_RADIUS - (x * x + y * y + z * z - along * along)
    if inside < 0:
        return None
    depth = sqrt(inside)
    if along + depth < 0:
        return None
    distance = max(0.0, along - depth)
    return distance if distance <= RANGE else None


def judge_shot(
    shooter: int, state: RunnerState, tick: int, targets: dict[int, Vector]
) -> tuple[FireResult, FireVisual]:
    """Judge a shot by the shooter's position and look; ``targets`` are where the shooter saw the others."""
    origin = (round32(state.x), round32(state.y + EYE_HEIGHT), round32(state.z))
    # retick: allow inexact-math -- only the server judges a shot; the others are told
    flat, rise = cos(state.pitch), sin(state.pitch)
    # retick: allow inexact-math -- as above
    aim = (-sin(state.yaw) * flat, rise, -cos(state.yaw) * flat)
    hit, nearest = NOBODY, RANGE
    for peer_id, position in targets.items():
        distance = _distance_to(origin, aim, position)
        if distance is not None and (hit == NOBODY or distance < nearest):
            hit, nearest = peer_id, distance
    x, y, z = (round32(o + a * nearest) for o, a in zip(origin, aim, strict=True))
    result = FireResult(shooter, hit, tick)
    return result, FireVisual(shooter, tick, origin, state.yaw, state.pitch, hit != NOBODY, (x, y, z))


# retick: floats -- rounds the tick length to binary32, as commands carry it


Packet: TypeAlias = tuple[RunnerCommand, ...] | RunnerSnapshot | Control | FirePacket


class NetRunner:
    """The runner with one configuration and one world, as a server or client uses it."""

    game_id: Final = "retick.runner"
    protocol_version: Final = PROTOCOL_VERSION
    max_players: Final = MAX_PLAYERS
    max_commands: Final = MAX_COMMANDS

    encode_inputs = staticmethod(encode_inputs)
    decode_inputs = staticmethod(decode_inputs)
    encode_snapshot = staticmethod(encode_snapshot)
    decode_snapshot = staticmethod(decode_snapshot)
    encode_control = staticmethod(encode_control)
    decode_control = staticmethod(decode_control)
    encode_fire = staticmethod(encode_fire)
    decode_fire = staticmethod(decode_fire)
    welcome_type: Final = RunnerWelcome
    hold = staticmethod(held)
    neutral = staticmethod(neutral)

    def __init__(self, config: RunnerConfig = WAN, world: CourseWorld = COURSE) -> None:
        self.config = config
        self.motor = RunnerMotor(config.tuning, world, tick_rate=config.server_tick_rate)
        self.layout = RunnerLayout(world)
        self._dt = round32(1 / config.server_tick_rate)
        self._pitch_limit = config.pitch_limit

    def decode(self, data: bytes) -> Packet:
        """Decode any packet of the protocol by its type byte, or raise DecodeError."""
        kind = packet_type(data)
        if kind == INPUT_BUNDLE:
            return decode_inputs(data)
        if kind == SNAPSHOT:
            return decode_snapshot(data)
        return decode_control(data) if kind == CONTROL else decode_fire(data)

    def sanitise(self, command: RunnerCommand) -> RunnerCommand | None:
        """The command as the server will run it; None if it is refused."""
        if not is_acceptable(command):
            return None
        return sanitised(command, dt=self._dt, pitch_limit=self._pitch_limit)

    def idle(self, state: RunnerState) -> RunnerCommand:
        """The command before a player's first one: no movement, looking where the state looks."""
        return RunnerCommand(0, 0, 0, self._dt, yaw=state.yaw, pitch=state.pitch)

    def fires(self, command: RunnerCommand) -> bool:
        """Whether the command asks for a shot."""
        return command.buttons & RunnerButton.FIRE_PRESSED.value != 0

    def judge(self, peer_id: int, state: RunnerState, tick: int, targets: dict[int, Vector]) -> tuple[bytes, ...]:
        """The packets that tell everyone the result of a shot; ``targets`` are where the shooter saw the others."""
        result, visual = judge_shot(peer_id, state, tick, targets)
        return encode_fire(result), encode_fire(visual)

    def builder(self) -> CommandBuilder:
        """A new builder of commands, for one client."""
        return CommandBuilder(dt=round32(1 / self.config.client_tick_rate), pitch_limit=self._pitch_limit)

    def forget(self, state: RunnerState) -> RunnerState:
        """The state with its locomotion reset, as clients kept snapshots before protocol 6."""
        return state.with_initial_locomotion()

    def welcome(self, *, peer_id: int, delay_ticks: int, server_tick: int) -> RunnerWelcome:
        """A server's answer to a hello."""
        return RunnerWelcome.of(self.config, peer_id=peer_id, delay_ticks=delay_ticks, server_tick=server_tick)

    def adopt(self, welcome: RunnerWelcome) -> "NetRunner":
        """The profile with the server's numbers and this world, as a client uses it from its welcome on."""
        if welcome.version != PROTOCOL_VERSION:
            raise UsageError(f"a welcome of protocol {welcome.version} cannot be adopted by {PROTOCOL_VERSION}")
        return NetRunner(welcome.config(), self.motor.world)
