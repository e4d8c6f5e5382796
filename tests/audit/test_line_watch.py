"""Which lines of a game ran: the same ones, whichever way Python offers to see them."""

import sys
from typing import Any

import pytest

from retick.audit.line_watch import LineWatch
from retick.audit.own_source import OwnSource
from retick.games.fighter import Fighter
from tests.audit.cheating_games import Honest

WAYS = [False, pytest.param(True, marks=pytest.mark.skipif(sys.version_info < (3, 12), reason="Python 3.12 on"))]


class Branching(Honest):
    def bonus(self, state: Any) -> int:
        """Takes the second way at frame 5."""
        if state.frame < 5:
            extra = 1
        elif state.frame == 1000:
            extra = self.never_called()
            extra += 1
        else:
            extra = sum(
                frame
                for frame in range(2)
            )  # fmt: skip
        return extra

    def never_called(self) -> int:
        return 1


def watch_of(game: Any, way: bool) -> LineWatch:
    return LineWatch(OwnSource(game), monitoring=way)


def run(watch: LineWatch, game: Any, frames: int) -> list[int]:
    """The frames at which something new ran."""
    state, new = game.initial_state(1), []
    for frame in range(frames):
        before = len(watch.places)
        with watch:
            state = game.step(state, (frame % 4, 0))
        if len(watch.places) > before:
            new.append(frame)
    return new


@pytest.mark.parametrize("way", WAYS)
def test_something_is_new_when_a_line_runs_for_the_first_time(way: bool) -> None:
    game = Branching()
    assert run(watch_of(game, way), game, 20) == [0, 5]


@pytest.mark.parametrize("way", WAYS)
def test_lines_that_never_ran_are_named_with_their_function_and_text(way: bool) -> None:
    game = Branching()
    watch = watch_of(game, way)
    run(watch, game, 20)
    (unrun,) = watch.lines().unrun
    assert unrun.function == "Branching.bonus"
    assert unrun.text == "extra = self.never_called()"
    assert unrun.last == unrun.first + 1
    assert str(unrun).startswith(f"tests/audit/test_line_watch.py:{unrun.first}-{unrun.last} in ")
    assert watch.lines().total == watch.lines().ran + 2


@pytest.mark.parametrize("way", WAYS)
def test_what_runs_outside_is_not_seen_and_nothing_stays_installed(way: bool) -> None:
    game = Branching()
    watch, before = watch_of(game, way), sys.gettrace()
    with watch:
        pass
    game.step(game.initial_state(1), (0, 0))
    assert (watch.places, watch.lines().total) == (set(), 0)
    assert sys.gettrace() is before


@pytest.mark.parametrize("way", WAYS)
def test_an_error_in_the_game_ends_the_watch_too(way: bool) -> None:
    game = Branching()
    watch, before = watch_of(game, way), sys.gettrace()
    with pytest.raises(TypeError), watch:
        game.step(game.initial_state(1), (None, 0))
    assert sys.gettrace() is before
    assert watch.places


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python 3.12 on")
def test_nothing_is_seen_while_others_have_all_tools() -> None:
    api: Any = sys.monitoring  # type: ignore[attr-defined, unused-ignore] # Python 3.12 on
    free = [number for number in range(6) if api.get_tool(number) is None]
    for number in free:
        api.use_tool_id(number, "another")
    try:
        game = Branching()
        assert run(watch_of(game, True), game, 3) == []
    finally:
        for number in free:
            api.free_tool_id(number)


@pytest.mark.compiled_only
@pytest.mark.parametrize("way", WAYS)
def test_lines_of_a_compiled_game_cannot_be_seen(way: bool) -> None:
    game = Fighter()
    watch = watch_of(game, way)
    run(watch, game, 3)
    assert watch.lines().unrun == ()
