"""The command, in both forms: compiled, it starts an interpreter that takes the sources."""

import pytest

from tests.checkers.membership.__main__ import main


def test_the_command_counts_the_states_of_a_setup(any_form: None, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["two", "--processes", "1"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert len(lines) == 1
    assert "every state" in lines[0]
    # As docs/internals/membership-search.md says. More of them:
    # a field with a time that no longer matters is not forgotten (``clocks``).
    assert lines[0].startswith("two: 216 states, 1,008 transitions,")


def test_an_unknown_setup_is_refused(any_form: None, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["three"])
    assert "there is no setup 'three'" in capfd.readouterr().err
