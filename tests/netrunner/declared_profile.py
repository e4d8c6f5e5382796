"""A game from a declaration: a motor, the numbers of its state, the numbers of its commands. No packet to write.

State and command are NamedTuples. A command begins with ``seq``, ``tick`` and ``epoch``; what follows is the game's.
After each step the state is brought to what packets can carry. So a declared game cannot have hidden state, and a
replay from a snapshot cannot differ from the server's run.

::

    input bundle    u8 1   u8 count, 1 to 5   commands, newest first: u32 seq, tick, epoch, then the declared numbers
    snapshot        u8 2   u32 tick   u8 count   players: i32 peer id, u32 ack, the declared numbers, input statistics
    control         u8 3   see control.py
    message         u8 4   bytes of the game's own, from ``judge``

Little-endian. A Real is an f32, a Flag a u8, a Whole an i32 if it may be negative, else a u32.
"""

import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, pi, remainder
from typing import Any, Final, NamedTuple, TypeAlias

from retick.errors import EncodeError, InvalidValue, UsageError
from retick.host.stats import InputStats
from retick.netrunner.messages import (
    INPUT_STATS_FORMAT,
    ControlMessages,
    PlayerView,
    SessionNumbers,
    SharedMessage,
    SnapshotView,
)
from retick.netrunner.profile import Command, Intent, Motor, Rewound, State
from retick.wire.values import LARGEST, round32

__all__ = [
    "NUMBERS",
    "Angle",
    "DeclaredBuilder",
    "DeclaredLayout",
    "DeclaredProfile",
    "Flag",
    "Kind",
    "Real",
    "RoundedMotor",
    "Welcome",
    "Whole",
    "check_declared",
    "clamp",
    "code_of",
    "control_messages",
    "fits",
    "is_public",
    "quantise",
    "span_of",
    "unquantise",
]


# The kinds of numbers that a game declares: their bounds, how packets carry them, how finely others see them.

# retick: floats -- binary32 values, and coarse copies for drawing


_F32: Final = struct.Struct("<f")
_PI32: Final = round32(pi)
"""A little more than pi: the binary32 number next to it."""


@dataclass(frozen=True, slots=True)
class Real:
    """A binary32 number within bounds."""

    lowest: float
    highest: float
    steps: int = 0
    """Steps in one unit, as other players see it; 0 hides it from them."""
    keep: bool = False
    """In a command: keeps its value in ticks that run without a command, as the direction of a look does."""

    def problem(self) -> str | None:
        """What is wrong with the declaration, in words."""
        if not -LARGEST <= self.lowest < self.highest <= LARGEST:
            return f"bounds must ascend and be binary32 numbers, not {self.lowest} to {self.highest}"
        return _steps_problem(self.steps)


@dataclass(frozen=True, slots=True)
class Angle:
    """A direction in radians, as binary32: from -pi to pi. Any other number is brought there by whole turns."""

    steps: int = 0
    """Steps in one radian, as other players see it; 0 hides it from them."""
    keep: bool = False
    """In a command: keeps its value in ticks that run without a command."""

    def problem(self) -> str | None:
        """What is wrong with the declaration, in words."""
        return _steps_problem(self.steps)


@dataclass(frozen=True, slots=True)
class Whole:
    """An integer within bounds."""

    lowest: int
    highest: int
    public: bool = False
    """Whether other players see it."""

    def problem(self) -> str | None:
        """What is wrong with the declaration, in words."""
        if not -(1 << 31) <= self.lowest < self.highest < 1 << 32:
            return f"bounds must ascend and fit 32 bits, not {self.lowest} to {self.highest}"
        if self.lowest < 0 and self.highest >= 1 << 31:
            return f"bounds must fit 32 bits with a sign or without one, not {self.lowest} to {self.highest}"
        return None


@dataclass(frozen=True, slots=True)
class Flag:
    """Yes or no."""

    public: bool = False
    """Whether other players see it."""
    press: bool = False
    """In a command: true in one command for each key-down, and never repeated by the server."""

    def problem(self) -> str | None:
        """What is wrong with the declaration: nothing can be."""
        return None


Kind: TypeAlias = Real | Angle | Whole | Flag


def _steps_problem(steps: int) -> str | None:
    return None if isinstance(steps, int) and steps >= 0 else f"steps must be 0 or a whole number above, not {steps}"


def check_declared(what: str, names: Iterable[str], declared: Mapping[str, Any]) -> None:
    """A UsageError that names the field, unless each field of the state or command is declared, in order and right."""
    expected = list(names)
    for name, kind in declared.items():
        if name not in expected:
            raise UsageError(
                f"declare every field of the {what}: {name!r} is declared, and the {what} has no such field"
            )
        if not isinstance(kind, Kind):
            raise UsageError(f"field {name!r} of the {what} must be a Real, Angle, Whole or Flag, not {kind!r}")
        problem = kind.problem()
        if problem is not None:
            raise UsageError(f"field {name!r} of the {what}: {problem}")
    for name in expected:
        if name not in declared:
            raise UsageError(f"declare every field of the {what}: {name!r} is missing")
    for name, found in zip(expected, declared, strict=True):
        if name != found:
            raise UsageError(f"declare every field of the {what} in its order: {name!r} comes before {found!r}")


def is_public(kind: Kind) -> bool:
    """Whether other players see it."""
    return kind.steps > 0 if isinstance(kind, (Real, Angle)) else kind.public


def code_of(kind: Kind) -> str:
    """Its ``struct`` code."""
    if isinstance(kind, (Real, Angle)):
        return "f"
    if isinstance(kind, Flag):
        return "B"
    return "i" if kind.lowest < 0 else "I"


def clamp(kind: Kind, value: float) -> float:
    """The value within bounds, as packets carry it. Clamping it again changes nothing."""
    if isinstance(kind, Flag):
        return bool(value)
    if isinstance(kind, Whole):
        return max(kind.lowest, min(kind.highest, int(value)))
    if not isfinite(value):
        value = 0.0
    if isinstance(kind, Angle):
        return round32(value if -_PI32 <= value <= _PI32 else remainder(value, 2 * pi))
    return round32(max(kind.lowest, min(kind.highest, value)))


def fits(kind: Kind, value: float) -> bool:
    """Whether the value can be used: a Real or Angle must be finite. One out of bounds is brought there, so it fits."""
    return not isinstance(kind, (Real, Angle)) or isfinite(value)


def _bounds(kind: Real | Angle) -> tuple[float, float]:
    return (-pi, pi) if isinstance(kind, Angle) else (kind.lowest, kind.highest)


def span_of(name: str, kind: Kind, *, exact: bool) -> tuple[str, int, int]:
    """Name, lowest and highest of the whole number that stands for it in a row."""
    if isinstance(kind, Flag):
        return name, 0, 1
    if isinstance(kind, Whole):
        return name, kind.lowest, kind.highest
    if exact:
        return name, 0, 0xFFFFFFFF
    lowest, highest = _bounds(kind)
    return name, round(lowest * kind.steps), round(highest * kind.steps)


def quantise(kind: Kind, value: float, *, exact: bool) -> int:
    """The whole number that stands for the value in a row: of a Real its bits if ``exact``, else its steps."""
    if isinstance(kind, (Real, Angle)):
        if exact:
            return int.from_bytes(_F32.pack(value), "little")
        lowest, highest = _bounds(kind)
        # A bound rounded to binary32 may lie outside the bound as declared, and be one step more than the field has.
        steps: int = round(max(lowest, min(highest, value)) * kind.steps)
        return steps
    return int(value)


def unquantise(kind: Kind, number: int, *, exact: bool) -> float:
    """The value for which the number stands."""
    if isinstance(kind, Flag):
        return bool(number)
    if isinstance(kind, Whole):
        return number
    return _F32.unpack(number.to_bytes(4, "little"))[0] if exact else number / kind.steps


# Commands of a declared game, made from what is held at the controls.


class DeclaredBuilder:
    """One client's builder. An intent is any object with the declared names as attributes."""

    def __init__(self, command: type[Any], kinds: Mapping[str, Kind]) -> None:
        self._command = command
        self._kinds = kinds
        self._presses = {name: False for name, kind in kinds.items() if isinstance(kind, Flag) and kind.press}
        self._were_held = dict(self._presses)

    def clear(self) -> None:
        self._presses = dict.fromkeys(self._presses, False)

    def sample(self, intent: Intent, state: State | None) -> None:
        for name, was_held in self._were_held.items():
            held = bool(getattr(intent, name))
            self._presses[name] = self._presses[name] or (held and not was_held)
            self._were_held[name] = held

    def build(self, intent: Intent, *, seq: int, tick: int, epoch: int) -> Command:
        values: list[float] = []
        for name, kind in self._kinds.items():
            if name in self._presses:
                values.append(self._presses[name])
                self._presses[name] = False
            else:
                values.append(clamp(kind, getattr(intent, name)))
        return self._command(seq, tick, epoch, *values)


# The Welcome of declared games. Their other control messages are those of ``wire.authority``.
#
# ::
#
#     0  u8  3, the packet type
#     1  u8  2, the subtype
#     2  u32 version   i32 peer id   u32 server tick rate, client tick rate, snapshot rate
#        u32 interpolation delay ms, extrapolation ms, smoothing ms   f32 snap threshold   i32 input delay ticks
#        u32 server tick
#
# Little-endian. Every control message has the length of its fields; any other length is refused.

# retick: floats -- one threshold, carried as binary32


class Welcome(NamedTuple):
    """The server's answer to a hello, in wire order. wire.authority.SessionNumbers has the units.

    NetRunner's Welcome begins with the same fields. Each is written out, since each is a wire format of its own that
    may change alone, and a NamedTuple cannot inherit fields.
    """

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


NUMBERS: Final = Welcome._fields[2:9]
"""The fields of a Welcome that SessionNumbers has too, under the same names."""


def control_messages(version: int) -> ControlMessages[Welcome]:
    """The control messages of a declared game of this version."""
    return ControlMessages(Welcome, "Ii6IfiI", version=version)


# The rows of a declared game's delta snapshots.


class DeclaredLayout:
    """A state as rows: exact for its own player, and what is public for the others."""

    def __init__(self, state: type[Any], kinds: Mapping[str, Kind]) -> None:
        self._state = state
        self._kinds = list(kinds.values())
        self._shown = [(index, kind) for index, kind in enumerate(self._kinds) if is_public(kind)]
        names = list(kinds)
        self.exact = [span_of(name, kind, exact=True) for name, kind in kinds.items()]
        self.public = [span_of(names[index], kind, exact=False) for index, kind in self._shown]
        if not self.public:
            raise UsageError("others see nothing of a player: give at least one number steps, or make it public")

    def exact_row(self, state: State) -> tuple[int, ...]:
        return tuple(quantise(kind, value, exact=True) for kind, value in zip(self._kinds, state, strict=True))

    def exact_state(self, row: tuple[int, ...]) -> State:
        values = [unquantise(kind, number, exact=True) for kind, number in zip(self._kinds, row, strict=True)]
        if not all(map(fits, self._kinds, values)):
            raise InvalidValue("a player's own row has a value that is not a finite number")
        return self._state._make(values)

    def public_row(self, state: State) -> tuple[int, ...]:
        return tuple(quantise(kind, state[index], exact=False) for index, kind in self._shown)

    def public_state(self, row: tuple[int, ...]) -> State:
        """What is not public is 0, or as near to it as its bounds allow."""
        values = [clamp(kind, 0) for kind in self._kinds]
        for (index, kind), number in zip(self._shown, row, strict=True):
            values[index] = unquantise(kind, number, exact=False)
        return self._state._make(values)


# The motor of a declared game: the game's own, with every state brought to what packets can carry.


class RoundedMotor:
    """Wraps a game's motor. A state restored from a snapshot then equals the one that was sent, to the bit."""

    def __init__(self, motor: Motor, kinds: Mapping[str, Kind]) -> None:
        self._motor = motor
        self._named = kinds
        self._kinds = list(kinds.values())

    def _rounded(self, state: State) -> State:
        try:
            return state._make(map(clamp, self._kinds, state))
        except (TypeError, ValueError, OverflowError, AttributeError) as error:
            raise self._unfit(state) from error

    def _unfit(self, state: State) -> UsageError:
        """An error that names the field whose value is no number."""
        for name, kind in self._named.items():
            value = getattr(state, name, 0)
            try:
                clamp(kind, value)
            except (TypeError, ValueError, OverflowError):
                return UsageError(f"the motor gave a state whose field {name!r} is {value!r}: it must be a number")
        return UsageError(f"the motor gave {state!r}, which is not a state with the fields {', '.join(self._named)}")

    def spawn(self, peer_id: int) -> State:
        return self._rounded(self._motor.spawn(peer_id))

    def step(self, state: State, command: Command) -> State:
        return self._rounded(self._motor.step(state, command))


# retick: floats -- values as binary32, as packets carry them


INPUTS: Final = 1
SNAPSHOT: Final = 2
MESSAGE: Final = 4
MAX_COMMANDS: Final = 5
_HEAD: Final = struct.Struct("<BIB")
STAMPS: Final = ("seq", "tick", "epoch")


class DeclaredProfile:
    """A declared game, as a server or client uses it."""

    max_commands: Final = MAX_COMMANDS
    welcome_type: Final = Welcome

    def __init__(
        self,
        *,
        game_id: str,
        version: int,
        motor: Motor,
        state: type[Any],
        state_fields: Mapping[str, Kind],
        command: type[Any],
        command_fields: Mapping[str, Kind],
        config: SessionNumbers | None = None,
        shoots: Callable[[Command], bool] | None = None,
        judge: Callable[[int, State, int, Rewound], Sequence[bytes]] | None = None,
        judge_in_room: Callable[[str, int, State, int, Rewound], Sequence[bytes]] | None = None,
    ) -> None:
        """``shoots`` tells whether a command fires; ``judge`` gives the messages that tell everyone what a shot did.

        Each message has at most 4095 bytes. ``judge_in_room`` is the same with the room's name before the rest, for a
        game with several rooms; give one of the two.
        """
        if command._fields[: len(STAMPS)] != STAMPS:
            raise UsageError(f"a command begins with the fields {', '.join(STAMPS)}, not {command._fields}")
        if judge is not None and judge_in_room is not None:
            raise UsageError("give judge or judge_in_room, not both")
        check_declared("state", state._fields, state_fields)
        check_declared("command", command._fields[len(STAMPS) :], command_fields)
        if "teleports" in state_fields and not is_public(state_fields["teleports"]):
            raise UsageError("field 'teleports' of the state must be public: others must know where not to interpolate")
        self.game_id = game_id
        self.protocol_version = version
        self.config = config or SessionNumbers()
        self.motor = RoundedMotor(motor, state_fields)
        self.layout = DeclaredLayout(state, state_fields)
        self._given: dict[str, Any] = {
            "game_id": game_id, "version": version, "motor": motor, "state": state, "state_fields": state_fields,
            "command": command, "command_fields": command_fields, "shoots": shoots, "judge": judge,
            "judge_in_room": judge_in_room,
        }  # fmt: skip
        self._control = control_messages(version)
        self._state, self._state_kinds = state, list(state_fields.values())
        self._command, self._kinds = command, list(command_fields.values())
        self._named = dict(command_fields)
        self._shoots, self._judge, self._judge_in_room = shoots, judge, judge_in_room
        self._one = struct.Struct("<III" + "".join(map(code_of, self._kinds)))
        self._player = struct.Struct("<iI" + "".join(map(code_of, self._state_kinds)) + INPUT_STATS_FORMAT)

    # Commands.

    def sanitise(self, command: Command) -> Command | None:
        if not (
            command.seq > 0 and command.tick > 0 and command.epoch > 0 and all(map(fits, self._kinds, command[3:]))
        ):
            return None
        return self._command(*command[:3], *map(clamp, self._kinds, command[3:]))

    def idle(self, state: State) -> Command:
        return self._command(0, 0, 0, *(clamp(kind, 0) for kind in self._kinds))

    def hold(self, command: Command) -> Command:
        return self._changed(command, lambda kind: isinstance(kind, Flag) and kind.press)

    def neutral(self, command: Command) -> Command:
        return self._changed(command, lambda kind: not (isinstance(kind, (Real, Angle)) and kind.keep))

    def _changed(self, command: Command, drops: Callable[[Kind], bool]) -> Command:
        values = (
            clamp(kind, 0) if drops(kind) else value for kind, value in zip(self._kinds, command[3:], strict=True)
        )
        return self._command(*command[:3], *values)

    def fires(self, command: Command) -> bool:
        return self._shoots is not None and self._shoots(command)

    def judge(self, peer_id: int, state: State, tick: int, targets: Rewound) -> list[bytes]:
        return self.judge_in_room("", peer_id, state, tick, targets)

    def judge_in_room(self, room: str, peer_id: int, state: State, tick: int, targets: Rewound) -> list[bytes]:
        if self._judge_in_room is not None:
            messages = self._judge_in_room(room, peer_id, state, tick, targets)
        else:
            messages = self._judge(peer_id, state, tick, targets) if self._judge is not None else ()
        return [bytes((MESSAGE,)) + message for message in messages]

    def builder(self) -> DeclaredBuilder:
        return DeclaredBuilder(self._command, self._named)

    def forget(self, state: State) -> State:
        return state

    # Packets.

    def encode_inputs(self, commands: Sequence[Command]) -> bytes:
        if not 1 <= len(commands) <= MAX_COMMANDS:
            raise EncodeError(f"a bundle holds 1 to {MAX_COMMANDS} commands, not {len(commands)}")
        return bytes((INPUTS, len(commands))) + b"".join(self._one.pack(*command) for command in commands)

    def decode_inputs(self, data: bytes) -> list[Command]:
        if len(data) < 2 or data[0] != INPUTS or not 1 <= data[1] <= MAX_COMMANDS:
            raise InvalidValue("not an input bundle")
        if len(data) != 2 + data[1] * self._one.size:
            raise InvalidValue(
                f"a bundle of {data[1]} commands has {2 + data[1] * self._one.size} bytes, not {len(data)}"
            )
        return [self._command._make(values) for values in self._one.iter_unpack(data[2:])]

    def encode_snapshot(self, tick: int, players: Sequence[PlayerView[State]]) -> bytes:
        rows = (self._player.pack(p.peer_id, p.ack, *p.state, *p.stats) for p in players)
        return _HEAD.pack(SNAPSHOT, tick, len(players)) + b"".join(rows)

    def decode_snapshot(self, data: bytes) -> SnapshotView[State]:
        if len(data) < _HEAD.size or data[0] != SNAPSHOT:
            raise InvalidValue("not a snapshot")
        _, tick, count = _HEAD.unpack_from(data)
        if len(data) != _HEAD.size + count * self._player.size:
            raise InvalidValue(f"a snapshot of {count} players cannot have {len(data)} bytes")
        return SnapshotView(tick, tuple(map(self._view, self._player.iter_unpack(data[_HEAD.size :]))))

    def _view(self, row: tuple[Any, ...]) -> PlayerView[State]:
        width = len(self._state_kinds)
        values, stats = row[2 : 2 + width], InputStats._make(row[2 + width :])
        if not (all(map(fits, self._state_kinds, values)) and isfinite(stats.rtt_ms) and isfinite(stats.jitter_ms)):
            raise InvalidValue(f"player {row[0]} has a value that is not a finite number")
        return PlayerView(row[0], row[1], self._state._make(map(clamp, self._state_kinds, values)), stats)

    def encode_control(self, message: SharedMessage | Welcome) -> bytes:
        return self._control.encode(message)

    def decode(self, data: bytes) -> SharedMessage | Welcome | bytes:
        """A control message, or the bytes of a message of the game's own."""
        if data[:1] == bytes((MESSAGE,)):
            return bytes(data[1:])
        return self._control.decode(data)

    # Sessions.

    def welcome(self, *, peer_id: int, delay_ticks: int, server_tick: int) -> Welcome:
        numbers = [getattr(self.config, name) for name in NUMBERS]
        return Welcome._make((self.protocol_version, peer_id, *numbers, delay_ticks, server_tick))

    def adopt(self, welcome: Welcome) -> "DeclaredProfile":
        """The profile with the server's numbers; a UsageError when one of them is out of bounds."""
        numbers = {name: getattr(welcome, name) for name in NUMBERS}
        return DeclaredProfile(config=SessionNumbers(**numbers), **self._given)
