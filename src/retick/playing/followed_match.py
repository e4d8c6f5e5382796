"""What a driver's session records into: the confirmed match, and a file if there is one.

Theory of operation. A session gives its recorder every final frame. A FollowedMatch is such a recorder: it passes all
of it on to the file, and makes a ConfirmedMatch of it, so that the end of the match and the recording are of one make.
"""

from collections.abc import Callable, Sequence
from typing import Any

from retick.playing.confirmed_match import ConfirmedMatch
from retick.replay import LiveRecording

__all__ = ["FollowedMatch"]


class FollowedMatch:
    """Has the shape of ``retick.rollback.RecordsMatches``."""

    def __init__(
        self, confirmed: Callable[[int, Any, int], ConfirmedMatch], recording: LiveRecording | None = None
    ) -> None:
        """When a match begins ``confirmed(seed, state, frame)`` is called; state None is that of the seed."""
        self.recording = recording
        self.confirmed: ConfirmedMatch | None = None
        self.players: tuple[int, ...] = ()
        """The seats played here."""
        self._confirmed_for = confirmed

    def begin(
        self, game: Any, *, seed: int, frame: int, state: Any, local_players: Sequence[int], goes_on: bool
    ) -> None:
        if self.recording is not None:
            self.recording.begin(
                game, seed=seed, frame=frame, state=state, local_players=local_players, goes_on=goes_on
            )
        self.players = tuple(local_players)
        self.confirmed = self._confirmed_for(seed, state, frame)

    def add_frame(self, inputs: Sequence[int], /) -> None:
        if self.recording is not None:
            self.recording.add_frame(inputs)
        if self.confirmed is not None:
            self.confirmed.add([tuple(inputs)])

    def add_checksum(self, checksum: int, /) -> None:
        if self.recording is not None:
            self.recording.add_checksum(checksum)

    def flush(self) -> None:
        if self.recording is not None:
            self.recording.flush()

    def end(self, checksum: int, /) -> None:
        if self.recording is not None:
            self.recording.end(checksum)
