"""A game from a declaration: a motor, the numbers of its state, the numbers of its commands. No packet to write.

The state and the command are named tuples. A command begins with ``seq``, ``tick`` and ``epoch``; what follows is the
game's. After each step the state is brought to what the wire can carry, so that a replay from a snapshot cannot
differ: a game declared here has no hidden state by construction.
"""

# retick: floats -- values as binary32, the width of the wire

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final

from retick.authority import control
from retick.authority.delta import SnapshotView
from retick.authority.fields import LARGEST, Flag, Kind, Real, clamp, code_of, fits, quantise, span_of, unquantise
from retick.authority.shapes import Command, Motor, Rewound, State
from retick.authority.stats import InputStats, PlayerView
from retick.errors import EncodeError, InvalidValue, UsageError

__all__ = ["DeclaredLayout", "DeclaredProfile", "SessionNumbers"]

INPUTS: Final = 1
SNAPSHOT: Final = 2
MESSAGE: Final = 4
MAX_COMMANDS: Final = 5
_HEAD: Final = struct.Struct("<BIB")
STAMPS: Final = ("seq", "tick", "epoch")


_LARGEST_INT: Final = 2147483647
_BOUNDS: Final[dict[str, tuple[float, float]]] = {
    "server_tick_rate": (1, 1000),
    "client_tick_rate": (1, 1000),
    "snapshot_rate": (1, 1000),
    "input_delay_ticks": (0, 10),
    "interpolation_delay_ms": (0, _LARGEST_INT),
    "max_extrapolation_ms": (0, _LARGEST_INT),
    "reconcile_snap_threshold": (1e-3, LARGEST),
    "max_players": (1, 255),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionNumbers:
    """What a server decides for a session."""

    server_tick_rate: int = 60
    """Ticks a second."""
    client_tick_rate: int = 60
    """Commands a second."""
    snapshot_rate: int = 20
    """Snapshots a second."""
    input_delay_ticks: int = 3
    """Ticks ahead a client first stamps its commands."""
    interpolation_delay_ms: int = 100
    """Milliseconds that others are shown in the past."""
    max_extrapolation_ms: int = 100
    """Milliseconds that others are moved past their newest snapshot."""
    reconcile_smooth_ms: int = 100
    """Milliseconds over which a correction fades."""
    reconcile_snap_threshold: float = 1.5
    """Units from which a correction is shown at once."""
    max_players: int = 16
    """In a room."""

    def __post_init__(self) -> None:
        for item in fields(self):
            low, high = _BOUNDS.get(item.name, (1, _LARGEST_INT))
            value = getattr(self, item.name)
            if not isinstance(value, int | float) or not low <= value <= high:
                raise UsageError(f"{item.name} must be a number from {low} to {high}, not {value!r}")
            if item.type in (int, "int") and value != int(value):
                raise UsageError(f"{item.name} must be a whole number, not {value!r}")


class _RoundedMotor:
    """The game's motor, with states as the wire would bring them."""

    def __init__(self, motor: Motor, kinds: Sequence[Kind]) -> None:
        self._motor = motor
        self._kinds = kinds

    def _rounded(self, state: State) -> State:
        return state._make(map(clamp, self._kinds, state))

    def spawn(self, peer_id: int) -> State:
        return self._rounded(self._motor.spawn(peer_id))

    def step(self, state: State, command: Command) -> State:
        return self._rounded(self._motor.step(state, command))


class DeclaredLayout:
    """The rows of delta snapshots, from the declaration."""

    def __init__(self, state: type[Any], kinds: Mapping[str, Kind]) -> None:
        self._state = state
        self._kinds = list(kinds.values())
        self._shown = [
            (index, kind)
            for index, kind in enumerate(self._kinds)
            if (kind.steps if isinstance(kind, Real) else kind.public)
        ]
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
        values = [clamp(kind, 0) for kind in self._kinds]
        for (index, kind), number in zip(self._shown, row, strict=True):
            values[index] = unquantise(kind, number, exact=False)
        return self._state._make(values)


class _DeclaredBuilder:
    """Commands from what is held: any object with the declared names as attributes."""

    def __init__(self, command: type[Any], kinds: Mapping[str, Kind]) -> None:
        self._command = command
        self._kinds = kinds
        self._presses = {name: False for name, kind in kinds.items() if isinstance(kind, Flag) and kind.press}
        self._were = dict(self._presses)

    def clear(self) -> None:
        self._presses = dict.fromkeys(self._presses, False)

    def sample(self, intent: Any, state: State | None) -> None:
        for name, was in self._were.items():
            held = bool(getattr(intent, name))
            self._presses[name] = self._presses[name] or (held and not was)
            self._were[name] = held

    def build(self, intent: Any, *, seq: int, tick: int, epoch: int) -> Command:
        values = []
        for name, kind in self._kinds.items():
            if name in self._presses:
                values.append(self._presses[name])
                self._presses[name] = False
            else:
                values.append(clamp(kind, getattr(intent, name)))
        return self._command(seq, tick, epoch, *values)


class DeclaredProfile:
    """A game as a server or client drives it."""

    max_commands: Final = MAX_COMMANDS
    messages: Final = control

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
        shoots: Callable[[Any], bool] | None = None,
        judge: Callable[[int, Any, int, Rewound], Sequence[bytes]] | None = None,
    ) -> None:
        """``shoots`` says of a command that it fires, ``judge`` what a shot does: messages for everyone."""
        if tuple(state_fields) != state._fields or (*STAMPS, *command_fields) != command._fields:
            raise UsageError("declare every field of the state, and of the command after seq, tick and epoch, in order")
        self.game_id = game_id
        self.protocol_version = version
        self.config = config or SessionNumbers()
        self.motor = _RoundedMotor(motor, list(state_fields.values()))
        self.layout = DeclaredLayout(state, state_fields)
        self._given = {
            "game_id": game_id, "version": version, "motor": motor, "state": state, "state_fields": state_fields,
            "command": command, "command_fields": command_fields, "shoots": shoots, "judge": judge,
        }  # fmt: skip
        self._state, self._state_kinds = state, list(state_fields.values())
        self._command, self._kinds = command, list(command_fields.values())
        self._named = dict(command_fields)
        self._shoots, self._judge = shoots, judge
        self._one = struct.Struct("<III" + "".join(map(code_of, self._kinds)))
        self._player = struct.Struct("<iI" + "".join(map(code_of, self._state_kinds)) + "7Iiff")

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
        return self._changed(command, lambda kind, value: isinstance(kind, Flag) and kind.press)

    def neutral(self, command: Command) -> Command:
        return self._changed(command, lambda kind, value: not (isinstance(kind, Real) and kind.keep))

    def _changed(self, command: Command, drops: Callable[[Kind, Any], bool]) -> Command:
        values = (
            clamp(kind, 0) if drops(kind, value) else value
            for kind, value in zip(self._kinds, command[3:], strict=True)
        )
        return self._command(*command[:3], *values)

    def fires(self, command: Command) -> bool:
        return self._shoots is not None and self._shoots(command)

    def judge(self, peer_id: int, state: State, tick: int, targets: Rewound) -> list[bytes]:
        told = self._judge(peer_id, state, tick, targets) if self._judge is not None else ()
        return [bytes((MESSAGE,)) + message for message in told]

    def builder(self) -> _DeclaredBuilder:
        return _DeclaredBuilder(self._command, self._named)

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

    def encode_snapshot(self, tick: int, players: Sequence[Any]) -> bytes:
        rows = (self._player.pack(p.peer_id, p.ack, *p.state, *p.stats) for p in players)
        return _HEAD.pack(SNAPSHOT, tick, len(players)) + b"".join(rows)

    def decode_snapshot(self, data: bytes) -> SnapshotView:
        if len(data) < _HEAD.size or data[0] != SNAPSHOT:
            raise InvalidValue("not a snapshot")
        _, tick, count = _HEAD.unpack_from(data)
        if len(data) != _HEAD.size + count * self._player.size:
            raise InvalidValue(f"a snapshot of {count} players cannot have {len(data)} bytes")
        return SnapshotView(tick, tuple(map(self._view, self._player.iter_unpack(data[_HEAD.size :]))))

    def _view(self, row: tuple[Any, ...]) -> PlayerView:
        width = len(self._state_kinds)
        values, stats = row[2 : 2 + width], InputStats._make(row[2 + width :])
        if (
            not all(map(fits, self._state_kinds, values))
            or stats.rtt_ms - stats.rtt_ms
            or stats.jitter_ms - stats.jitter_ms
        ):
            raise InvalidValue(f"player {row[0]} has a value that is not a finite number")
        return PlayerView(row[0], row[1], self._state._make(map(clamp, self._state_kinds, values)), stats)

    def encode_control(self, message: Any) -> bytes:
        return control.encode_control(message)

    def decode(self, data: bytes) -> Any:
        """A control message, or the bytes of one of the game's own."""
        if data[:1] == bytes((MESSAGE,)):
            return bytes(data[1:])
        return control.decode_control(data, self.protocol_version)

    # Sessions.

    def welcome(self, *, peer_id: int, delay_ticks: int, server_tick: int) -> control.Welcome:
        numbers = [getattr(self.config, name) for name in control.Welcome._fields[2:9]]
        return control.Welcome._make((self.protocol_version, peer_id, *numbers, delay_ticks, server_tick))

    def adopt(self, welcome: control.Welcome) -> "DeclaredProfile":
        """The profile with the server's numbers; absurd ones are refused."""
        numbers = dict(zip(control.Welcome._fields[2:9], welcome[2:9], strict=True))
        return DeclaredProfile(config=SessionNumbers(**numbers), **self._given)  # type: ignore[arg-type]  # as they were given
