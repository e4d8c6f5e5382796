"""The strip above the scrubber: a recording in at most 1,200 columns, each some frames wide.

First come the inputs, which need no game. Then the recording is run once from start to end: its checksums are
compared, and of the fighter the hit points at the end of each column are noted.
"""

from collections.abc import Callable
from typing import Any

from retick.replay import Replay, Verdict
from retick.replay.verification import Verification
from retick.sim.contract import Simulation
from retick.studio.fighter_view import is_fighter
from retick.studio.replay.slices import STRIDE
from retick.studio.steps import Steps

__all__ = ["MOST_COLUMNS", "Timeline"]

MOST_COLUMNS = 1200
MOST_MARKS = 100
LANES = 16
"""Bits of an input that have a row of their own; what is above shows in the last one."""


class Timeline:
    """Of one recording."""

    def __init__(self, replay: Replay, *, most_columns: int = MOST_COLUMNS) -> None:
        self._replay = replay
        self.per = max(1, -(-len(replay) // most_columns))
        """Frames of a column."""
        self._inputs: list[list[int]] = [[] for _ in range(replay.num_players)]
        self._health: list[list[int]] = []
        self.done = replay.start_frame
        """How far the recording was run."""
        self.verdict: Verdict | None = None

    def to_json(self) -> dict[str, Any]:
        replay, verdict = self._replay, self.verdict
        return {
            "first": replay.start_frame,
            "last": replay.end_frame,
            "per": self.per,
            "inputs": self._inputs,
            "health": self._health or None,
            "resyncs": list(replay.resyncs)[:MOST_MARKS],
            "done": self.done,
            "verdict": None if verdict is None else _verdict_json(verdict),
        }

    def read_inputs(self) -> Steps:
        """Of each column and player, the bits that were set in any of its frames."""
        replay, size = self._replay, self._replay.input_size
        for first in range(replay.start_frame, replay.end_frame, self.per):
            packed = replay.packed(first, min(first + self.per, replay.end_frame))
            for player, column in enumerate(self._inputs):
                bits = 0
                for byte in range(size):
                    # The set holds at most 256 values, however many frames the column has.
                    for value in set(packed[player * size + byte :: replay.width]):
                        bits |= value << (8 * byte)
                column.append(bits & (1 << LANES) - 1 | (bits >> LANES != 0) << LANES - 1)
            yield

    def run(self, make: Callable[[], Simulation[Any]]) -> Steps:
        """Runs the whole recording; at the end there is a verdict."""
        replay, game = self._replay, make()
        running = Verification(replay, game)
        if is_fighter(game):
            self._health = [[], []]
        for first in range(replay.start_frame, replay.end_frame, self.per):
            end = min(first + self.per, replay.end_frame)
            while running.frame < end:
                running.run_to(min(running.frame + STRIDE, end))
                self.done = running.frame
                yield
            if self._health:
                self._health[0].append(running.state.p1.hp)
                self._health[1].append(running.state.p2.hp)
        self.verdict = running.verdict()


def _verdict_json(verdict: Verdict) -> dict[str, Any]:
    if not verdict.ok:
        word = "differs"
    else:
        word = "verified" if verdict.compared else "unknown"
    return {
        "word": word,
        "text": str(verdict),
        "compared": verdict.compared,
        "last_good": verdict.last_good_frame,
        "first_bad": verdict.first_bad_frame,
    }
