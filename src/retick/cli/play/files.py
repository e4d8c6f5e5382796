"""The files of a match in a terminal: checks of the recording, and captures; docs/formats/capture.md has the format.

Each datagram of a capture is flushed at once, so the file is good however the program ends. If it can no longer be
written, the capture ends and the match goes on.
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


def check_recording(path: Path | None, *, live: bool) -> None:
    """Raise UsageError before the match if its replay cannot be written; ``live`` if that happens during the match."""
    if path is None:
        return
    if live and path.suffix == ".rplk":
        raise UsageError(
            "a live match is recorded as RTK: name the file .rtk, and convert it with retick replay export"
        )
    check_new_file(path)


def check_new_file(path: Path) -> None:
    """Raise UsageError unless a file of this name can be made, by making it and removing it at once."""
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
    """Raise UsageError if the file cannot be made, or is also the replay's."""
    if path is None:
        return
    check_new_file(path)
    if record is not None and path.absolute() == record.absolute():
        raise UsageError(f"--record and --capture need different files, not {path} for both")


class CaptureFile(CaptureWriter):
    """A new capture file, open until ``close``; UsageError if it cannot be made."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.failure = ""
        """Why the capture ended before the match; empty while it is written."""
        self.keylog: Path | None = None
        """The log with the keys of its datagrams, if there is one."""
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
        """End the capture at an error of the disk."""
        try:
            yield
        except OSError as error:
            self.failure = error.strerror or str(error)

    def close(self) -> None:
        """Close the file, after the last datagram."""
        with contextlib.suppress(OSError):
            self._out.close()

    def summary(self) -> str:
        """A line with the capture's place and the command that reads it."""
        early = f" up to where it could not be written: {self.failure}" if self.failure else ""
        return f"captured in {self.path}{early}; to read it: {command_to_read(self.path, self.keylog)}"


def command_to_read(path: Path, keylog: Path | None = None) -> str:
    """The command that shows a capture, with the key log if there is one."""
    words = ["retick", "packet", str(path), *(["--keylog", str(keylog)] if keylog is not None else [])]
    return subprocess.list2cmdline(words) if os.name == "nt" else shlex.join(words)


def captured(endpoint: Endpoint, file: CaptureFile | None) -> Endpoint:
    """Let all datagrams of an endpoint be written to the file, if there is one."""
    return endpoint if file is None else Captured(endpoint, file)
