"""Modes of movement: the specification's checks, branch by branch."""

from math import pi

import pytest

from retick.games.runner import (
    CourseBox,
    CourseWorld,
    LocomotionState,
    Mode,
    RunnerCommand,
    RunnerMotor,
    RunnerState,
    Tuning,
)
from retick.wire.values import round32
from tests.games.runner.motor.runs import FLAT, FORWARD, START, WALL, loco, near, run


def test_a_wall_run_lasts_24_states_and_begins_again_after_8() -> None:
    found = run(WALL, 60, yaw=-pi / 4, jumps=(20, 21))
    assert (found[20].x, found[20].mode) == (near(0.649), Mode.AIR)
    assert loco(found[21]) == "0a001800007f"
    assert (loco(found[22]), found[22].vy) == ("0a011700007f", near(8.21))
    assert [state.wall_run_ticks for state in found[21:45]] == list(range(24, 0, -1))
    assert (loco(found[45]), found[45].vy) == ("010008007f7f", near(4.99))
    assert [state.wall_run_ticks for state in found[45:53]] == list(range(8, 0, -1))
    assert found[53].mode == Mode.WALL_RUN


def test_a_wall_jump_adds_up_and_away() -> None:
    found = run(WALL, 33, yaw=-pi / 4, jumps=(20, 21, 32, 33))
    assert (loco(found[31]), found[31].vy) == ("0a0a0e00007f", near(6.95))
    assert loco(found[32]) == "010008007f7f"
    assert found[32].velocity == (near(-6), near(15.7), near(-9))


def in_wall_run() -> RunnerState:
    return run(WALL, 30, yaw=-pi / 4, jumps=(20, 21))[29]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({}, "0a091000007f"),
        ({"move_y": 0.0}, "010000007f7f"),  # no wish to run: an exit without a cooldown
        ({"move_y": -1.0}, "010000007f7f"),
        ({"move_y": 0.009, "move_x": 1.0}, "010000007f7f"),
        ({"yaw": round32(pi / 4)}, "0a091000007f"),  # looking away from the wall does not leave it
        ({"buttons": 2}, "0a091000007f"),  # a held key is no press
        ({"buttons": 1, "move_y": 0.0}, "010000007f7f"),
    ],
)
def test_a_wall_run_goes_on_or_ends_by_the_command(change: dict[str, float], expected: str) -> None:
    state = in_wall_run()
    assert loco(state) == "0a081000007f"
    state = state._replace(wall_run_ticks=17)
    command = RunnerCommand(1, 1, 1, move_y=1.0, yaw=round32(-pi / 4))._replace(**change)  # type: ignore[arg-type]  # fields by name
    assert loco(WALL.step(state, command)) == expected


def test_a_wall_that_ends_ends_the_run_without_a_cooldown() -> None:
    state = in_wall_run()
    assert loco(FLAT.step(state, FORWARD)) == "010000007f7f"


def test_a_wall_that_turns_a_corner_ends_the_run() -> None:
    state = in_wall_run().with_locomotion(LocomotionState(Mode.WALL_RUN, 5, (0.0, 0.0, 1.0), 10))
    assert WALL.step(state, FORWARD).mode == Mode.AIR


def test_a_wall_run_without_a_normal_is_left_at_once() -> None:
    state = in_wall_run().with_locomotion(LocomotionState(Mode.WALL_RUN, 5, (0.0, 0.0, 0.0), 10))
    assert loco(FLAT.step(state, FORWARD)) == "010000007f7f"


def test_between_two_walls_the_run_keeps_the_one_it_is_on() -> None:
    corner = RunnerMotor(world=CourseWorld((CourseBox(1, 0, -100, 2, 10, 100), CourseBox(-5, 0, -2, 5, 10, -1))))
    touching = RunnerState(0.649, 2.0, -0.649, 3.0, 0.0, -9.0, mode=Mode.AIR)
    command = RunnerCommand(1, 1, 1, move_y=1.0, yaw=round32(-pi / 4))
    assert corner.step(touching, command).locomotion.wall_normal == (-1.0, 0.0, 0.0)
    on_z = touching.with_locomotion(LocomotionState(Mode.WALL_RUN, 1, (0.0, 0.0, 1.0), 10))
    assert corner.step(on_z, command).locomotion == LocomotionState(Mode.WALL_RUN, 2, (0.0, 0.0, 1.0), 9)


def test_wall_running_with_no_ticks_allowed_is_off() -> None:
    off = RunnerMotor(Tuning(wall_run_max_ticks=0), CourseWorld((CourseBox(1, 0, -100, 2, 10, 100),)))
    assert all(state.mode in (Mode.GROUNDED, Mode.AIR) for state in run(off, 60, yaw=-pi / 4, jumps=(20, 21)))
    assert loco(off.step(in_wall_run(), FORWARD)) == "010000007f7f"


@pytest.mark.parametrize("mode", [Mode.WALL_CLING, Mode.SLIDE])
@pytest.mark.parametrize("grounded", [True, False])
def test_modes_that_exist_on_the_wire_only_resolve_by_the_floor(mode: Mode, grounded: bool) -> None:
    state = START._replace(grounded=grounded, y=START.y if grounded else 3.0)
    found = FLAT.step(state.with_locomotion(LocomotionState(mode, 40, (1.0, 0.0, 0.0), 0, 30)), FORWARD)
    assert found.locomotion == LocomotionState(Mode.GROUNDED if grounded else Mode.AIR)


def test_the_restored_floor_flag_decides_the_next_step_and_is_then_spent() -> None:
    hanging = START._replace(y=5.0, grounded=True)
    jumped = FLAT.step(hanging, FORWARD._replace(buttons=1))
    assert (jumped.vy, jumped.grounded, jumped.mode) == (8.75, False, Mode.AIR)
    denied = FLAT.step(START._replace(grounded=False, y=5.0), FORWARD._replace(buttons=1))
    assert denied.vy < 0


def test_mode_ticks_stop_at_255() -> None:
    state = START._replace(mode_ticks=254)
    assert [(state := FLAT.step(state, FORWARD)).mode_ticks for _ in range(3)] == [255, 255, 255]


def test_landing_forgets_the_cooldown() -> None:
    falling = START._replace(grounded=False, mode=Mode.AIR, y=-0.3, vy=-5.0, wall_run_ticks=5)
    assert FLAT.step(falling, FORWARD).locomotion == LocomotionState(Mode.GROUNDED)
