"""``retick replay play`` in a terminal, and through a pipe."""

import os
from pathlib import Path

import pytest
from rich.console import Console

from retick import replay
from retick.cli.replay import play as replay_play
from retick.cli.replay.play import shortened
from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout
from retick.replay import Playback, Replay, ReplayPlayer, save
from tests.cli.conftest import Run

MATCH = Replay(seed=4, frames=bout(4, 2000))


def playback() -> Playback:
    return Playback(ReplayPlayer(MATCH, Fighter()))


class Board:
    """Keys from a list, one a turn."""

    def __init__(self, keys: list[str]) -> None:
        self._keys = keys

    def __enter__(self) -> "Board":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def pressed(self) -> list[str]:
        return [self._keys.pop(0)] if self._keys else ["q"]


class NoWait:
    def __init__(self, _rate: int) -> None:
        pass

    def wait(self) -> bool:
        return True


@pytest.mark.parametrize("state", ["fighter", "any"])
def test_the_live_picture_follows_the_keys(monkeypatch: pytest.MonkeyPatch, state: str, tmp_path: Path) -> None:
    monkeypatch.setattr(replay_play, "TerminalKeys", lambda: Board(["5", "\t", " ", "\t", "right", "+"]))
    monkeypatch.setattr(replay_play, "LoopPace", NoWait)
    if state == "any":
        monkeypatch.setattr(replay_play, "FighterState", int)
    shown = playback()
    with open(os.devnull, "w", encoding="utf-8") as sink:
        console = Console(file=sink, force_terminal=True, width=80, height=24, record=True)
        replay_play._play_live(console, shown, Path("match.rtk"))
        text = console.export_text()
    assert shown.player.frame == 1003
    assert "paused, frame 1003 of 2000" in text or state == "any"


def test_a_whole_file_is_shown_in_any_game(tmp_path: Path) -> None:
    path = tmp_path / "m.rplk"
    save(path, MATCH)
    picture = replay_play._picture(playback(), None, path)
    console = Console(width=80, record=True, file=open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - lives as long as the console
    console.print(picture)
    assert "m.rplk" in console.export_text()
    console.file.close()


def test_a_pipe_gets_a_line_a_second(run: Run, match: Path) -> None:
    code, out, _ = run("replay", "play", match)
    assert code == 0
    whole = replay.load(match)
    lines = out.splitlines()
    assert [line.split()[1] for line in lines] == ["0", "60", "120", "180", "240", "300"]
    assert f"0x{whole.final_checksum:08X}" in lines[-1]
    out = run("replay", "play", match, "--from", 290, "--every", 3)[1]
    assert [line.split()[1] for line in out.splitlines()] == ["290", "293", "296", "299", "300"]


def test_a_large_state_is_one_line_of_bounded_length() -> None:
    line = shortened({f"things[{number}].x": number for number in range(1000)})
    assert len(line) < 450
    assert line.startswith("things[0].x=0 things[1].x=1 ")
    assert line.endswith("more fields")
    assert shortened({"a": 1, "b": 2}) == "a=1 b=2"


def test_why_there_are_lines_and_no_picture_is_said_beside_the_output(run: Run, match: Path) -> None:
    code, out, err = run("replay", "play", match)
    assert code == 0
    assert out.startswith("frame ")
    assert err == (
        "retick: the output is not a terminal, so the states are printed, one line for each second: "
        "--window opens the window of a game that has one\n"
    )


@pytest.mark.parametrize("words", [("--every", 60), ("--no-window",)])
def test_who_asked_for_lines_is_not_told_why(run: Run, match: Path, words: tuple[object, ...]) -> None:
    assert run("replay", "play", match, *words)[2] == ""
