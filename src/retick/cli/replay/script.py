"""Scripted inputs: a text file with the buttons of each player for a number of frames.

::

    # frames  player 1     player 2
    200       right        left
    20        right+jump   .
    1         attack       0x0008

A line of ``retick replay export`` counts as one frame, so an exported match can be edited and recorded again.
"""

import json
from collections.abc import Mapping
from typing import Any

from retick.errors import UsageError
from retick.replay.inputs import pack_inputs

__all__ = ["parse_script"]

MOST_FRAMES = 10_000_000
MOST_BYTES = 64 * 1024 * 1024


def parse_script(text: str, num_players: int, input_size: int, buttons: Mapping[str, int]) -> bytes:
    """The packed frames of a script; ``buttons`` gives names to bits. A UsageError names the wrong line."""
    frames: list[bytes] = []
    count = 0
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            times, inputs = _exported(line) if line.lstrip().startswith("{") else _scripted(words, buttons)
            count += times
            if count > MOST_FRAMES or count * num_players * input_size > MOST_BYTES:
                raise UsageError(f"a script holds up to {MOST_FRAMES} frames, of {MOST_BYTES} bytes in all")
            if times:
                frames.append(pack_inputs(inputs, num_players, input_size) * times)
        except UsageError as error:
            raise UsageError(f"line {number} of the script: {error}") from None
    return b"".join(frames)


def _scripted(words: list[str], buttons: Mapping[str, int]) -> tuple[int, list[int]]:
    if not words[0].isdecimal() or not words[0].isascii():
        raise UsageError(f"it must start with a number of frames, not {words[0]!r}")
    if len(words[0]) > len(str(MOST_FRAMES)):
        raise UsageError(f"a script holds up to {MOST_FRAMES} frames")
    return int(words[0]), [_pressed(word, buttons) for word in words[1:]]


def _pressed(word: str, buttons: Mapping[str, int]) -> int:
    value = 0
    for part in word.split("+"):
        if part.lower() in buttons:
            value |= buttons[part.lower()]
        elif part != ".":
            try:
                value |= int(part, 0)
            except ValueError:
                names = ", ".join(buttons) or "none"
                raise UsageError(f"{part!r} is neither a number nor a button (buttons: {names})") from None
    return value


def _exported(line: str) -> tuple[int, list[int]]:
    """One line of an export; its header has no inputs and counts for no frame."""
    try:
        row: Any = json.loads(line)
    except ValueError as error:
        raise UsageError(f"it is not JSON: {error}") from None
    if "inputs" not in row:
        return 0, []
    if not isinstance(row["inputs"], list):
        raise UsageError(f"inputs must be a list, not {row['inputs']!r}")
    return 1, row["inputs"]
