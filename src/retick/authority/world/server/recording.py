"""What a room tells its recorder. ``retick.replay.Recorder`` has this shape; neither package knows the other."""

from collections.abc import Sequence
from typing import Protocol

__all__ = ["Recording", "RoomRecorder"]


class RoomRecorder(Protocol):
    """Everything that decides a room's states, in order: what comes before a frame is told before it."""

    def add_seat(self, player: int, joins: bool, /) -> None:
        """A player joins, or leaves, right before the next frame."""

    def add_view(self, player: int, behind: int, /) -> None:
        """From the next frame on a player sees the others so many frames behind."""

    def add_frame(self, inputs: Sequence[int], /) -> None:
        """The inputs of the next frame."""

    def add_checksum(self, frame: int, checksum: int, /) -> None:
        """The checksum of the state after so many frames."""

    def finish(self, checksum: int | None = None, /) -> None:
        """No frame follows; the checksum of the last state, None if the game has failed in the last frame."""


class Recording:
    """Writes one room's stream; views only when they change."""

    __slots__ = ("_behind", "_recorder")

    def __init__(self, recorder: RoomRecorder | None, players: int) -> None:
        self._recorder = recorder
        self._behind = [1] * players

    def seat(self, player: int, joins: bool) -> None:
        """A player joins or leaves."""
        if self._recorder is not None:
            self._recorder.add_seat(player, joins)

    def frame(self, inputs: Sequence[int], behind: Sequence[int]) -> None:
        """The next tick, before it is run: if the game fails in it, the recording ends with this tick."""
        if self._recorder is None:
            return
        for player, ticks in enumerate(behind):
            if ticks != self._behind[player]:
                self._behind[player] = ticks
                self._recorder.add_view(player, ticks)
        self._recorder.add_frame(inputs)

    def check(self, tick: int, checksum: int) -> None:
        """The checksum of the state after a tick."""
        if self._recorder is not None:
            self._recorder.add_checksum(tick, checksum)

    def finish(self, checksum: int | None) -> None:
        """The room is over."""
        if self._recorder is not None:
            self._recorder.finish(checksum)
            self._recorder = None
