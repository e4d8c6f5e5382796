"""Lag compensation: where the other players were when a shooter saw them, at most two seconds ago."""

# retick: floats -- positions as the motor left them

from collections import deque
from typing import Final

from retick.authority.profile import Rewound, Vector

__all__ = ["HISTORY_TICKS", "Rewind", "oldest_tick"]

HISTORY_TICKS: Final = 120


def oldest_tick(now_tick: int) -> int:
    """The oldest tick that is kept: no shot is judged further back."""
    return max(0, now_tick - HISTORY_TICKS + 1)


class Rewind:
    """Positions of all players after each of the last 120 ticks."""

    __slots__ = ("_frames",)

    def __init__(self) -> None:
        self._frames: deque[tuple[int, dict[int, Vector]]] = deque(maxlen=HISTORY_TICKS)

    def store(self, tick: int, positions: dict[int, Vector]) -> None:
        self._frames.append((tick, positions))

    def targets(self, tick: int, now_tick: int, current: dict[int, Vector], shooter: int) -> Rewound:
        """Where everyone but the shooter was at ``tick``, or at the oldest tick that is kept.

        A player that is missing from that tick is taken from the newest tick before it, else from where it is now.
        """
        oldest = oldest_tick(now_tick)
        wanted = max(tick, oldest)
        found: Rewound = {}
        for held_tick, positions in reversed(self._frames):
            if oldest <= held_tick <= wanted:
                for peer_id, position in positions.items():
                    found.setdefault(peer_id, position)
                if len(found) >= len(current):
                    break
        return {peer: found.get(peer, position) for peer, position in current.items() if peer != shooter}
