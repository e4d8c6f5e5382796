"""The motor: the specification's checks, branch by branch, and what must hold wherever a runner goes."""

from collections.abc import Callable
from math import cos, inf, nan, pi, sin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.games.runner import Box, Command, LocomotionState, Mode, RunnerMotor, RunnerState, Tuning, World, locomotion
from retick.games.runner.motor.course import COURSE
from retick.games.runner.motor.world import MAX_BOXES
from retick.wire.binary32 import round32

FLAT = RunnerMotor()
WALL = RunnerMotor(world=World((Box(1, 0, -100, 2, 10, 100),)))
START = RunnerState(0.0, round32(-0.35), 0.0, grounded=True)
FORWARD = Command(1, 1, 1, move_y=1.0)


def run(
    motor: RunnerMotor, steps: int, *, yaw: float = 0.0, move_y: float = 1.0, jumps: tuple[int, ...] = ()
) -> list[RunnerState]:
    state, found = START, []
    for step in range(steps):
        state = motor.step(state, Command(1, 1, 1, move_y=move_y, buttons=int(step in jumps), yaw=round32(yaw)))
        found.append(state)
    return found


def near(value: float) -> object:
    return pytest.approx(value, abs=1e-5)


def loco(state: RunnerState) -> str:
    return locomotion.pack(state.locomotion).hex()


def test_running_forward_reaches_full_speed_in_twelve_steps() -> None:
    found = run(FLAT, 13)
    assert (found[0].vz, found[0].z, found[0].mode_ticks) == (near(-0.75), near(-0.0125), 1)
    assert (found[11].vz, found[11].z) == (near(-9), near(-0.975))
    assert found[12].z == near(-1.125)
    assert all(state.mode == Mode.GROUNDED and state.grounded and state.vy == 0.0 for state in found)


def test_a_jump_takes_45_steps() -> None:
    found = run(FLAT, 45, move_y=0.0, jumps=(0, 1))
    assert (found[0].y, found[0].vy, found[0].mode, found[0].mode_ticks) == (near(-0.204167), 8.75, Mode.AIR, 0)
    assert (found[1].y, found[1].vy) == (near(-0.065), near(8.35))
    assert (found[21].y, found[21].vy) == (near(1.318333), near(0.35))
    assert max(state.y for state in found) == found[21].y
    assert (found[43].y, found[43].vy) == (near(-0.24), near(-8.45))
    assert (found[44].y, found[44].mode, found[44].mode_ticks) == (near(-0.35), Mode.GROUNDED, 0)


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
    command = Command(1, 1, 1, move_y=1.0, yaw=round32(-pi / 4))._replace(**change)  # type: ignore[arg-type]  # fields by name
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
    corner = RunnerMotor(world=World((Box(1, 0, -100, 2, 10, 100), Box(-5, 0, -2, 5, 10, -1))))
    touching = RunnerState(0.649, 2.0, -0.649, 3.0, 0.0, -9.0, mode=Mode.AIR)
    command = Command(1, 1, 1, move_y=1.0, yaw=round32(-pi / 4))
    assert corner.step(touching, command).locomotion.wall_normal == (-1.0, 0.0, 0.0)
    on_z = touching.with_locomotion(LocomotionState(Mode.WALL_RUN, 1, (0.0, 0.0, 1.0), 10))
    assert corner.step(on_z, command).locomotion == LocomotionState(Mode.WALL_RUN, 2, (0.0, 0.0, 1.0), 9)


def test_wall_running_with_no_ticks_allowed_is_off() -> None:
    off = RunnerMotor(Tuning(wall_run_max_ticks=0), World((Box(1, 0, -100, 2, 10, 100),)))
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


def test_a_new_runner_hangs_in_the_air_and_its_first_step_says_so() -> None:
    places = [FLAT.spawn(peer).position for peer in range(9)]
    assert places[1] == (-1.5, 2.0, 0.0)
    assert places[7] == (3.5, 2.0, 2.5)
    assert places[8] == places[0] == (-4.0, 2.0, 0.0)
    assert FLAT.spawn(-3) == FLAT.spawn(3)
    found = FLAT.step(FLAT.spawn(2), FORWARD)
    assert (found.mode, found.mode_ticks, found.vy) == (Mode.AIR, 0, near(-0.4))


def test_a_low_step_down_is_followed_and_a_high_one_is_not() -> None:
    stairs = World((Box(-5, 0, -2, 5, 0.45, 5), Box(-5, 0, -4, 5, 0.25, -2)))
    motor = RunnerMotor(world=stairs)
    state, grounded = START._replace(y=0.11), []
    for _ in range(60):
        state = motor.step(state, FORWARD)
        grounded.append(state.grounded)
    assert all(grounded[1:])
    drop = RunnerMotor(world=World((Box(-5, 0, -2, 5, 1.25, 5),)))
    state = START._replace(y=round32(0.901))
    modes = [(state := drop.step(state, FORWARD)).mode for _ in range(60)]
    assert Mode.AIR in modes
    assert modes[-1] == Mode.GROUNDED


def test_a_ceiling_stops_a_jump_and_is_no_floor() -> None:
    motor = RunnerMotor(world=World((Box(-5, 2, -5, 5, 3, 5),)))
    state = motor.step(START, FORWARD._replace(move_y=0.0, buttons=1))
    found = [(state := motor.step(state, FORWARD._replace(move_y=0.0))) for _ in range(20)]
    assert max(s.y for s in found) == near(2 - 0.001 - 1.45)
    assert not any(s.grounded for s in found if s.y > 0)


def test_the_wish_follows_the_yaw_all_around() -> None:
    sharp = RunnerMotor(Tuning(ground_acceleration=1e6, move_speed=1.0))
    for step in range(-500, 500):
        yaw = round32(step * pi / 500)
        found = sharp.step(START, Command(1, 1, 1, move_x=0.6, move_y=round32(0.8), yaw=yaw))
        x, z = 0.6 * cos(yaw) - 0.8 * sin(yaw), -0.6 * sin(yaw) - 0.8 * cos(yaw)
        assert (found.vx, found.vz) == (pytest.approx(x, abs=1e-7), pytest.approx(z, abs=1e-7))


def test_a_step_changes_nothing_it_was_given() -> None:
    state = in_wall_run()
    kept = tuple(state)
    assert WALL.step(state, FORWARD) == WALL.step(state, FORWARD)
    assert tuple(state) == kept


@pytest.mark.parametrize(
    "step",
    [
        lambda: FLAT.step(tuple(START), FORWARD),
        lambda: FLAT.step(None, FORWARD),
        lambda: FLAT.step(START._replace(mode=5), FORWARD),
        lambda: FLAT.step(START._replace(mode=-1), FORWARD),
        lambda: FLAT.step(START, FORWARD._replace(move_x=1.5)),
        lambda: FLAT.step(START, FORWARD._replace(move_y=nan)),
        lambda: FLAT.step(START, FORWARD._replace(yaw=4.0)),
        lambda: FLAT.step(START, FORWARD._replace(pitch=inf)),
        lambda: FLAT.step(START, FORWARD._replace(buttons=-1)),
        lambda: FLAT.step(START, FORWARD._replace(buttons=8)),
        lambda: FLAT.step(START, tuple(FORWARD)),
        lambda: RunnerMotor(tick_rate=0),
        lambda: World((Box(0, 0, 0, 1, 1, 1),) * (MAX_BOXES + 1)),
        lambda: World((Box(0, 0, 0, 1, 0, 1),)),
        lambda: World((Box(0, 0, 0, 1, nan, 1),)),
        lambda: World(floor=inf),
    ],
)
def test_misuse_is_a_usage_error(step: Callable[[], object]) -> None:
    with pytest.raises(UsageError):
        step()


def test_a_field_that_is_no_number_is_a_type_error() -> None:
    for step in (
        lambda: FLAT.step(START, FORWARD._replace(yaw="1")),
        lambda: FLAT.step(START._replace(x="1"), FORWARD),
    ):  # type: ignore[arg-type]  # on purpose
        with pytest.raises(TypeError):
            step()


def test_the_largest_world_is_a_world() -> None:
    boxes = tuple(Box(x, 0, -50, x + 0.5, 1, -40) for x in range(MAX_BOXES - 1))
    motor = RunnerMotor(world=World((*boxes, Box(1, 0, -100, 2, 10, 100))))
    assert loco(run(motor, 22, yaw=-pi / 4, jumps=(20, 21))[21]) == "0a001800007f"


def depth_in(box: Box, state: RunnerState) -> float:
    """How deep the body is in a box, over all axes; negative when outside."""
    low = (state.x - 0.35, state.y + 0.35, state.z - 0.35)
    high = (state.x + 0.35, state.y + 1.45, state.z + 0.35)
    return min(min(high[i] - box[i], box[i + 3] - low[i]) for i in range(3))


controls = st.tuples(st.floats(-1, 1, width=32), st.floats(-1, 1, width=32), st.floats(-3.140625, 3.140625, width=32))


@given(st.lists(controls, min_size=1, max_size=8), st.integers(2, 17), st.integers(0, 1 << 30))
def test_nobody_enters_a_box_or_leaves_the_course(
    wishes: list[tuple[float, float, float]], peer: int, presses: int
) -> None:
    motor = RunnerMotor(world=COURSE)
    state = motor.spawn(peer)
    for step in range(240):
        move_x, move_y, yaw = wishes[step // 30 % len(wishes)]
        state = motor.step(state, Command(1, 1, 1, 0.0, move_x, move_y, presses >> step % 30 & 1, yaw, 0.0))
        assert max(depth_in(box, state) for box in COURSE.boxes) <= 0.0021
        assert state.y >= round32(-0.35)
        assert state == RunnerState._make(state[:9] + tuple(state.with_locomotion(state.locomotion)[9:]))


huge = st.floats(-3.4028234663852886e38, 3.4028234663852886e38, width=32)


@given(huge, huge, huge, huge, huge, huge, st.booleans(), st.integers(0, 4), st.integers(0, 255))
def test_a_restored_state_however_wild_steps_to_a_finite_one(
    x: float, y: float, z: float, vx: float, vy: float, vz: float, grounded: bool, mode: int, ticks: int
) -> None:
    state = RunnerState(x, y, z, vx, vy, vz, grounded=grounded)
    state = state.with_locomotion(LocomotionState(mode, ticks, (0.6, 0.3, -0.7), ticks, ticks))
    motor = RunnerMotor(world=COURSE)
    for _ in range(3):
        state = motor.step(state, FORWARD)
        assert all(-inf < number < inf for number in state)
