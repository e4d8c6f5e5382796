"""Single key presses from a terminal, read without waiting: ``with TerminalKeys() as keys: keys.pressed()``.

Keys that send several bytes have names: ``left``, ``right``, ``up``, ``down``, ``home``, ``end``, ``page up``,
``page down``; all others are the character itself.
"""

import os
import sys
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Final, Self

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
    """The keys in a terminal's input; unknown sequences are left out."""
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


# Turns key presses into buttons, though a terminal never reports that a key is released.
#
# Theory of operation. A terminal repeats a held key after half a second, about thirty times a second. So one press of a
# direction moves for a few frames. Each repeat prolongs the movement, so a held key runs; it ends a moment after the
# last repeat, or at once by the other direction or the stop key. Jump and strike last for one frame. They are kept
# until a frame has read them, so that a press between two frames is not lost.
STEP_SECONDS = 0.1
"""Seconds for which one press of a direction moves."""
REPEAT_WITHIN = 0.8
"""Seconds within which a press of the same key counts as a repeat; terminals begin after 0.2 to 0.7 s."""
REPEAT_SECONDS = 0.12
"""Seconds for which a repeat moves: longer than the time between two repeats."""


class _Axis:
    """Two directions that exclude each other."""

    def __init__(self) -> None:
        self._button = 0
        self._until = 0.0
        self._pressed_at = 0.0
        self._seen = True

    def press(self, button: int, now: float) -> None:
        repeats = button == self._button and now - self._pressed_at < REPEAT_WITHIN
        self._button, self._pressed_at, self._seen = button, now, False
        self._until = now + (REPEAT_SECONDS if repeats else STEP_SECONDS)

    def stop(self) -> None:
        self._until, self._seen = 0.0, True

    def held(self, now: float) -> int:
        moving = now < self._until or not self._seen
        self._seen = True
        return self._button if moving else 0


class KeyboardButtons:
    """The controller of a person: turns key presses into the buttons of each frame."""

    def __init__(
        self, *, axes: tuple[Mapping[str, int], ...], moments: Mapping[str, int], stops: frozenset[str] = frozenset()
    ) -> None:
        """``axes`` has keys for directions, ``moments`` for buttons of one frame, ``stops`` to end all movement."""
        self._axes = [(keys, _Axis()) for keys in axes]
        self._momentary = moments
        self._stops = stops
        self._moments = 0

    def press(self, key: str, now: float) -> None:
        """Note a key, named as by :class:`TerminalKeys`; keys without a meaning do nothing."""
        key = key.lower()
        for keys, axis in self._axes:
            if key in keys:
                axis.press(keys[key], now)
            elif key in self._stops:
                axis.stop()
        self._moments |= self._momentary.get(key, 0)

    def __call__(self, state: Any, now: float, /) -> int:
        pressed, self._moments = self._moments, 0
        for _, axis in self._axes:
            pressed |= axis.held(now)
        return pressed
