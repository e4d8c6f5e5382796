"""Commands made honest: bounds, refusals, presses that last, and passes that change nothing the second time."""

import struct
from math import cos, hypot, inf, nan, pi, sin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.games.runner import CommandBuilder, Intent, Mode, RunnerButton, RunnerCommand, RunnerState
from retick.games.runner.commands import held, neutral, sanitised_axes, wrapped_yaw
from retick.netrunner import NetRunner
from retick.wire.values import PI, round32

NET = NetRunner()

GROUNDED = RunnerState(0.0, 0.0, 0.0, grounded=True)

AIRBORNE = RunnerState(0.0, 1.0, 0.0, mode=Mode.AIR)

floats32 = st.floats(width=32, allow_nan=False, allow_infinity=False)

commands = st.builds(
    RunnerCommand,
    seq=st.integers(1, 0xFFFFFFFF),
    tick=st.integers(1, 0xFFFFFFFF),
    epoch=st.integers(1, 0xFFFFFFFF),
    dt=floats32,
    move_x=floats32,
    move_y=floats32,
    buttons=st.integers(0, 255),
    yaw=st.one_of(floats32, st.sampled_from([PI, -PI, round32(-pi), round32(3.5)])),
    pitch=floats32,
)


def bits(command: RunnerCommand) -> bytes:
    return struct.pack("<IIIfffBff", *command)


@given(commands)
def test_sanitising_twice_changes_no_bit(command: RunnerCommand) -> None:
    once = NET.sanitise(command)
    assert once is not None
    twice = NET.sanitise(once)
    assert twice is not None
    assert bits(twice) == bits(once)
    assert NET.decode_inputs(NET.encode_inputs([once])) == (once,)


@given(commands)
def test_a_sanitised_command_is_within_all_bounds(command: RunnerCommand) -> None:
    found = NET.sanitise(command)
    assert found is not None
    assert hypot(found.move_x, found.move_y) <= 1 + 1e-6
    assert -PI <= found.yaw < PI
    assert abs(found.pitch) <= NET.config.pitch_limit
    assert found.buttons == command.buttons & 7
    assert found.dt == round32(1 / 60)
    assert found[:3] == command[:3]


@given(st.floats(-50, 50))
def test_wrapping_keeps_the_direction(yaw: float) -> None:
    wrapped = wrapped_yaw(round32(yaw))
    assert (sin(wrapped), cos(wrapped)) == pytest.approx((sin(yaw), cos(yaw)), abs=1e-5)


def test_a_half_turn_is_always_the_negative_one() -> None:
    assert wrapped_yaw(round32(pi)) == -PI
    assert wrapped_yaw(-PI) == -PI
    assert wrapped_yaw(round32(3 * pi)) == pytest.approx(-pi, abs=1e-5)


def test_axes_are_clamped_one_by_one_and_then_to_unit_length() -> None:
    assert sanitised_axes(5.0, 0.0) == (1.0, 0.0)
    assert sanitised_axes(0.5, -9.0) == (pytest.approx(0.4472136), pytest.approx(-0.8944272))
    assert sanitised_axes(0.6, 0.8) == (0.6, 0.8)


@pytest.mark.parametrize(
    "change",
    [{"seq": 0}, {"tick": 0}, {"epoch": 0}]
    + [{name: bad} for name in ("move_x", "move_y", "yaw", "pitch") for bad in (nan, inf, -inf)],
)
def test_a_command_without_number_tick_epoch_or_sense_is_refused(change: dict[str, float]) -> None:
    sound = RunnerCommand(1, 1, 1)
    assert NET.sanitise(sound) is not None
    assert NET.sanitise(sound._replace(**change)) is None  # type: ignore[arg-type]  # the names are fields


def test_a_step_length_that_is_no_number_is_overwritten_not_refused() -> None:
    found = NET.sanitise(RunnerCommand(1, 1, 1, nan))
    assert found is not None
    assert found.dt == round32(1 / 60)


def test_a_repeated_command_moves_on_but_presses_nothing() -> None:
    command = RunnerCommand(1, 2, 3, 0.5, 0.25, 1.0, 7, 0.5, 0.25)
    assert held(command) == command._replace(buttons=RunnerButton.JUMP_HELD)
    assert neutral(command) == RunnerCommand(1, 2, 3, 0.5, 0.0, 0.0, 0, 0.5, 0.25)
    assert NET.idle(GROUNDED._replace(yaw=1.0, pitch=0.5))[3:] == (round32(1 / 60), 0.0, 0.0, 0, 1.0, 0.5)
    assert NET.fires(command)
    assert not NET.fires(NET.hold(command))


def presses(builder: CommandBuilder, held_down: str, state: RunnerState, bit: RunnerButton) -> str:
    found = ""
    for tick, key in enumerate(held_down, 1):
        intent = Intent(jump=key == "#", fire=key == "#")
        builder.sample(intent, state)
        found += "P" if builder.build(intent, seq=tick, tick=tick, epoch=1).buttons & bit else "."
    return found


def test_a_jump_press_lasts_two_commands_and_needs_a_new_key_down() -> None:
    assert presses(NET.builder(), ".####..#.", GROUNDED, RunnerButton.JUMP_PRESSED) == ".PP....PP"
    assert presses(NET.builder(), ".####..#.", GROUNDED, RunnerButton.JUMP_HELD) == ".PPPP..P."
    assert presses(NET.builder(), ".####..#.", GROUNDED, RunnerButton.FIRE_PRESSED) == ".P.....P."


@pytest.mark.parametrize(("mode", "counts"), [(1, False), (2, True), (3, True), (4, False)])
def test_a_key_down_counts_only_where_a_jump_can_start(mode: int, counts: bool) -> None:
    found = presses(NET.builder(), "#", AIRBORNE._replace(mode=mode), RunnerButton.JUMP_PRESSED)
    assert found == ("P" if counts else ".")


def test_presses_under_way_are_forgotten_on_request() -> None:
    builder = NET.builder()
    builder.sample(Intent(jump=True, fire=True), GROUNDED)
    builder.clear()
    assert builder.build(Intent(), seq=1, tick=1, epoch=1).buttons == 0


def test_a_builder_without_a_body_presses_no_jump() -> None:
    builder = NET.builder()
    builder.sample(Intent(jump=True), None)
    assert builder.build(Intent(jump=True), seq=1, tick=1, epoch=1).buttons == RunnerButton.JUMP_HELD


@given(st.floats(), st.floats(), st.floats(), st.floats())
def test_whatever_the_controls_say_the_command_is_sendable_and_sane(
    x: float, y: float, yaw: float, pitch: float
) -> None:
    command = NET.builder().build(Intent(x, y, yaw, pitch), seq=1, tick=2, epoch=0)
    assert command.epoch == 1
    assert NET.sanitise(command) == command
    assert NET.decode_inputs(NET.encode_inputs([command])) == (command,)
    NET.motor.step(GROUNDED, command)
