"""Writes the replay of a match while it is played."""

from collections.abc import Sequence
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
        """``start_state`` at ``start_frame`` is where the recording begins for a peer that came in mid-match."""
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
        """Write the rest, the final state's checksum, and give the file its name."""
        self._file.finish(checksum)
