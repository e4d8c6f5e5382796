"""A match on its way into a replay file while it is played."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from retick.errors import UsageError
from retick.replay import Recorder, RecordingFile

__all__ = ["MatchRecording", "check_new_file", "check_recording"]

WRITE_EVERY = 60
"""Frames between two writes, and between two recorded checksums."""


def check_recording(path: Path | None, *, live: bool) -> None:
    """UsageError now, rather than when the match is over. A ``live`` one is written while it is played."""
    if path is None:
        return
    if live and path.suffix == ".rplk":
        raise UsageError("a live match is recorded as RTK: name the file .rtk, and see retick replay export --help")
    check_new_file(path)


def check_new_file(path: Path) -> None:
    """UsageError unless a file of this name can be made. Only making one tells; it is gone again at once."""
    try:
        path.open("xb").close()
        path.unlink()
    except FileExistsError:
        raise UsageError(f"{path} is there already: choose another name, or remove it") from None
    except OSError as error:
        if isinstance(error, FileNotFoundError | NotADirectoryError) and not path.absolute().parent.is_dir():
            raise UsageError(f"there is no folder {path.parent} to record in") from None
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from None


class MatchRecording:
    """Takes final frames in; what a crash leaves behind is a ``.part`` file that ``retick replay`` reads."""

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
        """``start_state`` at ``start_frame`` is where it begins for one who came in mid-match."""
        self.path = path
        late = {"start_frame": start_frame, "start_state": game.pack_state(start_state)} if start_frame else {}
        self._file = RecordingFile(path, Recorder.for_game(game, seed=seed, local_players=local_players, **late))

    def add(self, row: tuple[int, ...], frame: int, checksum: int) -> None:
        """Record the inputs of one frame, which led to ``frame`` and its state's ``checksum``."""
        recorder = self._file.recorder
        recorder.add_frame(row)
        if frame % WRITE_EVERY == 0:
            recorder.add_checksum(frame, checksum)
            recorder.flush()
            self._file.write()

    def finish(self, checksum: int) -> None:
        self._file.finish(checksum)
