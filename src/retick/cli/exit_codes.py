"""Exit codes, error lines and Ctrl-C, by the same rule for every command.

===  =========================================================================================================
0    yes: the command did what was asked, or the answer is good
1    no: the answer is bad (a replay that does not verify, a match that ended early, a desync)
2    misuse: wrong arguments; a script, schema or configuration that is wrong; a file that is missing or cannot be
     opened
3    unknown: neither yes nor no, because there was nothing to compare or to ask, or the game is not known here
130  interrupted by Ctrl-C
141  the reader of our output has gone, as after ``| head``; no error line is printed
===  =========================================================================================================

A command prints no error itself. It raises ``UsageError`` for 2, any other ``RetickError`` for 1, and ``typer.Exit(1)``
for a "no" that it has already explained; only ``replay verify`` and ``doctor`` answer 3. On Ctrl-C it cleans up and
lets ``KeyboardInterrupt`` pass. ``exits`` turns each of these into one line on standard error and the exit code, and
does the same if the output cannot be written because the disk is full, or if there is too little memory (1). Any other
exception is a defect of ours and keeps its traceback.
"""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import typer

from retick.errors import RetickError, UsageError
from retick.playing.printing import complain, file_problem

__all__ = [
    "DISK_FULL",
    "INTERRUPTED",
    "MISUSE",
    "NO",
    "READER_GONE",
    "UNKNOWN",
    "complain",
    "exits",
    "named",
    "playing",
]

NO = 1
MISUSE = 2
UNKNOWN = 3
INTERRUPTED = 130
READER_GONE = 141
DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""Errors without a file name that mean that standard output cannot be written."""


@contextmanager
def exits() -> Iterator[None]:
    """End the program by the rule above when what runs inside raises."""
    try:
        yield
    except KeyboardInterrupt:
        complain("interrupted")
        sys.exit(INTERRUPTED)
    except MemoryError:
        complain("there is too little memory for this")
        sys.exit(NO)
    except RetickError as error:
        complain(str(error))
        sys.exit(MISUSE if isinstance(error, UsageError) else NO)
    except BrokenPipeError:
        _close_outputs()
        sys.exit(READER_GONE)
    except OSError as error:
        if error.filename is None and error.errno not in DISK_FULL:
            raise  # neither a file nor our output, so a defect
        if error.filename is None:
            _close_outputs()
        complain(file_problem(error))
        sys.exit(MISUSE)


def _close_outputs() -> None:
    """Drop the rest of standard output's buffer, which Python would otherwise try to write at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@contextmanager
def named(path: Path) -> Iterator[None]:
    """Put the file's name in front of errors about its contents. A UsageError, about arguments, stays as it is."""
    try:
        yield
    except UsageError:
        raise
    except RetickError as error:
        raise RetickError(f"{path}: {error}") from None


@contextmanager
def playing() -> Iterator[None]:
    """Turn what a game raises into an answer about the game (exit code 1), neither misuse nor a defect of ours.

    The answer names the line of the game, even if the library raised the error: a full list, a value out of range.
    """
    try:
        yield
    except Exception as error:
        # Here, because it brings the audit and the engine in, and this module is a part of every command.
        from retick.audit.game_failure import game_failure, is_raised_by_game

        if isinstance(error, RetickError | OSError | typer.Exit) and not is_raised_by_game(error):
            raise
        raise RetickError(game_failure(error)) from error
