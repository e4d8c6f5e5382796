"""The past: between two snapshots, things are there as in the earlier one, and never on a way that they did not go."""

from math import pi

import pytest

from retick.authority.client import past
from retick.authority.client.past import Past, mix
from retick.sim import jump
from retick.sim.world.hosting import past_members
from tests.authority.client.yard import Drone, Yard


def yard(*drones: tuple[float, float]) -> Yard:
    made = Yard()
    made.drones = [Drone(x=x, y=0.0, turn=turn, target=None) for x, turn in drones]
    return made


def test_floats_are_between_both_angles_the_shorter_way_and_jumps_are_never_smeared() -> None:
    earlier, later = yard((10.0, pi - 0.1), (20.0, 0.0), (30.0, 0.0)), yard((14.0, -pi + 0.1), (90.0, 1.0))
    jump(later.drones[1])
    mix(earlier, later, past_members(Yard), 0.25)
    one, two, gone = earlier.drones
    assert (one.x, one.age) == (11.0, 0)
    assert one.turn == pytest.approx(pi - 0.05)
    assert (two.x, two.turn, gone.x) == (20.0, 0.0, 30.0)


def test_the_two_snapshots_around_the_drawn_moment_are_found() -> None:
    made = Past(60, 3)
    assert made.drawn_tick is None
    for tick in range(3, 31, 3):
        made.add(tick, bytes((tick,)))
    made.move(30.0, 0.0, 1.0)
    assert made.drawn_tick == 24.0
    assert made.pictured() == (bytes((24,)), None, 0.0)
    made.move(31.0, 0.0, 1.0 + 1 / 60)
    found = made.pictured()
    assert found[:2] == (bytes((24,)), bytes((27,)))
    assert found.share == pytest.approx(1 / 3)
    made.move(200.0, 0.0, 2.0)
    assert made.pictured() == (bytes((30,)), None, 0.0)


def test_before_the_first_snapshot_the_first_is_drawn_and_jitter_delays_within_bounds() -> None:
    made = Past(60, 3)
    made.add(50, b"x")
    made.move(50.0, 1000.0, 1.0)
    assert made.drawn_tick == 50.0 - 6.0 - past.MOST_JITTER * 60
    assert made.pictured() == (b"x", None, 0.0)


def test_a_bounded_number_of_snapshots_is_kept() -> None:
    made = Past(60, 3)
    for tick in range(1000):
        made.add(tick, b"")
    assert len(made._kept) == past.KEPT
