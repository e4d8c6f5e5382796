"""The notes of one peer: a line of JSON each, written while it plays, and read back with every line checked."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, NamedTuple

from retick.errors import BadMagic, InvalidValue, LimitExceeded, UnsupportedVersion

__all__ = ["Note", "Notes", "fingerprint", "header_line", "note_line", "read_notes"]

FORMAT = "retick trace"
VERSION = 1
LONGEST_NAME = 64
LONGEST_TEXT = 200
LONGEST_LINE = 4096
"""Characters."""
MOST_NOTES = 5_000_000
"""Of one file: hours of play."""
FURTHEST = 1 << 53
"""Whole numbers up to here are exact in every reader of JSON."""

_INTEGER, _TEXT = int, str
KINDS: dict[str, tuple[type, ...]] = {
    "f": (_INTEGER, _INTEGER, _INTEGER, _INTEGER, _INTEGER),
    "s": (_INTEGER, _INTEGER, _TEXT),
    "r": (_INTEGER, _INTEGER, _TEXT),
    "w": (_INTEGER,),
    "g": (_INTEGER,),
    "c": (_INTEGER, _INTEGER),
    "n": (_INTEGER, _INTEGER, _INTEGER, _INTEGER),
    "e": (_INTEGER, _TEXT),
}
"""What follows the letter of a line; the first one is its time."""


class Note(NamedTuple):
    """One line."""

    kind: str
    time: int
    """Microseconds since time 0 of its file."""
    values: tuple[Any, ...]


@dataclass(slots=True)
class Notes:
    """A whole file."""

    name: str
    clock: int
    """Microseconds since 1970 at time 0."""
    rate: int
    lines: list[Note] = field(default_factory=list)


def fingerprint(data: bytes) -> str:
    """What a datagram is known by in the notes of both ends."""
    return blake2b(data, digest_size=8).hexdigest()


def header_line(name: str, *, clock: int, rate: int) -> str:
    head = {"format": FORMAT, "version": VERSION, "name": name[:LONGEST_NAME], "clock": clock, "rate": rate}
    return json.dumps(head) + "\n"


def note_line(kind: str, time: int, *values: Any) -> str:
    return json.dumps([kind, time, *values], separators=(",", ":")) + "\n"


def read_notes(data: bytes) -> Notes:
    """A DecodeError names the line that is wrong; a last line that is cut off is left out."""
    lines = _lines(data)
    first = next(lines, None)
    head = _json(*first) if first is not None else None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise BadMagic("these are no notes of retick --trace")
    version = _integer(head.get("version"), 1)
    if version != VERSION:
        raise UnsupportedVersion(f"version {version} of trace notes is not known here", version=version)
    notes = Notes(
        name=_text(head.get("name"), LONGEST_NAME, 1),
        clock=_integer(head.get("clock"), 1),
        rate=_integer(head.get("rate"), 1),
    )
    for number, line in lines:
        if len(notes.lines) >= MOST_NOTES:
            raise LimitExceeded(
                f"trace notes have at most {MOST_NOTES} lines", what="notes", limit=MOST_NOTES, actual=MOST_NOTES + 1
            )
        notes.lines.append(_note(_json(number, line), number))
    return notes


def _lines(data: bytes) -> Iterator[tuple[int, str]]:
    try:
        text = data[: data.rfind(b"\n") + 1].decode()
    except UnicodeDecodeError:
        raise InvalidValue("trace notes must be UTF-8") from None
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > LONGEST_LINE:
            raise InvalidValue(f"line {number} of the trace notes is too long")
        yield number, line


def _json(number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidValue(f"line {number} of the trace notes is not JSON") from None


def _note(line: Any, number: int) -> Note:
    if not isinstance(line, list) or not line or not isinstance(line[0], str) or line[0] not in KINDS:
        raise InvalidValue(f"line {number} of the trace notes has no known kind")
    kind, *values = line
    wanted = KINDS[kind]
    if len(values) != len(wanted):
        raise InvalidValue(f"line {number} of the trace notes: {kind!r} has {len(wanted)} values, not {len(values)}")
    checked = tuple(
        _text(value, LONGEST_TEXT, number) if type_ is _TEXT else _integer(value, number)
        for value, type_ in zip(values, wanted, strict=True)
    )
    return Note(kind, _integer(values[0], number), checked[1:])


def _integer(value: Any, number: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not -FURTHEST <= value <= FURTHEST:
        raise InvalidValue(f"line {number} of the trace notes: {str(value)[:40]!r} is no whole number in range")
    return value


def _text(value: Any, longest: int, number: int) -> str:
    if not isinstance(value, str) or len(value) > longest:
        raise InvalidValue(f"line {number} of the trace notes needs a text of at most {longest} characters")
    return value
