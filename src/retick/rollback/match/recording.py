"""Gives a recorder the final frames of a session's matches. Knows no file: ``replay.LiveRecording`` has one.

Theory of operation. Only final frames are recorded: no rollback changes them. They are read in portions, because their
inputs are held far longer than that, and once a second the recorder is told to save what it has outside of the process.
A match that continues after a resync is the same match, by its seed, and stays in the same recording.
"""

from collections.abc import Sequence
from typing import Any, Protocol

from retick.rollback.match.match import Match

PORTION = 15
"""The most frames between two looks for final ones."""


class RecordsMatches(Protocol):
    """What ``record=`` takes: ``replay.LiveRecording``, or anything with these methods."""

    def begin(
        self,
        game: Any,
        *,
        seed: int,
        frame: int,
        state: Any,
        local_players: Sequence[int],
        goes_on: bool,
    ) -> None:
        """Begin a match at ``frame``. ``state`` is None if the game makes it from the seed.

        With ``goes_on`` it is not another match: the current one continues from ``state``.
        """

    def add_frame(self, inputs: Sequence[int], /) -> None:
        """Record the inputs of the next frame, one per player."""

    def add_checksum(self, checksum: int, /) -> None:
        """Record the checksum of the state that the inputs so far lead to."""

    def flush(self) -> None:
        """Save what was added, so that it survives the process; called once a second."""

    def end(self, checksum: int, /) -> None:
        """End the match, with the checksum of its last state."""


class Recording:
    """Follows the matches of one session."""

    def __init__(self, recorder: RecordsMatches) -> None:
        self.last: int | None = None
        """The frame at which the recording of this match ends, if that is before the match's own end; else None."""
        self._recorder = recorder
        self._match: Match | None = None
        self._seed = 0
        self._is_open = False
        self._next = self._looks_at = self._flushed = 0

    def begin(self, match: Match) -> None:
        """Begin to record a match, the first or another."""
        engine, sim = match.engine, match.sim
        goes_on = self._is_open and match.seed == self._seed
        if not goes_on:
            self.end()
        self._match, self._seed, self._is_open, self.last = match, match.seed, True, None
        match.follower = self
        self._next = self._looks_at = self._flushed = frame = engine.start_frame
        state = engine.state_at(frame)
        is_of_seed = not goes_on and not frame and sim.checksum(sim.initial_state(match.seed)) == sim.checksum(state)
        self._recorder.begin(
            sim,
            seed=match.seed,
            frame=frame,
            state=None if is_of_seed else state,
            local_players=engine.local_players,
            goes_on=goes_on,
        )

    def frame_run(self, match: Match) -> None:
        """Called after each frame."""
        if match.engine.frame >= self._looks_at and self._is_open:
            self._looks_at = match.engine.frame + min(PORTION, match.config.tick_rate)
            self.drain()
            if self._next >= self._flushed + match.config.tick_rate:
                self._flushed = self._next
                self._recorder.add_checksum(match.engine.checksum_at(self._next))
                self._recorder.flush()
            if self.last is not None and self._next >= self.last:
                self.end()

    def drain(self) -> None:
        """Record what has become final."""
        match = self._match
        if match is None or not self._is_open:
            return
        engine = match.engine
        final = engine.final_state_frame if self.last is None else min(engine.final_state_frame, self.last)
        for frame in range(self._next, final):
            self._recorder.add_frame(engine.inputs_at(frame))
        self._next = max(self._next, final)

    def take_back(self, first: int, match: Match) -> None:
        """Record again from frame ``first`` on, where final frames ran again: the match goes on from that state."""
        if self._is_open and self._next > first:
            self._next = self._looks_at = self._flushed = first
            self._recorder.begin(
                match.sim,
                seed=match.seed,
                frame=first,
                state=match.engine.state_at(first),
                local_players=match.engine.local_players,
                goes_on=True,
            )

    def end(self) -> None:
        """Finish the recording: the match is over, or another one follows."""
        if self._match is not None and self._is_open:
            self.drain()
            self._is_open = False
            self._recorder.end(self._match.engine.checksum_at(self._next))
