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

# retick: floats -- values as binary32, as packets carry them

import struct
from collections.abc import Callable, Mapping, Sequence
from math import isfinite
from typing import Any, Final

from retick.authority.declared.builder import DeclaredBuilder
from retick.authority.declared.control import NUMBERS, Welcome, control_messages
from retick.authority.declared.fields import Angle, Flag, Kind, Real, check_declared, clamp, code_of, fits, is_public
from retick.authority.declared.layout import DeclaredLayout
from retick.authority.declared.motor import RoundedMotor
from retick.authority.profile import Command, Motor, Rewound, State
from retick.errors import EncodeError, InvalidValue, UsageError
from retick.wire.authority import (
    INPUT_STATS_FORMAT,
    InputStats,
    PlayerView,
    SessionNumbers,
    SharedMessage,
    SnapshotView,
)

__all__ = ["DeclaredProfile"]

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
