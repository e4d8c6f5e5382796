"""Writes the replay of a match while it is played.

A disk that becomes full ends the recording and not the match: what was written is good up to there, and ``failure``
says why the rest is missing.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from retick.errors import UsageError
from retick.replay import Recorder, RecordingFile

__all__ = ["MatchRecording", "check_new_file", "check_recording"]

WRITE_EVERY = 60
"""Frames between two writes, and between two recorded checksums."""


def check_recording(path: Path | None, *, live: bool) -> None:
    """UsageError before the match if its replay cannot be written. ``live``: it is written during the match."""
    if path is None:
        return
    if live and path.suffix == ".rplk":
        raise UsageError(
            "a live match is recorded as RTK: name the file .rtk, and convert it with retick replay export"
        )
    check_new_file(path)


def check_new_file(path: Path) -> None:
    """UsageError unless a file of this name can be made. The only way to know is to make it; it is removed at once."""
    try:
        path.open("xb").close()
        path.unlink()
    except FileExistsError:
        raise UsageError(f"{path} exists already: choose another name, or remove it") from None
    except OSError as error:
        if isinstance(error, FileNotFoundError | NotADirectoryError) and not path.absolute().parent.is_dir():
            raise UsageError(f"{path} cannot be written: there is no folder {path.parent}") from None
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from None


class MatchRecording:
    """Records confirmed frames. After a crash there is a ``.part`` file, which ``retick replay`` reads."""

    def __init__(
        self,
        path: Path,
        game: Any,
        *,
        seed: int,
        local_players: Sequence[int],
        start_frame: int = 0,
        start_state: Any = None,
    ) -> None:
        """``start_state`` at ``start_frame`` is where the match begins; None: the state that the seed gives."""
        self.path = path
        """Where the recording is: the file that was asked for, or its ``.part`` if the recording ended early."""
        self.failure = ""
        """Why the recording ended before the match; empty if it did not."""
        self.frame = start_frame
        """The recording goes up to this frame."""
        self._file: RecordingFile | None = None
        recorder = Recorder.for_game(
            game, seed=seed, state=start_state, start_frame=start_frame, local_players=local_players
        )
        with self._stopping():
            self._file = RecordingFile(path, recorder)

    def add(self, row: tuple[int, ...], frame: int, checksum: int) -> None:
        """Record the inputs of one frame, which led to ``frame`` and its state's ``checksum``."""
        file = self._file
        if file is None or self.failure:
            return
        file.recorder.add_frame(row)
        if frame % WRITE_EVERY == 0:
            file.recorder.add_checksum(frame, checksum)
            file.recorder.flush()
            with self._stopping():
                file.write()
                self.frame = frame

    def finish(self, checksum: int) -> None:
        """Write the rest, the final state's checksum, and give the file its name."""
        file = self._file
        if file is None or self.failure:
            return
        with self._stopping():
            file.finish(checksum)
            self.frame = file.recorder.frame

    def summary(self) -> str:
        """Where the recording is, and how far it goes if it ended early."""
        if not self.failure:
            return f"recorded in {self.path}"
        if self._file is None:
            return f"not recorded: {self.path} could not be written: {self.failure}"
        return f"recorded in {self.path} up to about frame {self.frame}, where it could not be written: {self.failure}"

    @contextmanager
    def _stopping(self) -> Iterator[None]:
        """An error of the disk ends the recording."""
        try:
            yield
        except OSError as error:
            self.failure = error.strerror or str(error)
            if self._file is not None:
                self.path = self._file.part
