"""Inputs of remote players as they arrive: a batch is checked as a whole, then filed (a compiled kernel).

A batch is any sequence of integers, or a *run*: numbers side by side as a packet had them, which costs no Python object
each. A run's width was compared with the game's, so that each of its numbers fits.
"""

from typing import Any

from retick.errors import InputConflict, UsageError
from retick.rollback.engine.checks import evicted

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.rollback.engine.inputs import InputHistory, fits
else:
    from retick.rollback.engine.inputs import InputHistory, fits

__all__ = ["check_batch", "check_run", "copy_confirmed", "learn", "learn_run"]


def check_batch(
    inputs: InputHistory,
    player: cython.int,
    first: cython.longlong,
    values: Any,
    current: cython.longlong,
    history: cython.longlong,
) -> cython.int:
    """Raise if any input of a batch must be refused; change nothing. States of ``history`` frames are held."""
    frame: cython.longlong = first
    for value in values:
        if not fits(value, inputs.largest_input):
            raise UsageError(
                f"input of player {player} for frame {frame} must be an integer from 0 to "
                f"{inputs.largest_input}, not {value!r}"
            )
        if not is_passed(inputs, player, frame, value, current, history):
            refuse(inputs, player, frame, value, current, history)
        frame += 1
    return 0


def check_run(
    inputs: InputHistory,
    player: cython.int,
    first: cython.longlong,
    values: cython.p_ulonglong,
    at: cython.int,
    count: cython.int,
    current: cython.longlong,
    history: cython.longlong,
) -> cython.int:
    """The same for a run: ``count`` of ``values``, from ``at`` on."""
    index: cython.int
    for index in range(count):
        if not is_passed(inputs, player, first + index, values[at + index], current, history):
            refuse(inputs, player, first + index, values[at + index], current, history)
    return 0


def is_passed(
    inputs: InputHistory,
    player: cython.int,
    frame: cython.longlong,
    value: cython.ulonglong,
    current: cython.longlong,
    history: cython.longlong,
) -> cython.bint:
    """Whether one input need not be refused."""
    at: cython.longlong = frame & inputs.mask
    if frame >= inputs.dropped_from[player]:
        return True
    if inputs.tags[at] != frame:
        # False if the frame was run on a guess that can no longer be compared, because its row was overwritten.
        return frame < inputs.upto[player] or frame >= current
    at = at * inputs.num_players + player
    if inputs.used[at] == value:
        return True
    return not inputs.confirmed[at] and frame >= max(inputs.start, current - history)


def refuse(
    inputs: InputHistory,
    player: cython.int,
    frame: cython.longlong,
    value: cython.ulonglong,
    current: cython.longlong,
    history: cython.longlong,
) -> cython.int:
    """Say why an input did not pass."""
    if not inputs.holds(frame):
        why = f"player {player} pressed {value}, and what was guessed is forgotten"
    else:
        known: cython.ulonglong = inputs.used[(frame & inputs.mask) * inputs.num_players + player]
        if inputs.is_confirmed(player, frame):
            raise InputConflict(
                f"player {player} sent {value} for frame {frame}, which was confirmed as {known}",
                player=player,
                frame=frame,
                confirmed=known,
                received=value,
            )
        why = f"player {player} pressed {value} and not {known}"
    raise evicted(frame, why, current, history, max(inputs.start, current - history))


def learn(
    inputs: InputHistory,
    player: cython.int,
    frame: cython.longlong,
    value: cython.ulonglong,
    current: cython.longlong,
) -> cython.int:
    """File an input that was checked: 0 if it was not wanted any more, 2 if the frame ran with another value, else 1.

    It is wanted if it is not before the start, not of a dropped player and not known.
    """
    if frame < inputs.start or frame >= inputs.dropped_from[player] or inputs.is_confirmed(player, frame):
        return 0
    if frame < current and not inputs.holds(frame):
        return 0
    changed: cython.int = inputs.confirm(player, frame, value)
    if frame + 1 < current:
        inputs.mark_dirty(player, frame + 1)
    return 2 if changed and frame < current else 1


def learn_run(
    inputs: InputHistory,
    player: cython.int,
    first: cython.longlong,
    values: cython.p_ulonglong,
    at: cython.int,
    count: cython.int,
    current: cython.longlong,
) -> cython.longlong:
    """The same for a run; the first frame that ran with another value, or -1."""
    wrong: cython.longlong = -1
    index: cython.longlong
    known: cython.longlong = max(min(inputs.upto[player] - first, count), 0)
    for index in range(known, count):
        if learn(inputs, player, first + index, values[at + index], current) == 2 and wrong < 0:
            wrong = first + index
    return wrong


def copy_confirmed(
    inputs: InputHistory,
    player: cython.int,
    first: cython.longlong,
    count: cython.int,
    values: cython.p_ulonglong,
    to: cython.int,
) -> cython.longlong:
    """Make a run of confirmed inputs, from ``to`` on; the first frame that is not held as one, or -1."""
    index: cython.int
    for index in range(count):
        if not inputs.is_confirmed(player, first + index):
            return first + index
        values[to + index] = inputs.used[((first + index) & inputs.mask) * inputs.num_players + player]
    return -1
