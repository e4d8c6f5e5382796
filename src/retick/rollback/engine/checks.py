"""What an engine is told once: checked as Python values, so that no wrong number ever becomes a C one."""

from collections.abc import Sequence
from typing import Any

from retick.errors import UsageError

__all__ = ["LONGEST_HISTORY", "MOST_PLAYERS", "NEWEST_FRAME", "check_settings", "local_seats"]

NEWEST_FRAME = 0xFFFFFFFE
"""Frames are 32 bits on the wire, and the highest number marks what was never written."""
LONGEST_HISTORY = 1 << 24
"""Frames; over three days at 60 Hz. Rings are made whole at the start, so history is memory."""
MOST_PLAYERS = 1 << 16


def check_settings(num_players: Any, history: Any, prediction_window: Any, start_frame: Any) -> None:
    """A UsageError that names the first of these that no engine can have."""
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


def local_seats(num_players: int, one: int | None, several: Sequence[int] | None) -> tuple[int, ...]:
    """The local seats, of whichever of the two was given."""
    if (one is None) == (several is None):
        raise UsageError("give either local_player or local_players")
    seats = (one,) if one is not None else tuple(several or ())
    if len(set(seats)) != len(seats) or not all(isinstance(seat, int) and 0 <= seat < num_players for seat in seats):
        raise UsageError(f"local seats must be different players from 0 to {num_players - 1}, not {seats}")
    return seats
