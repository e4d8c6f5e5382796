"""The command."""

import pytest

from tests.checkers.membership.__main__ import main
from tests.checkers.membership.run import run_job


def test_the_command_counts_the_states_of_a_search(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["slot", "--states", "300", "--processes", "1"]) == 0
    out = capfd.readouterr().out
    assert out.startswith("slot: 30")
    assert "not every state" in out


def test_plans_and_cuts_say_how_many_they_were() -> None:
    words, is_right = run_job(("four", None, 10, 3))
    assert is_right
    assert words.startswith("four: 10 plans from seed 3,")
    words, is_right = run_job(("cuts", None, 0, 0))
    assert is_right
    assert words.startswith("cuts: ")


def test_an_unknown_search_is_refused(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["three"])
    assert "there is no search 'three'" in capfd.readouterr().err
