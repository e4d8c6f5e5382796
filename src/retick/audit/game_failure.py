"""Describes what a game raised: the message, the innermost line of the game's own source, the frame and its inputs.

An error may be raised deep inside this library, for example by a full list. The author of the game needs the line of
the game that led there. An error without such a line is not the game's: a wrong name on the command line, say.
"""

import linecache
import os
import sys
import traceback
from types import FrameType

OWN = __name__.partition(".")[0]
LONGEST_LINE = 80


def is_raised_by_game(error: BaseException) -> bool:
    """Whether a line of a game led to the error."""
    return _game_line(error) is not None


def game_failure(error: BaseException) -> str:
    """Describe an error in one line: its kind, its text, where it was raised, and its notes."""
    where = _game_line(error) or _last_line(error)
    notes = "".join(f", {note}" for note in getattr(error, "__notes__", []))
    return f"the game raised {type(error).__name__}: {error} ({where}{notes})"


def _game_line(error: BaseException) -> str | None:
    """File, line, function and text of the innermost line that belongs to a game; None if there is none."""
    found = [(frame, line) for frame, line in traceback.walk_tb(error.__traceback__) if _is_of_game(frame)]
    if not found:
        return None
    (frame, line), code = found[-1], found[-1][0].f_code
    text = linecache.getline(code.co_filename, line, frame.f_globals).strip()
    text = text if len(text) <= LONGEST_LINE else text[: LONGEST_LINE - 3] + "..."
    return f"{_shown(code.co_filename)}:{line} in {code.co_qualname}" + (f": {text}" if text else "")


def _is_of_game(frame: FrameType) -> bool:
    """Whether the frame's module is neither this library (except its games), nor Python's, nor installed."""
    module = str(frame.f_globals.get("__name__", ""))
    top, _, below = module.partition(".")
    if top == OWN:
        return below.startswith("games")
    name = frame.f_code.co_filename
    return top not in sys.stdlib_module_names and "site-packages" not in name and not name.startswith("<frozen")


def _last_line(error: BaseException) -> str:
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{_shown(last.filename)}:{last.lineno}"


def _shown(filename: str) -> str:
    """The path relative to the working directory, if the file is below it."""
    here = os.path.join(os.getcwd(), "")
    return filename.removeprefix(here)
