"""Where two builds of a game diverge, one of which is wrong."""

from pathlib import Path
from typing import Any

from retick.audit.desync.explanation import first_line_divergence
from retick.audit.desync.line_trace import trace_step
from tests.audit.desync.desync_builds import BOX
from tests.audit.desync.desyncs import build_and_load as load


def divergence(tmp_path: Path, inputs: tuple[int, int], *changes: tuple[str, str]) -> Any:
    """Where the first step of a changed build diverges from that of the unchanged one."""
    traces = []
    for name, edits in (("a", ()), ("b", changes)):
        game = load(tmp_path, name, BOX, "Game", *edits)
        traces.append(tuple(trace_step(game, game.initial_state(1), inputs, ["x", "y"])[1].executed))
    return first_line_divergence(*traces)


def test_another_constant_shows_at_the_line_that_uses_it(tmp_path: Path) -> None:
    found = divergence(tmp_path, (1, 0), ("SPEED = 40", "SPEED = 43"))
    assert not found.flow
    assert found.first.text == found.second.text == "far = x + SPEED * (button & 3)"
    assert (found.first.variables, found.second.variables) == ({"far": 41}, {"far": 44})


def test_a_wrong_branch_shows_at_the_first_line_of_the_branch(tmp_path: Path) -> None:
    found = divergence(tmp_path, (0, 3), ("inputs[1] >= 3", "inputs[1] > 3"))
    assert found.flow
    assert (found.first.text, found.second.text) == ("if inputs[1] >= 3:", "if inputs[1] > 3:")


def test_a_line_that_was_rewritten_but_does_the_same_is_passed_over(tmp_path: Path) -> None:
    edits = (("y = state.y\n", "y = +state.y\n"), ("far % 100000", "far % 100"))
    found = divergence(tmp_path, (3, 0), *edits)
    assert found.second.text == "return far % 100"


def test_builds_that_do_the_same_do_not_diverge(tmp_path: Path) -> None:
    assert divergence(tmp_path, (3, 0), ("# Players push to the right.\n", "\n\n")) is None


def test_a_run_that_ends_early_diverges_where_the_other_goes_on(tmp_path: Path) -> None:
    game = load(tmp_path, "a", BOX, "Game")
    lines = tuple(trace_step(game, game.initial_state(1), (1, 1), ["x"])[1].executed)
    found = first_line_divergence(lines, lines[:-1])
    assert found is not None
    assert (found.first, found.second, found.after) == (lines[-1], None, lines[-2])
    assert found.to_json()["second"] is None
