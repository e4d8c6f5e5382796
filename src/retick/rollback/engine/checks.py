"""Checks an engine's settings as Python values before they become C numbers; and makes its longer errors."""

from collections.abc import Sequence
from typing import Any

from retick.errors import HistoryEvicted, PredictionLimit, UsageError

NEWEST_FRAME = 0xFFFFFFFE
"""The newest frame: frames are 32 bits on the wire, and the highest number marks unwritten rows."""
LONGEST_HISTORY = 1 << 24
"""The most frames of history, over three days at 60 Hz. Rings are allocated whole at the start."""
MOST_PLAYERS = 1 << 16


def check_settings(
    num_players: Any, history: Any, prediction_window: Any, start_frame: Any, inputs_remembered: Any = 0
) -> None:
    """Raise a UsageError for the first setting that no engine can have."""
    if not isinstance(num_players, int) or not 1 <= num_players <= MOST_PLAYERS:
        raise UsageError(f"num_players must be from 1 to {MOST_PLAYERS}, not {num_players!r}")
    if not isinstance(history, int) or history < 2:
        raise UsageError(f"history must be at least 2 frames, not {history!r}")
    if history > LONGEST_HISTORY:
        raise UsageError(f"history must be at most {LONGEST_HISTORY} frames, not {history}")
    if prediction_window is not None and (
        not isinstance(prediction_window, int) or not 0 <= prediction_window <= history
    ):
        raise UsageError(f"prediction_window must be from 0 to history ({history}), not {prediction_window!r}")
    if not isinstance(start_frame, int) or not 0 <= start_frame <= NEWEST_FRAME:
        raise UsageError(f"start_frame must be 0 or more and at most {NEWEST_FRAME}, not {start_frame!r}")
    if not isinstance(inputs_remembered, int) or not 0 <= inputs_remembered <= 4 * LONGEST_HISTORY:
        raise UsageError(f"inputs_remembered must be from 0 to {4 * LONGEST_HISTORY} frames, not {inputs_remembered!r}")


def local_seats(num_players: int, one: int | None, several: Sequence[int] | None) -> tuple[int, ...]:
    """The local seats, from whichever of the two arguments was given."""
    if (one is None) == (several is None):
        raise UsageError("give either local_player or local_players")
    seats = (one,) if one is not None else tuple(several or ())
    if len(set(seats)) != len(seats) or not all(isinstance(seat, int) and 0 <= seat < num_players for seat in seats):
        raise UsageError(f"local seats must be different players from 0 to {num_players - 1}, not {seats}")
    return seats


def evicted(frame: Any, why: str, current: int, history: int, oldest: int) -> HistoryEvicted:
    """The error for a frame that is not in history."""
    return HistoryEvicted(
        f"frame {frame!r} is not in history ({why}): at frame {current} with history={history} "
        f"the frames from {oldest} on are held; raise history to reach further back",
        frame=frame,
        current=current,
        history=history,
    )


def window_full(frame: int, confirmed: int, window: int) -> PredictionLimit:
    """The error for a frame too far ahead of the confirmed inputs."""
    return PredictionLimit(
        f"frame {frame} would run {frame - confirmed} frames past the newest confirmed "
        f"remote input ({confirmed}), and the prediction window is {window}: wait for inputs",
        frame=frame,
        confirmed_frame=confirmed,
        window=window,
    )
