"""A real server and real clients on virtual time."""

import pytest

from retick.errors import UsageError
from retick.studio.server.course import MOST_BOTS, MOST_SHOWN, YOU, Course
from retick.transport import Conditions

LINK = Conditions(latency=0.06, jitter=0.01, loss=0.005)


def test_reset_locomotion_causes_corrections_that_restored_locomotion_does_not() -> None:
    course = Course(bots=5, conditions=LINK)
    course.run(15.0)
    course.set_reset(True)
    course.run(15.0)
    restored, reset = course.tallies[False], course.tallies[True]
    assert min(restored.reconciles, reset.reconciles) > 1000
    assert restored.corrections == 0
    assert reset.corrections > 50
    assert reset.visible > 0
    assert reset.largest > 0.25 > restored.largest
    course.set_reset(False)
    course.run(6.0)
    assert course.tallies[False].corrections == 0


def test_clients_that_join_later_do_as_the_switch_says() -> None:
    course = Course(bots=1, conditions=LINK)
    course.set_reset(True)
    course.set_bots(2)
    course.run(1.0)
    assert [runner.client.config.reset_on_reconcile for runner in course.runners.values()] == [True, True]
    predictions = [runner.client.prediction for runner in course.runners.values()]
    assert all(one is not None and one.config.reset_on_reconcile for one in predictions)


def test_bots_run_the_course() -> None:
    course = Course(bots=3, conditions=LINK)
    course.run(1.0)
    before = {peer: player.state.position for peer, player in course.room.players.items()}
    course.run(4.0)
    assert len(before) == 3
    for peer, (x, _, z) in before.items():
        now = course.room.players[peer].state
        assert abs(now.x - x) + abs(now.z - z) > 5.0


def test_bots_that_left_make_room_for_as_many_again() -> None:
    course = Course(bots=MOST_BOTS, conditions=LINK)
    course.set_playing(True)
    for _ in range(3):
        course.run(1.0)
        assert len(course.room.players) == MOST_BOTS + 1
        course.set_bots(1)
        course.run(0.2)
        assert len(course.room.players) == 2
        course.set_bots(MOST_BOTS)
    course.run(1.0)
    assert all(runner.client.is_joined for runner in course.runners.values())
    assert len(course.network._paths) == 2 * (MOST_BOTS + 1)


def test_a_bot_that_leaves_before_it_has_joined_takes_no_seat() -> None:
    course = Course(bots=4, conditions=LINK)
    course.run(0.05)
    course.set_bots(1)
    course.run(30.0)
    assert len(course.room.players) == 1


def test_the_user_runs_where_the_keys_say_and_jumps() -> None:
    course = Course(bots=1, conditions=LINK)
    course.set_playing(True)
    assert course.watched == YOU
    course.run(2.0)
    client = course.runners[YOU].client
    assert client.player is not None
    start = client.player
    course.hands.x = 1.0
    course.run(0.5)
    moved = client.player
    assert moved.x > start.x + 1.0
    assert abs(moved.z - start.z) < 0.2
    course.hands.x, course.hands.jump = 0.0, True
    course.run(0.2)
    assert client.player.y > start.y + 0.5
    course.hands.jump = False
    course.run(2.0)
    assert client.player.velocity[0] == 0.0
    assert client.player.position == course.room.players[client.peer_id or 0].state.position


def test_the_watched_runner_is_always_one_that_is_there() -> None:
    course = Course(bots=3)
    course.watch(3)
    course.set_bots(2)
    assert course.watched == 1
    course.set_playing(True)
    course.set_playing(False)
    assert course.watched == 1
    with pytest.raises(UsageError, match="no such runner"):
        course.watch(3)
    with pytest.raises(UsageError, match="join first"):
        course.watch(YOU)


def test_shown_corrections_are_bounded_and_go_by_themselves() -> None:
    course = Course(bots=8, conditions=LINK)
    course.run(2.0)
    course.set_reset(True)
    course.run(8.0)
    assert course._counted > MOST_SHOWN
    assert len(course._corrections) == MOST_SHOWN
    numbers = [one.number for one in course.corrections()]
    assert numbers == sorted(set(numbers))
    course.set_reset(False)
    course.run(3.0)
    assert course.corrections() == []
