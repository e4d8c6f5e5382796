"""Recordings of a server's rooms, one file for each: ``room-NAME-TIME.rtk`` in a folder.

What was recorded is written once a second. A disk that becomes full ends the recording, and not the room; a line on
standard error says so.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from retick.cli.exit_codes import complain, file_problem
from retick.replay import Recorder, RecordingFile

__all__ = ["RoomFiles", "file_stem"]

WRITE_EVERY = 60
"""Frames."""


def file_stem(room: str) -> str:
    """A room's name as part of a file's name."""
    return "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in room)


def _utc_now() -> datetime:
    return datetime.now(UTC)


class RoomFiles:
    """Makes a recording for each room."""

    def __init__(self, folder: Path, clock: Callable[[], datetime] = _utc_now) -> None:
        self._folder = folder
        self._clock = clock

    def begin(self, room: Any) -> "_RoomFile | None":
        """The recorder of a new room of declared worlds; None when its file cannot be made."""
        stamp = self._clock().strftime("%Y%m%d-%H%M%S-%f")
        recorder = Recorder.for_game(
            room.world, seed=room.seed, start_frame=room.tick, start_state=room.start_state, hosted=True
        )
        try:
            file = RecordingFile(self._folder / f"room-{file_stem(room.name)}-{stamp}.rtk", recorder)
        except OSError as error:
            _complain(room.name, error)
            return None
        return _RoomFile(room.name, file)


def _complain(room: str, error: OSError) -> None:
    complain(f"room {room!r} goes on and is not recorded: {file_problem(error)}")


class _RoomFile:
    """What a room tells its recorder, on its way to the file."""

    def __init__(self, room: str, file: RecordingFile) -> None:
        self._room = room
        self._file = file
        recorder: Any = file.recorder
        self.add_seat: Callable[[int, bool], None] = recorder.add_seat
        self.add_view: Callable[[int, int], None] = recorder.add_view
        self.add_checksum: Callable[[int, int], None] = recorder.add_checksum

    def add_frame(self, inputs: Sequence[int]) -> None:
        recorder = self._file.recorder
        recorder.add_frame(inputs)
        if recorder.frame % WRITE_EVERY == 0:
            with self._complaining():
                self._file.write()

    def finish(self, checksum: int | None = None) -> None:
        if not self._file.failed:
            with self._complaining():
                self._file.finish(checksum)

    @contextmanager
    def _complaining(self) -> Iterator[None]:
        """After an error the file is closed, and good up to there: there is no second one."""
        try:
            yield
        except OSError as error:
            _complain(self._room, error)
