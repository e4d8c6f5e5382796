"""The dynamic half catches every cheat, names the frame and the field, and lets honest games pass."""

import re
from pathlib import Path

import pytest

from retick.audit import RunDivergence, audit_dynamic
from retick.errors import DeterminismError, UsageError

CHEATS = Path(__file__).parents[1] / "cheating_games.py"


def first(game: str, check: str, interpreters: int = 2) -> RunDivergence:
    """What the check found first in one of the cheating games."""
    report = audit_dynamic(f"{CHEATS}:{game}", frames=40, interpreters=interpreters)
    assert not report.ok
    return next(found for found in report.divergences if found.check == check)


def names(divergence: RunDivergence) -> list[str]:
    return [difference.name for difference in divergence.differences]


@pytest.mark.parametrize("game", ["Honest", "Chatty", "ready_made", "diary"])
def test_an_honest_game_passes(game: str) -> None:
    report = audit_dynamic(f"{CHEATS}:{game}", frames=600, interpreters=2)
    assert report.ok
    assert report.divergences == ()
    report.raise_if_different()


def test_the_order_of_a_set_is_caught_at_its_first_frame() -> None:
    found = first("SetOrder", "interpreters", 4)
    assert (found.frame, names(found)) == (10, ["score"])


@pytest.mark.parametrize("game", ["TextHash", "Address"])
def test_hashes_and_addresses_are_caught(game: str) -> None:
    found = first(game, "interpreters")
    assert (found.frame, names(found)) == (0, ["score"])
    (score,) = found.differences
    assert int(score.ours) != int(score.theirs)


@pytest.mark.parametrize("game", ["AsksTheDate", "AsksTheClock", "AsksTheUser"])
def test_the_time_and_the_user_are_caught(game: str) -> None:
    found = first(game, "interpreters")
    assert (found.frame, names(found)) == (0, ["score"])
    assert found.what == "PYTHONHASHSEED 1 and 2, the second at another time, by another user"


@pytest.mark.parametrize("game", ["UnsavedAttribute", "GlobalCounter"])
def test_what_lives_outside_of_the_state_is_caught_by_stepping_again(game: str) -> None:
    found = first(game, "save-load")
    assert (found.frame, names(found)) == (0, ["score"])
    assert "again" in found.what


def test_what_a_new_game_object_does_not_know_is_caught() -> None:
    found = first("RemembersTheStart", "save-load")
    assert (found.frame, names(found)) == (0, ["score"])
    assert "a new one" in found.what


def test_a_save_that_loses_a_field_is_caught() -> None:
    found = first("LossySave", "save-load")
    assert (found.frame, names(found)) == (0, ["last"])
    assert "after loading" in found.what


def test_a_save_that_cannot_be_loaded_is_caught() -> None:
    found = first("BrokenSave", "save-load")
    assert (found.frame, names(found)) == (0, ["exception"])
    assert found.differences[0].theirs.startswith("the game raised ValueError: not yet written (")


def test_a_step_that_changes_its_state_is_caught() -> None:
    found = first("ChangesItsState", "save-load")
    assert (found.frame, names(found)) == (0, ["frame"])
    assert found.differences[0][1:] == ("0", "1")
    assert "given to step" in found.what


def test_a_field_that_the_checksum_overlooks_is_still_compared() -> None:
    assert names(first("BlindChecksum", "interpreters")) == ["score"]


def test_an_error_in_one_interpreter_only_is_a_divergence() -> None:
    found = first("SometimesRaises", "interpreters", 6)
    assert (found.frame, names(found)) == (3, ["exception"])
    assert any("KeyError: 'sword' (" in each for each in (found.differences[0].ours, found.differences[0].theirs))


def test_an_error_in_every_interpreter_is_a_finding_with_the_line_of_the_game_and_the_inputs() -> None:
    found = first("AlwaysRaises", "exception")
    assert found.frame == 0
    assert "ValueError: frame three (" in found.what
    assert "cheating_games.py:" in found.what
    assert "in AlwaysRaises.bonus: raise ValueError" in found.what
    assert "in frame 0 of the run with seed 1, with the inputs (" in found.what
    assert str(found).startswith("exception: frame 0: the game raised ValueError")


def test_an_error_in_every_interpreter_after_a_difference_is_found_with_the_field_that_differs() -> None:
    report = audit_dynamic(f"{CHEATS}:RandomThenRaises", frames=40, interpreters=3)
    differs, raised = report.divergences
    assert (differs.check, differs.frame, names(differs)) == ("interpreters", 0, ["score"])
    assert (raised.check, raised.frame) == ("exception", 5)
    assert "UsageError: the score is too high (" in raised.what


def test_a_game_that_accepts_only_some_bits_is_told_of_the_mask() -> None:
    assert re.search("buttons are four bits.*give a mask", first("Narrow", "exception").what)


def test_a_divergence_can_be_raised() -> None:
    report = audit_dynamic(f"{CHEATS}:TextHash", frames=5, interpreters=2)
    with pytest.raises(DeterminismError, match=r"frame 0 differs.*score") as caught:
        report.raise_if_different()
    assert caught.value.frame == 0
    assert caught.value.differences[0][0] == "score"


@pytest.mark.parametrize(
    ("game", "words"),
    [
        (f"{CHEATS}", "a game must be named as module:Class or file.py:Class"),
        (f"{CHEATS}:Nowhere", "has no 'Nowhere'"),
        (f"{CHEATS}:NoGame", "is not a game: it has no initial_state, step, checksum, fields"),
        (f"{CHEATS}:NeedsArguments", "without arguments"),
    ],
)
def test_a_game_that_cannot_be_run_is_misuse(game: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        audit_dynamic(game, frames=5, interpreters=2)


def test_a_module_that_cannot_be_imported_is_misuse(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("import no_such_module_anywhere\n")
    with pytest.raises(UsageError, match="cannot be imported: ModuleNotFoundError"):
        audit_dynamic(f"{tmp_path / 'broken.py'}:Game", interpreters=2)
    (tmp_path / "leaving.py").write_text("import os\nos._exit(7)\n")
    with pytest.raises(UsageError, match="died with code 7"):
        audit_dynamic(f"{tmp_path / 'leaving.py'}:Game", interpreters=2)


def test_a_file_whose_name_is_no_identifier_can_be_run(tmp_path: Path) -> None:
    copy = tmp_path / "my-game.py"
    copy.write_text(CHEATS.read_text(encoding="utf-8"), encoding="utf-8")
    assert audit_dynamic(f"{copy}:Honest", frames=5, interpreters=2).ok


def test_a_match_that_does_not_end_is_stopped() -> None:
    with pytest.raises(UsageError, match=r"did not end within 0\.5 seconds"):
        audit_dynamic(f"{CHEATS}:Endless", frames=5, interpreters=2, timeout=0.5)


def test_a_mask_keeps_inputs_within_what_a_game_accepts() -> None:
    assert audit_dynamic(f"{CHEATS}:Narrow", frames=20, interpreters=2, mask=15).ok


@pytest.mark.parametrize("wrong", [{"frames": 0}, {"interpreters": 1}, {"seed": 0}])
def test_numbers_out_of_range_are_misuse(wrong: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        audit_dynamic(f"{CHEATS}:Honest", **wrong)  # type: ignore[arg-type]  # fields by name


def test_progress_is_reported_frame_by_frame() -> None:
    told: list[int] = []
    audit_dynamic(f"{CHEATS}:Honest", frames=600, interpreters=2, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == 599


def test_a_world_whose_save_is_no_bytes_is_caught_forgetting_all_the_same() -> None:
    found = first("forgetful", "save-load")
    assert (found.frame, names(found)) == (-1, ["pages"])
