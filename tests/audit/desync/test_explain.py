"""Explaining a desync offline: whose state comes out, and the line that wrote what differs."""

from dataclasses import replace
from pathlib import Path

import pytest

from retick.audit.desync.explain import explain
from retick.audit.desync.explanation import explanation_lines
from retick.errors import UsageError
from tests.audit.desync.desync_builds import BOX, RECORD, WORLD, line_of, write_build
from tests.audit.desync.desyncs import bundles, load_build

FIGHTER = "retick.games.fighter:Fighter"


@pytest.fixture
def good(tmp_path: Path) -> str:
    return write_build(tmp_path, "good", BOX) + ":Game"


@pytest.fixture
def slow(tmp_path: Path) -> str:
    return write_build(tmp_path, "slow", BOX, ("SPEED * (button & 3)", "(SPEED - (x > 2000)) * (button & 3)")) + ":Game"


def test_two_builds_give_the_states_of_their_peers_and_diverge_at_the_line_that_differs(good: str, slow: str) -> None:
    (bundle, _) = bundles([load_build(good), load_build(slow)])
    found = explain(bundle, (good, slow))
    assert found.explained
    assert [side.reproduces for side in found.sides] == [(0,), (1,)]
    assert [side.diverged_at for side in found.sides] == [None, None]
    assert found.divergence is not None
    assert found.divergence.first is not None
    assert found.divergence.first.line == line_of(BOX, "far = x + SPEED * (button & 3)")
    for side in found.sides:
        (written,) = side.written
        assert written.field == "x"
        assert written.line.line == line_of(BOX, "return state._replace(frame=state.frame + 1, x=x, y=y)")
        assert written.computed is not None
        assert written.computed.line == line_of(BOX, "x = self.pushed(state.x, inputs[0])")
        assert written.peers == side.reproduces
    text = "\n".join(explanation_lines(found))
    assert f"run again: {good} gives the state of peer 0" in text
    assert f"slow/rules.py:{found.divergence.first.line} in Game.pushed: far = x + (SPEED - (x > 2000)) * (" in text


@pytest.mark.parametrize(
    ("field", "line", "wrong"),
    [
        ("a.x", "ships[number] = ships[number].replace(x=ships[number].x + 3 * (pressed & 1) + 100)", "+ 101)"),
        ("b.fuel", "other = other.replace(fuel=other.fuel - 7)", "- 8)"),
        ("score", "score=state.score + inputs[0] * 2,", "* 2 + 1,"),
        ("wind", "return state.wind * 5 % 9973", "% 9967"),
    ],
)
def test_of_a_record_the_line_that_computed_the_field_is_named_and_not_only_the_last_replace(
    field: str, line: str, wrong: str, tmp_path: Path
) -> None:
    end = {"+ 101)": "+ 100)", "- 8)": "- 7)", "* 2 + 1,": "* 2,", "% 9967": "% 9973"}[wrong]
    good = write_build(tmp_path, "good", RECORD) + ":Game"
    bad = write_build(tmp_path, "bad", RECORD, (line, line.removesuffix(end) + wrong)) + ":Game"
    (bundle, _) = bundles([load_build(good), load_build(bad)])
    (side,) = explain(bundle, (good,)).sides
    written = next(written for written in side.written if written.field == field)
    assert written.line.text.startswith("return state.replace( frame=state.frame + 1,")
    assert written.computed is not None
    assert written.computed.text == line
    assert written.computed.line == line_of(RECORD, line)
    lines = explanation_lines(explain(bundle, (good,)))
    at = next(number for number, text in enumerate(lines) if text.strip().startswith(f"{field} became"))
    assert lines[at + 1].endswith(line)
    assert lines[at + 2].strip().startswith("stored by")


def test_one_build_says_whose_state_it_gives(good: str, slow: str) -> None:
    (_, bundle) = bundles([load_build(good), load_build(slow)])
    for game, peer in ((good, 0), (slow, 1)):
        found = explain(bundle, (game,))
        assert found.explained
        assert found.sides[0].reproduces == (peer,)
        assert found.divergence is None


def test_a_world_is_traced_to_its_line(tmp_path: Path) -> None:
    good = write_build(tmp_path, "good", WORLD) + ":make"
    greedy = write_build(tmp_path, "greedy", WORLD, ("power > 3", "power > 3 and self.depth != 30")) + ":make"
    sims = [load_build(good), load_build(greedy)]
    (bundle, _) = bundles(sims)
    assert bundle.report.first_differing == 30
    found = explain(bundle, (good, greedy))
    assert [side.reproduces for side in found.sides] == [(0,), (1,)]
    assert found.divergence is not None
    assert found.divergence.flow
    assert found.divergence.first is not None
    assert found.divergence.first.text == "if power > 3:"
    assert [written.line.text for written in found.sides[0].written] == ["self.gold = self.gold + inputs[1]"]


def test_a_third_build_gives_nobodys_state_and_that_is_no_explanation(good: str, slow: str, tmp_path: Path) -> None:
    other = write_build(tmp_path, "other", BOX, ("y + 5", "y + 6")) + ":Game"
    (bundle, _) = bundles([load_build(good), load_build(slow)])
    found = explain(bundle, (other,))
    assert not found.explained
    assert found.sides[0].reproduces == ()
    assert found.sides[0].diverged_at is not None
    assert any("another version" in note for note in found.notes)
    assert any("retick synctest" in note for note in found.notes)


def test_a_step_with_more_lines_than_are_kept_says_so(slow: str, tmp_path: Path) -> None:
    long = write_build(
        tmp_path, "long", BOX, ("y = state.y\n", "y = state.y\n        for _ in range(15_000):\n            pass\n")
    )
    (bundle, _) = bundles([load_build(long + ":Game"), load_build(slow)])
    found = explain(bundle, (long + ":Game",))
    assert any("more than 20000 lines" in note for note in found.notes)


def test_a_game_that_is_not_deterministic_is_not_taken_for_a_compiled_one(good: str, slow: str, tmp_path: Path) -> None:
    text = "x = self.pushed(state.x, inputs[0])"
    fickle = write_build(tmp_path, "fickle", BOX, (text, f"{text} + __import__('os').getpid()")) + ":Game"
    (bundle, _) = bundles([load_build(good), load_build(slow)])
    found = explain(bundle, (fickle,))
    assert found.sides[0].pure_differs
    assert any("does not agree with itself" in note for note in found.notes)
    assert not any("its compiled form differs" in note for note in found.notes)


def test_recordings_stand_in_for_a_state_that_does_not_travel(good: str, slow: str) -> None:
    (bundle, _) = bundles([load_build(good), load_build(slow)], record=True)
    bundle = replace(bundle, around=None)
    found = explain(bundle, (good,))
    assert [side.label for side in found.sides] == [f"{good} on the recording of peer {m}" for m in (0, 1)]
    assert [side.reproduces for side in found.sides] == [(0,), (0,)]
    assert "both runs give the same state" in found.notes


def test_recordings_with_different_inputs_are_the_explanation(good: str) -> None:
    (bundle, _) = bundles([load_build(good), load_build(good)], record=True)
    other = bundle.recordings[1]
    rows = [other.inputs_at(frame) for frame in range(other.frame_count)]
    rows[20] = (rows[20][0] ^ 1, rows[20][1])
    bundle = replace(bundle, recordings={0: other, 1: replace(other, frames=rows)})
    found = explain(bundle, (good,))
    assert "the recordings of peers 0 and 1 have different inputs from frame 20 on" in found.notes


def test_without_a_state_or_a_recording_nothing_is_run(good: str, slow: str) -> None:
    (bundle, _) = bundles([load_build(good), load_build(slow)])
    found = explain(replace(bundle, around=None), (good,))
    assert not found.explained
    assert found.sides == ()
    assert any("pack_state" in note for note in found.notes)


def test_no_difference_is_nothing_to_explain(good: str) -> None:
    (bundle, _) = bundles([load_build(good), load_build(good)])
    assert not explain(bundle, (good,)).explained


def test_a_game_that_fails_or_hangs_is_reported_and_the_wrong_game_is_misuse(
    good: str, slow: str, tmp_path: Path
) -> None:
    (bundle, _) = bundles([load_build(good), load_build(slow)])
    frail = write_build(tmp_path, "frail", BOX, ("y = y + 5", "y = 1 // 0")) + ":Game"
    stuck = write_build(tmp_path, "stuck", BOX, ("y = y + 5", "while True: pass")) + ":Game"
    exits = write_build(tmp_path, "exits", BOX, ("y = y + 5", "raise SystemExit(3)")) + ":Game"
    for game, words, timeout in ((frail, "ZeroDivisionError", 60), (stuck, "within", 1), (exits, "ended", 60)):
        found = explain(bundle, (game,), timeout=timeout)
        assert not found.explained
        assert any(words in note for note in found.notes), found.notes
    three = write_build(tmp_path, "three", BOX, ("num_players = 2", "num_players = 3")) + ":Game"
    with pytest.raises(UsageError, match="has 3"):
        explain(bundle, (three,))
    with pytest.raises(UsageError):
        explain(bundle, (str(tmp_path / "none.py") + ":Game",))


def test_a_compiled_game_is_traced_from_its_source() -> None:
    from tests.rollback.desync.planted import FieldChanged

    (_, bundle) = bundles([FieldChanged(), FieldChanged(at=40)], last_agreed=32)
    found = explain(bundle, (FIGHTER,))
    assert found.explained
    (side,) = found.sides
    assert side.reproduces == (0,)
    assert not side.pure_differs
    assert [(w.field, w.line.file, w.line.function) for w in side.written] in (
        [("p1.x", "fighter/kernel.py", "_walk")],
        [],  # nobody moved in that frame
    )


@pytest.mark.parametrize("asks", ["time.time_ns()", "len(os.environ.get('USER', ''))"])
def test_a_program_that_does_not_agree_with_itself_is_named(
    good: str, tmp_path: Path, asks: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("USER", "Ann")
    fickle = write_build(tmp_path, "fickle", BOX, ("SPEED * (button & 3)", f"SPEED * (button & 3) + {asks} % 9973"))
    file = Path(fickle)
    file.write_text("import os, time\n" + file.read_text(encoding="utf-8"), encoding="utf-8")
    (bundle, _) = bundles([load_build(good), load_build(f"{fickle}:Game")])
    found = explain(bundle, (f"{fickle}:Game",))
    assert [side.repeats for side in found.sides] == [False]
    said = next(note for note in found.notes if "does not agree with itself" in note)
    assert f"`retick synctest {fickle}:Game` and `retick audit {fickle}:Game`" in said
    assert not any("no run gave" in note for note in found.notes)
    assert [side.repeats for side in explain(bundle, (good,)).sides] == [True]
