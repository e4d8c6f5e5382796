"""Which command a tick runs on: the table of docs/formats/netrunner-ticks.md, row by row."""

from retick.games.runner import RunnerButton, RunnerCommand
from retick.netrunner import NetRunner
from retick.netrunner.server.player import Player, is_newer

PRESSED = RunnerButton.JUMP_PRESSED | RunnerButton.JUMP_HELD | RunnerButton.FIRE_PRESSED


def new_player() -> Player:
    return Player(NetRunner(), 2, b"", 0.0)


def test_a_command_in_time_is_run_and_acknowledged() -> None:
    player = new_player()
    player.offer(RunnerCommand(5, 10, 1, move_y=1.0), 9)
    chosen = player.choose(10)
    assert (chosen.seq, chosen.move_y) == (5, 1.0)
    assert player.ack == 5
    assert player.stats.ticks_buffered == 1


def test_two_missing_ticks_repeat_the_last_without_its_presses_then_come_neutral_ones() -> None:
    player = new_player()
    player.offer(RunnerCommand(5, 10, 1, move_y=1.0, buttons=PRESSED, yaw=0.5), 9)
    player.choose(10)
    held = [player.choose(11), player.choose(12)]
    assert [command.move_y for command in held] == [1.0, 1.0]
    assert all(command.buttons == RunnerButton.JUMP_HELD for command in held)
    neutral = player.choose(13)
    assert (neutral.move_y, neutral.buttons, neutral.yaw) == (0.0, 0, 0.5)
    assert player.ack == 5
    stats = player.stats
    assert (stats.ticks_buffered, stats.ticks_held, stats.ticks_neutral) == (1, 2, 1)
    assert (stats.missing_streak, stats.missing_streak_max) == (3, 3)


def test_the_ack_skips_a_command_that_came_too_late() -> None:
    player = new_player()
    player.offer(RunnerCommand(5, 10, 1), 9)
    player.choose(10)
    player.choose(11)
    player.offer(RunnerCommand(6, 11, 1), 12)
    player.offer(RunnerCommand(7, 13, 1), 12)
    player.choose(12)
    player.choose(13)
    assert player.ack == 7
    assert player.stats.dropped_old == 1


def test_commands_too_far_ahead_are_counted_and_forgotten() -> None:
    player = new_player()
    player.offer(RunnerCommand(5, 75, 1), 10)
    player.offer(RunnerCommand(6, 74, 1), 10)
    assert player.stats.dropped_future == 1
    assert player.buffer.waiting == 1


def test_what_no_honest_client_sends_is_refused() -> None:
    player = new_player()
    assert player.offer(RunnerCommand(0, 10, 1), 9) == "bad_command"
    assert player.offer(RunnerCommand(1, 0, 1), 9) == "bad_command"
    assert player.offer(RunnerCommand(1, 10, 0), 9) == "bad_command"
    assert player.offer(RunnerCommand(1, 10, 1, move_x=float("nan")), 9) == "bad_command"
    assert player.offer(RunnerCommand(1, 10, 1, yaw=float("inf")), 9) == "bad_command"
    assert player.buffer.waiting == 0


def test_axes_beyond_one_are_clamped() -> None:
    player = new_player()
    player.offer(RunnerCommand(1, 10, 1, move_x=900.0, move_y=-900.0), 9)
    chosen = player.choose(10)
    assert chosen.move_x**2 + chosen.move_y**2 <= 1 + 1e-6


def test_a_newer_epoch_clears_the_buffer_and_forces_one_neutral_tick() -> None:
    player = new_player()
    player.offer(RunnerCommand(5, 10, 1, move_y=1.0), 9)
    player.offer(RunnerCommand(9, 11, 2, move_y=1.0), 9)
    assert player.choose(10).move_y == 0.0
    assert player.choose(11).seq == 9


def test_an_older_epoch_cannot_undo_a_newer_one() -> None:
    player = new_player()
    player.offer(RunnerCommand(9, 11, 3), 9)
    assert player.offer(RunnerCommand(5, 12, 2), 9) == "old_epoch"
    assert player.epoch == 3


def test_epochs_are_compared_around_the_wrap() -> None:
    assert is_newer(1, 0xFFFFFFFF)
    assert not is_newer(0xFFFFFFFF, 1)
    assert not is_newer(4, 4)


def test_a_hint_is_due_after_a_long_silence_and_not_more_than_twice_a_second() -> None:
    player = new_player()
    for tick in range(1, 122):
        player.choose(tick)
    assert player.hint_due(5.0)
    assert not player.hint_due(5.4)
    assert player.hint_due(5.6)
