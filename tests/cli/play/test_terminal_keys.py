"""Single key presses from a terminal."""

import os
import sys
from typing import Any

import pytest

from retick.cli.play.keys import keys_in


def test_keys_of_several_bytes_have_names_and_unknown_ones_are_left_out() -> None:
    assert keys_in("a\x1b[C\x1b[D q\x1b[5~\x1b[6~\x1bOH\x1b[F") == [
        "a", "right", "left", " ", "q", "page up", "page down", "home", "end",
    ]  # fmt: skip
    assert keys_in("\x1b[1;5Cx\x1b[15~y\x1b") == ["x", "y", "\x1b"]


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are a POSIX thing")
def test_keys_are_read_from_a_real_terminal_and_the_terminal_is_left_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import pty
    import termios

    from retick.cli.play.keys import TerminalKeys

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
