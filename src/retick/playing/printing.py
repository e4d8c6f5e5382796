"""Prints lines on standard output and standard error, for every program of ours that runs in a terminal.

Names, reasons and errors come from files, arguments and other peers, and a terminal takes some characters as commands:
escape sequences, line ends, controls that reverse the direction of text. So every line is made safe where it is
printed, and no caller can forget it.
"""

import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TextIO


def safe(text: str) -> str:
    """Escape every character that is not printable: all controls, line ends, bidi, lone surrogates."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def say(*lines: str, err: bool = False) -> None:
    """Print lines on standard output or standard error, at once. Line ends inside a line are escaped too."""
    stream = sys.stderr if err else sys.stdout
    for line in lines:
        print(_encodable(safe(line), stream), file=stream)
    stream.flush()


def tell(line: str) -> None:
    """Print a line of a window's program, if there is a terminal."""
    with suppress(OSError):
        say(line)


def complain(text: str, *more: str) -> None:
    """Print a line on standard error, after everything printed before; ``more`` are the lines below it.

    If standard error cannot be written, nobody reads it: the exit code has to be enough.
    """
    with suppress(OSError):
        sys.stdout.flush()
    with suppress(OSError):
        say(f"retick: {text}", *more, err=True)


def file_problem(error: OSError) -> str:
    """Describe a system error with the name of its file."""
    name = "the output" if error.filename is None else os.fsdecode(error.filename)
    return f"{name}: {error.strerror or error}"


def say_json(value: Any, *, indent: int | None = None) -> None:
    """Print a value as JSON, in plain ASCII."""
    say(*json_text(value, indent=indent).split("\n"))


def json_text(value: Any, *, indent: int | None = None, default: Callable[[Any], Any] | None = None) -> str:
    """Write JSON in printable ASCII; the encoder alone would leave DEL as it is."""
    return json.dumps(value, indent=indent, default=default).replace("\x7f", "\\u007f")


def _encodable(text: str, stream: TextIO) -> str:
    """Escape characters that the stream's encoding does not have."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def count(number: int, noun: str, nouns: str = "") -> str:
    """Write a number with its noun: 1 frame, 2 frames. ``nouns`` is the plural if it is not just an s more."""
    return f"{number} {noun if number == 1 else nouns or f'{noun}s'}"
