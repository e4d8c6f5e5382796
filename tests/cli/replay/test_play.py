"""What the keys do in ``retick replay play``, and how they are read from a terminal."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from retick.cli.play.terminal_keys import keys_in
from retick.cli.replay import play as replay_play
from retick.cli.replay.play import Playback
from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout
from retick.replay import Replay, ReplayPlayer, save

MATCH = Replay(seed=4, frames=bout(4, 2000))


def playback() -> Playback:
    return Playback(ReplayPlayer(MATCH, Fighter()))


@pytest.mark.parametrize(
    ("keys", "frame"),
    [
        (["5"], 1000),
        (["0"], 0),
        (["9"], 1800),
        (["end"], 2000),
        (["end", "right"], 2000),
        (["5", "home"], 0),
        (["left"], 0),
        (["5", "right", "right", "left", ".", ","], 1001),
        (["page down", "page down", "page up"], 600),
        (["5", "up", "down", "down"], 940),
        (["x", "²", "\t"], 0),
    ],
)
def test_keys_lead_to_frames(keys: list[str], frame: int) -> None:
    shown = playback()
    for key in keys:
        shown.press(key)
    assert shown.player.frame == frame
    straight = Fighter()
    assert shown.player.state == straight.run(straight.initial_state(4), MATCH.packed(0, frame))


def test_pause_holds_time_and_a_single_step_pauses() -> None:
    shown = playback()
    shown.advance(7)
    shown.press(" ")
    shown.advance(100)
    assert shown.player.frame == 7
    shown.press(" ")
    shown.press("right")
    shown.advance(100)
    assert (shown.player.frame, shown.paused) == (8, True)


def test_it_pauses_at_the_end_and_speed_stays_within_bounds() -> None:
    shown = playback()
    shown.advance(5000)
    assert (shown.player.frame, shown.paused) == (2000, True)
    for _ in range(10):
        shown.press("+")
    assert shown.speed == replay_play.FASTEST
    for _ in range(20):
        shown.press("-")
    assert shown.speed == replay_play.SLOWEST
    assert not shown.quit
    shown.press("q")
    assert shown.quit


def test_keys_of_several_bytes_have_names_and_unknown_ones_are_left_out() -> None:
    assert keys_in("a\x1b[C\x1b[D q\x1b[5~\x1b[6~\x1bOH\x1b[F") == [
        "a", "right", "left", " ", "q", "page up", "page down", "home", "end",
    ]  # fmt: skip
    assert keys_in("\x1b[1;5Cx\x1b[15~y\x1b") == ["x", "y", "\x1b"]


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
    monkeypatch.setattr(replay_play, "Pace", NoWait)
    if state == "any":
        monkeypatch.setattr(replay_play, "FighterState", int)
    shown = playback()
    with open(os.devnull, "w", encoding="utf-8") as sink:
        console = Console(file=sink, force_terminal=True, width=80, height=24, record=True)
        replay_play._play_live(console, shown, Path("match.rtk"))
        text = console.export_text()
    assert shown.player.frame == 1003
    assert "paused, frame 1003 of 2000" in text or state == "any"


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are a POSIX thing")
def test_keys_are_read_from_a_real_terminal_and_the_terminal_is_left_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import pty
    import termios

    from retick.cli.play.terminal_keys import TerminalKeys

    ours, theirs = pty.openpty()

    class Stdin:
        def fileno(self) -> int:
            return theirs

    monkeypatch.setattr(sys, "stdin", Stdin())
    before: Any = termios.tcgetattr(theirs)
    with TerminalKeys() as keys:
        assert keys.pressed() == []
        os.write(ours, b"\x1b[C 5")
        found: list[str] = []
        while len(found) < 3:
            found += keys.pressed()
        assert found == ["right", " ", "5"]
    assert termios.tcgetattr(theirs) == before
    os.close(ours)
    os.close(theirs)


def test_a_whole_file_is_shown_in_any_game(tmp_path: Path) -> None:
    path = tmp_path / "m.rplk"
    save(path, MATCH)
    picture = replay_play._picture(playback(), None, path)
    console = Console(width=80, record=True, file=open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - lives as long as the console
    console.print(picture)
    assert "m.rplk" in console.export_text()
    console.file.close()
