"""Writes each datagram that a command sends or receives to a capture file; the format is in docs/formats/capture.md.

Each datagram is flushed at once, so the file is good however the program ends. If the file can no longer be written,
the capture ends and the match goes on.
"""

import contextlib
import os
import shlex
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from retick.errors import UsageError
from retick.transport import Address, Captured, CaptureWriter, Endpoint

# Whether the file that a match is to be recorded in can be written. ``replay.LiveRecording`` writes it.


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


CaptureOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write every datagram, sent or received, to this file; read it with retick packet FILE.",
        show_default=False,
    ),
]


def check_capture(path: Path | None, record: Path | None) -> None:
    """UsageError if the file cannot be made, or is to be the replay too."""
    if path is None:
        return
    check_new_file(path)
    if record is not None and path.absolute() == record.absolute():
        raise UsageError(f"--record and --capture need one file each, not {path} for both")


class CaptureFile(CaptureWriter):
    """A new capture file, open until ``close``; UsageError if it cannot be made."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.failure = ""
        """Why the capture ended before the match; empty if it did not."""
        self.keylog: Path | None = None
        """The log of the keys that open its datagrams, if there is one."""
        try:
            self._out = path.open("xb")
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror or error}") from None
        with self._stopping():
            super().__init__(self._out)
            self._out.flush()

    def add(self, data: bytes, address: Address, *, sent: bool, now: float) -> None:
        if self.failure:
            return
        with self._stopping():
            super().add(data, address, sent=sent, now=now)
            self._out.flush()

    @contextlib.contextmanager
    def _stopping(self) -> Iterator[None]:
        """An error of the disk ends the capture."""
        try:
            yield
        except OSError as error:
            self.failure = error.strerror or str(error)

    def close(self) -> None:
        """After the last datagram."""
        with contextlib.suppress(OSError):
            self._out.close()

    def summary(self) -> str:
        """Where the capture is and how to read it."""
        early = f" up to where it could not be written: {self.failure}" if self.failure else ""
        return f"captured in {self.path}{early}; to read it: {command_to_read(self.path, self.keylog)}"


def command_to_read(path: Path, keylog: Path | None = None) -> str:
    """The command that shows a capture, with the log of its keys if there is one."""
    words = ["retick", "packet", str(path), *(["--keylog", str(keylog)] if keylog is not None else [])]
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def captured(endpoint: Endpoint, file: CaptureFile | None) -> Endpoint:
    """The endpoint, with all its datagrams written to the file if there is one."""
    return endpoint if file is None else Captured(endpoint, file)
