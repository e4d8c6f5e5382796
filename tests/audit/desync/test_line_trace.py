"""Which line gave which field its value."""

import sys
from pathlib import Path
from typing import Any

import pytest

from retick.audit.desync.line_divergence import first_parted_line
from retick.audit.desync.line_trace import Executed, trace_step
from retick.audit.game_loader import load_game
from retick.games.fighter import Fighter
from tests.audit.desync.desync_builds import BOX, WORLD, line_of, write_build


def load(tmp_path: Path, name: str, source: str, attribute: str, *changes: tuple[str, str]) -> Any:
    sys.modules.pop("rules", None)
    game = load_game(f"{write_build(tmp_path, name, source, *changes)}:{attribute}")()
    sys.modules.pop("rules", None)
    return game


def writers(lines: list[Executed], field: str) -> list[tuple[str, int, str, Any]]:
    return [(line.file, line.line, line.function, line.writes[field]) for line in lines if field in line.writes]


def test_a_new_state_is_put_down_to_the_line_that_makes_it_and_its_value_to_the_line_that_computes_it(
    tmp_path: Path,
) -> None:
    game = load(tmp_path, "a", BOX, "Game")
    before = game.initial_state(1)
    after, tracer = trace_step(game, before, (2, 3), ["x", "y"])
    assert after == game.step(before, (2, 3))
    made = line_of(BOX, "return state._replace(frame=state.frame + 1, x=x, y=y)")
    assert writers(tracer.executed, "x") == [("a/rules.py", made, "Game.step", 81)]
    computed = [(line.text, line.variables) for line in tracer.executed if 81 in line.variables.values()]
    assert computed == [
        ("far = x + SPEED * (button & 3)", {"far": 81}),
        ("return far % 100000", {"returned": 81}),
        ("x = self.pushed(state.x, inputs[0])", {"x": 81}),
    ]
    assert [line.variables for line in tracer.executed if line.text == "y = y + 5"] == [{"y": 5}]


def test_a_world_changes_at_the_very_line(tmp_path: Path) -> None:
    game = load(tmp_path, "w", WORLD, "make")
    _, tracer = trace_step(game, game.initial_state(9), (4, 2), ["gold"])
    assert writers(tracer.executed, "gold") == [
        ("w/rules.py", line_of(WORLD, "self.gold -= 7"), "Pit.dig", 2),
        ("w/rules.py", line_of(WORLD, "self.gold = self.gold + inputs[1]"), "Pit.advance", 4),
    ]


@pytest.mark.skipif("sys.modules['retick.games.fighter.kernel'].__file__.endswith('.so')", reason="compiled")
def test_a_flat_game_changes_at_the_very_line() -> None:
    fighter = Fighter()
    after, tracer = trace_step(fighter, fighter.initial_state(1), (2, 0), ["p1.x", "p1.facing"])
    ((file, _, function, value),) = writers(tracer.executed, "p1.x")
    assert (file, function, value) == ("fighter/kernel.py", "_move", after.p1.x)


def test_tracing_changes_nothing_and_leaves_nothing_behind(tmp_path: Path) -> None:
    game = load(tmp_path, "w", WORLD, "make")
    before = sys.gettrace()
    state = game.initial_state(9)
    traced, _ = trace_step(game, state, (4, 2), ["gold"])
    assert sys.gettrace() is before
    assert game.fields(traced) == game.fields(game.step(state, (4, 2)))
    with pytest.raises(IndexError):
        trace_step(load(tmp_path, "a", BOX, "Game"), load(tmp_path, "b", BOX, "Game").initial_state(1), (), ["x"])
    assert sys.gettrace() is before


class TestPartedLines:
    """Two builds, one of which is wrong."""

    def part(self, tmp_path: Path, inputs: tuple[int, int], *changes: tuple[str, str]) -> Any:
        traces = []
        for name, edits in (("a", ()), ("b", changes)):
            game = load(tmp_path, name, BOX, "Game", *edits)
            traces.append(tuple(trace_step(game, game.initial_state(1), inputs, ["x", "y"])[1].executed))
        return first_parted_line(*traces)

    def test_another_constant_shows_at_the_line_that_uses_it(self, tmp_path: Path) -> None:
        parted = self.part(tmp_path, (1, 0), ("SPEED = 40", "SPEED = 43"))
        assert not parted.flow
        assert parted.first.text == parted.second.text == "far = x + SPEED * (button & 3)"
        assert (parted.first.variables, parted.second.variables) == ({"far": 41}, {"far": 44})

    def test_a_wrong_branch_shows_at_the_first_line_of_the_branch(self, tmp_path: Path) -> None:
        parted = self.part(tmp_path, (0, 3), ("inputs[1] >= 3", "inputs[1] > 3"))
        assert parted.flow
        assert (parted.first.text, parted.second.text) == ("if inputs[1] >= 3:", "if inputs[1] > 3:")

    def test_a_line_that_was_rewritten_but_does_the_same_is_passed_over(self, tmp_path: Path) -> None:
        edits = (("y = state.y\n", "y = +state.y\n"), ("far % 100000", "far % 100"))
        parted = self.part(tmp_path, (3, 0), *edits)
        assert parted.second.text == "return far % 100"

    def test_builds_that_do_the_same_do_not_part(self, tmp_path: Path) -> None:
        assert self.part(tmp_path, (3, 0), ("# Players push to the right.\n", "\n\n")) is None
