"""What a player wants at one tick: the command, sanitised at both ends by the same arithmetic.

Sanitising twice gives the same bits as sanitising once. The client sanitises and predicts with the result; the server
sanitises what arrives. If the second pass changed a bit, prediction and server would diverge for no reason.
"""

# retick: floats -- axes and look are binary32 on the wire; sanitising twice changes nothing

from enum import IntFlag
from math import fmod, isfinite, pi, sqrt
from typing import Final, NamedTuple

from retick.games.runner.locomotion import Mode
from retick.games.runner.state import RunnerState
from retick.wire.values import PI, round32

LONGEST_AXES_SQUARED: Final = 1.0 + 1e-6
"""The squared length up to which axes are not shortened: a unit vector rounded to binary32 stays below it."""

JUMP_PRESS_COMMANDS: Final = 2
"""How many commands carry one key-down."""
FIRE_PRESS_COMMANDS: Final = 1
MODES_TO_JUMP_FROM: Final = (Mode.WALL_RUN, Mode.WALL_CLING)
"""The modes in which a jump can start, besides standing on the floor."""


class RunnerButton(IntFlag):
    """Bits of ``Command.buttons``; the other five are masked off."""

    JUMP_PRESSED = 0x01
    JUMP_HELD = 0x02
    FIRE_PRESSED = 0x04


KNOWN_BUTTONS: Final = 0x07
HELD_OVER_BUTTONS: Final = 0x02
"""The buttons that a repeated command keeps: a press belongs to one tick only."""


class RunnerCommand(NamedTuple):
    """What one player wants for one server tick, in wire order."""

    seq: int
    """Counts a client's commands from 1; the server acknowledges it."""
    tick: int
    """The server tick that the command is for, from 1."""
    epoch: int
    """Counts from 1; goes up when the client lost its place in time."""
    dt: float = 0.0
    """The length of a tick in seconds, as the sender has it. No step uses it."""
    move_x: float = 0.0
    """-1 to 1, positive to the right."""
    move_y: float = 0.0
    """-1 to 1, positive forwards."""
    buttons: int = 0
    """Bits of RunnerButton."""
    yaw: float = 0.0
    """In radians, about +y."""
    pitch: float = 0.0
    """In radians, positive upwards."""


class Intent(NamedTuple):
    """The controls held now; a builder turns them into commands. Units are those of RunnerCommand."""

    move_x: float = 0.0
    move_y: float = 0.0
    yaw: float = 0.0
    pitch: float = 0.0
    jump: bool = False
    """Whether the jump key is down."""
    fire: bool = False
    """Whether the fire key is down."""


def _clamped(value: float, limit: float) -> float:
    return limit if value > limit else -limit if value < -limit else value


def sanitised_axes(x: float, y: float) -> tuple[float, float]:
    """Each axis clamped to [-1, 1], then both shortened to unit length if they are longer."""
    x, y = _clamped(x, 1.0), _clamped(y, 1.0)
    square = x * x + y * y
    if square > LONGEST_AXES_SQUARED:
        length = sqrt(square)
        return round32(x / length), round32(y / length)
    return x, y


def wrapped_yaw(yaw: float) -> float:
    """The same direction in [-pi, pi), where pi is the binary32 one. Wrapping the result again does not change it."""
    if -PI <= yaw < PI:
        return yaw
    if yaw == PI:
        return -PI
    turned = fmod(yaw, 2 * pi)
    if turned >= pi:
        turned -= 2 * pi
    elif turned < -pi:
        turned += 2 * pi
    turned = round32(turned)
    return turned if -PI <= turned < PI else -PI


def is_acceptable(command: RunnerCommand) -> bool:
    """Whether a server accepts it: not with seq, tick or epoch 0, nor with a look or axis that is not finite."""
    return (
        command.seq > 0
        and command.tick > 0
        and command.epoch > 0
        and isfinite(command.move_x)
        and isfinite(command.move_y)
        and isfinite(command.yaw)
        and isfinite(command.pitch)
    )


def sanitised(command: RunnerCommand, *, dt: float, pitch_limit: float) -> RunnerCommand:
    """The command clamped to all bounds, with the receiver's ``dt``. It must be acceptable.

    Its floats and ``pitch_limit``, in radians, must be binary32 already: from a packet, or from a builder.
    """
    move_x, move_y = sanitised_axes(command.move_x, command.move_y)
    return RunnerCommand(
        command.seq,
        command.tick,
        command.epoch,
        dt,
        move_x,
        move_y,
        command.buttons & KNOWN_BUTTONS,
        wrapped_yaw(command.yaw),
        _clamped(command.pitch, pitch_limit),
    )


def held(command: RunnerCommand) -> RunnerCommand:
    """The command repeated for a tick that has none of its own: movement and look stay, presses do not."""
    return command._replace(buttons=command.buttons & HELD_OVER_BUTTONS)


def neutral(command: RunnerCommand) -> RunnerCommand:
    """The command with no movement and no buttons, looking where ``command`` looked."""
    return command._replace(move_x=0.0, move_y=0.0, buttons=0)


class CommandBuilder:
    """Turns held controls into commands. Only this class remembers presses."""

    __slots__ = ("_dt", "_fire_commands", "_fire_was_held", "_jump_commands", "_jump_was_held", "_pitch_limit")

    def __init__(self, *, dt: float, pitch_limit: float) -> None:
        self._dt = dt
        self._pitch_limit = pitch_limit
        self._jump_was_held = self._fire_was_held = False
        self._jump_commands = self._fire_commands = 0

    def clear(self) -> None:
        """Forget presses that no command has carried yet: call it after a stall, or when the window lost focus."""
        self._jump_commands = self._fire_commands = 0

    def sample(self, intent: Intent, state: RunnerState | None) -> None:
        """Read the controls, once per client tick. A key-down of jump counts only where a jump can start."""
        can_jump = state is not None and (state.grounded or state.mode in MODES_TO_JUMP_FROM)
        if intent.jump and not self._jump_was_held and can_jump:
            self._jump_commands = JUMP_PRESS_COMMANDS
        if intent.fire and not self._fire_was_held:
            self._fire_commands = FIRE_PRESS_COMMANDS
        self._jump_was_held, self._fire_was_held = intent.jump, intent.fire

    def build(self, intent: Intent, *, seq: int, tick: int, epoch: int) -> RunnerCommand:
        """The command for one tick, sanitised and rounded: predict with it and send it exactly as it is."""
        buttons = RunnerButton.JUMP_HELD.value if intent.jump else 0
        if self._jump_commands:
            self._jump_commands -= 1
            buttons |= RunnerButton.JUMP_PRESSED.value
        if self._fire_commands:
            self._fire_commands -= 1
            buttons |= RunnerButton.FIRE_PRESSED.value
        numbers = (intent.move_x, intent.move_y, intent.yaw, intent.pitch)
        move_x, move_y, yaw, pitch = (round32(value) if isfinite(value) else 0.0 for value in numbers)
        command = RunnerCommand(seq, tick, epoch or 1, self._dt, move_x, move_y, buttons, yaw, pitch)
        return sanitised(command, dt=self._dt, pitch_limit=self._pitch_limit)
