"""Whether the file that a match is to be recorded in can be written. ``replay.LiveRecording`` writes it."""

from pathlib import Path

from retick.errors import UsageError

__all__ = ["check_new_file", "check_recording"]


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
