"""``retick demo --offline`` as a user runs it: in a pipe, on a terminal, interrupted, misused."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from retick import replay
from retick.cli.app import app
from retick.cli.pace import LoopPace
from retick.games.fighter import Fighter
from retick.games.fighter.bots import COUNTER, HOPPER, bout

RUNNER = CliRunner()
TERMINAL = {"FORCE_COLOR": "1", "TERM": "xterm-256color", "COLUMNS": "80", "LINES": "24"}


def checksum_after(seed: int, frames: int) -> str:
    game = Fighter()
    return f"0x{game.checksum(game.run(game.initial_state(seed), bout(seed, frames))):08X}"


def test_a_pipe_gets_a_line_for_each_second_and_a_summary() -> None:
    result = RUNNER.invoke(app, ["demo", "--offline", "--fast", "--frames", "200", "--seed", "5"])
    assert result.exit_code == 0
    seconds = re.findall(r"^ +(\d) s  frame +(\d+)  p1", result.output, re.MULTILINE)
    assert seconds == [("1", "60"), ("2", "120"), ("3", "180")]
    assert "\x1b" not in result.output
    assert f"checksum  {checksum_after(5, 200)} (seed 5, frame 200)" in result.output
    assert f"run again  {checksum_after(5, 200)}, the same" in result.output


def test_a_match_without_a_length_ends_after_a_knock_out_and_within_twenty_seconds() -> None:
    for seed in ("1", "2", "3"):
        result = RUNNER.invoke(app, ["demo", "--offline", "--fast", "--seed", seed])
        played = re.search(r"played  (\d+) frames", result.output)
        assert played is not None
        assert 100 < int(played[1]) <= 1200
        assert "knock-out" in result.output


def test_the_same_seed_shows_the_same_match() -> None:
    def lines(seed: str) -> list[str]:
        output = RUNNER.invoke(app, ["demo", "--offline", "--fast", "--frames", "120", "--seed", seed]).output
        return [line for line in output.splitlines() if "0x" in line]

    assert lines("8") == lines("8")
    assert lines("8") != lines("9")


def test_styles_are_chosen_by_name() -> None:
    result = RUNNER.invoke(app, ["demo", "--offline", "--fast", "--frames", "90", "--p1", "hopper", "--p2", "counter"])
    game = Fighter()
    expected = game.checksum(game.run(game.initial_state(1), bout(1, 90, (HOPPER, COUNTER))))
    assert f"0x{expected:08X}" in result.output
    assert RUNNER.invoke(app, ["demo", "--offline", "--p1", "poet"]).exit_code == 2


def test_a_terminal_gets_the_picture_and_then_the_summary() -> None:
    result = RUNNER.invoke(app, ["demo", "--offline", "--fast", "--frames", "120"], env=TERMINAL)
    assert result.exit_code == 0
    assert "two bots, one match" in result.output
    assert "▀▀▀▀" in result.output
    assert result.output.count("\x1b[?1049h") == result.output.count("\x1b[?1049l") == 1
    assert checksum_after(1, 120) in result.output


def test_a_terminal_that_cannot_move_its_cursor_gets_lines() -> None:
    result = RUNNER.invoke(app, ["demo", "--offline", "--fast", "--frames", "60"], env=TERMINAL | {"TERM": "dumb"})
    assert "   1 s  frame     60" in result.output


@pytest.mark.parametrize("env", [{}, TERMINAL], ids=["pipe", "terminal"])
def test_an_interrupt_ends_in_a_summary_of_what_was_played(
    monkeypatch: pytest.MonkeyPatch, env: dict[str, str]
) -> None:
    waited = 0

    def wait(_pace: LoopPace) -> bool:
        nonlocal waited
        waited += 1
        if waited == 70:
            raise KeyboardInterrupt
        return True

    monkeypatch.setattr(LoopPace, "wait", wait)
    result = RUNNER.invoke(app, ["demo", "--offline"], env=env)
    assert result.exit_code == 130
    assert "interrupted" in result.output
    assert checksum_after(1, 70) in result.output


@pytest.mark.parametrize(
    ("arguments", "words"),
    [(["--frames", "0"], "--frames must be 1 or more, not 0"), (["--seed", "0"], "--seed must be 1 to")],
)
def test_misuse_is_refused_in_words(arguments: list[str], words: str) -> None:
    result = RUNNER.invoke(app, ["demo", "--offline", "--fast", *arguments])
    assert result.exit_code == 2
    assert words in result.stderr


def test_the_fight_can_be_recorded(tmp_path: Path) -> None:
    file = tmp_path / "fight.rplk"
    assert RUNNER.invoke(app, ["demo", "--offline", "--fast", "--frames", "90", "--record", str(file)]).exit_code == 0
    assert replay.load(file).frames == bout(1, 90)


def test_a_recorded_fight_can_be_verified(tmp_path: Path) -> None:
    file = tmp_path / "fight.rtk"
    assert RUNNER.invoke(app, ["demo", "--offline", "--fast", "--frames", "90", "--record", str(file)]).exit_code == 0
    result = RUNNER.invoke(app, ["replay", "verify", str(file)])
    assert result.exit_code == 0
    assert "1 compared" in result.output
