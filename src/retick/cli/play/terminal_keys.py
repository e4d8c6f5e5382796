"""Single key presses from a terminal, read without waiting: ``with TerminalKeys() as keys: keys.pressed()``.

Keys that send several bytes have names: ``left``, ``right``, ``up``, ``down``, ``home``, ``end``, ``page up``,
``page down``; all others are the character itself.
"""

import os
import sys
from types import TracebackType
from typing import Any, Final, Self

__all__ = ["TerminalKeys", "keys_in"]

_SEQUENCES: Final = {
    "\x1b[A": "up", "\x1b[B": "down", "\x1b[C": "right", "\x1b[D": "left",
    "\x1bOA": "up", "\x1bOB": "down", "\x1bOC": "right", "\x1bOD": "left",
    "\x1b[H": "home", "\x1b[F": "end", "\x1bOH": "home", "\x1bOF": "end", "\x1b[1~": "home", "\x1b[4~": "end",
    "\x1b[5~": "page up", "\x1b[6~": "page down",
}  # fmt: skip
_WINDOWS: Final = {
    "H": "up", "P": "down", "M": "right", "K": "left", "G": "home", "O": "end", "I": "page up", "Q": "page down",
}  # fmt: skip


def keys_in(text: str) -> list[str]:
    """The keys in what a terminal sent; sequences that are not known are left out."""
    found = []
    at = 0
    while at < len(text):
        name = next((s for s in _SEQUENCES if text.startswith(s, at)), None)
        if name is not None:
            found.append(_SEQUENCES[name])
            at += len(name)
        elif text[at] == "\x1b" and text[at + 1 : at + 2] in ("[", "O"):
            at += 2
            while at < len(text) and not text[at].isalpha() and text[at] != "~":
                at += 1
            at += 1
        else:
            found.append(text[at])
            at += 1
    return found


if sys.platform == "win32":
    import msvcrt

    class TerminalKeys:
        """The keyboard of a console window."""

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def pressed(self) -> list[str]:
            """The keys pressed since the last call."""
            found = []
            while msvcrt.kbhit():
                character = msvcrt.getwch()
                if character in ("\x00", "\xe0"):
                    character = _WINDOWS.get(msvcrt.getwch(), "")
                if character == "\x03":
                    raise KeyboardInterrupt
                if character:
                    found.append(character)
            return found

else:
    import select
    import termios
    import tty

    class TerminalKeys:
        """A terminal in cbreak mode: keys come at once and are not echoed, and Ctrl-C still interrupts."""

        def __init__(self) -> None:
            self._terminal = sys.stdin.fileno()
            self._before: list[Any] = []

        def __enter__(self) -> Self:
            self._before = termios.tcgetattr(self._terminal)
            tty.setcbreak(self._terminal)
            return self

        def __exit__(
            self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
        ) -> None:
            termios.tcsetattr(self._terminal, termios.TCSADRAIN, self._before)

        def pressed(self) -> list[str]:
            """The keys pressed since the last call."""
            ready, _, _ = select.select([self._terminal], [], [], 0)
            return keys_in(os.read(self._terminal, 1024).decode("utf-8", "ignore")) if ready else []
