"""The rows of results: one for each recording, and the line of JSON that holds it.

A new field goes into ``Row``; into ``TEXTS`` too if it is text. ``judge`` fills it.
"""

import json
from json.encoder import encode_basestring_ascii
from typing import Any, Final, Literal, NamedTuple, get_args

from retick.errors import InvalidValue

Word = Literal["ok", "differs", "unknown", "corrupt", "unreadable", "failed", "manifest"]
VERDICTS: Final[tuple[str, ...]] = get_args(Word)


class Row(NamedTuple):
    """The result for one recording."""

    path: str
    """The file, URL, or ``archive!member``."""
    verdict: Word
    reason: str = ""
    """Why the verdict is not ok; empty if it is."""
    seed: int | None = None
    frames: int | None = None
    checksum: int | None = None
    """Checksum of the final state in this run; None if it was not run."""
    expected: int | None = None
    """The final checksum that the manifest expects."""
    compared: int = 0
    """Number of checksums that were compared, including the expected one."""
    first_bad_frame: int | None = None
    last_good_frame: int | None = None


FIELDS: Final = Row._fields
TEXTS: Final = ("path", "verdict", "reason")
"""The fields that are text; all others are numbers, and may be None where they are not known."""
_NUMBERS = tuple(name for name in FIELDS if name not in TEXTS)


def row_line(row: Row) -> str:
    """Write the row as one line of JSON, without a line end."""
    numbers = ", ".join(
        f'"{name}": {"null" if value is None else value}'
        for name, value in zip(FIELDS, row, strict=True)
        if name not in TEXTS
    )
    path = encode_basestring_ascii(row.path)
    return f'{{"path": {path}, "verdict": "{row.verdict}", "reason": {encode_basestring_ascii(row.reason)}, {numbers}}}'


def read_row(text: str | bytes) -> Row:
    """Read the row in a line of JSON; InvalidValue if it is wrong."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    problem = _problem(found)
    if problem:
        raise InvalidValue(f"not a row of results: {problem}")
    return Row(**found)


def _problem(found: Any) -> str | None:
    if not isinstance(found, dict):
        return "it is not a JSON object"
    if set(found) != set(FIELDS):
        return f"its fields are not {', '.join(FIELDS)}"
    if not isinstance(found["path"], str) or not isinstance(found["reason"], str):
        return "path and reason must be text"
    if found["verdict"] not in VERDICTS:
        return f"the verdict must be one of {', '.join(VERDICTS)}"
    for name in _NUMBERS:
        value = found[name]
        if not (value is None and name != "compared") and (type(value) is not int or not 0 <= value < 1 << 63):
            return f"{name} must be a number"
    return None
