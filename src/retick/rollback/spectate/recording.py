"""Gives a recorder the frames that a spectator was shown. All of them are final."""

from typing import Any

from retick.rollback.match.recording import RecordsMatches

__all__ = ["ShownRecording"]


class ShownRecording:
    """Follows the matches that one spectator is shown; where frames are missing, a match goes on from a later state."""

    def __init__(self, recorder: RecordsMatches, sim: Any, tick_rate: int) -> None:
        self.last: int | None = None
        """The frame at which the recording of this match ends, if it ends before the match; None: with the match."""
        self._recorder = recorder
        self._sim = sim
        self._every = tick_rate
        self._seed: int | None = None
        self._frames = 0

    def begin(self, seed: int, frame: int, state: Any, before: Any) -> None:
        """A match is shown from ``state`` on; ``before`` is the last state of what was shown so far."""
        goes_on = seed == self._seed
        if not goes_on:
            self.end(before)
        self._seed, self._frames, self.last = seed, 0, None
        self._recorder.begin(self._sim, seed=seed, frame=frame, state=state, local_players=(), goes_on=goes_on)

    def frame_shown(self, row: tuple[int, ...], frame: int, state: Any) -> None:
        """A frame was shown, which led to ``frame`` and its ``state``."""
        if self._seed is None:
            return
        self._recorder.add_frame(row)
        self._frames += 1
        if frame == self.last:
            self.end(state)
        elif self._frames % self._every == 0:
            self._recorder.add_checksum(self._sim.checksum(state))
            self._recorder.flush()

    def end(self, state: Any) -> None:
        """The match is over, or another one follows; ``state`` is its last."""
        if self._seed is not None:
            self._seed = None
            self._recorder.end(self._sim.checksum(state))
