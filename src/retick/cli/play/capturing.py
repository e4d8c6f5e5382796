"""What passes through a command's socket, on its way into a capture: docs/formats/capture.md.

Each datagram goes to the system at once, so whatever ends the program leaves a file that reads well. A file that can no
longer be written ends the capture and not the match: it is there to look at one.
"""

import contextlib
import os
import shlex
import subprocess
from pathlib import Path
from typing import Annotated

import typer

from retick.cli.play.recording import check_new_file
from retick.errors import UsageError
from retick.transport import Address, Captured, CaptureWriter, Endpoint

__all__ = ["CaptureFile", "CaptureOption", "captured", "check_capture", "reading"]

CaptureOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Write every datagram that passes to this file, for retick packet FILE.",
        show_default=False,
    ),
]


def check_capture(path: Path | None, record: Path | None) -> None:
    """UsageError for a file that cannot be one, or that is to be the replay too."""
    if path is None:
        return
    check_new_file(path)
    if record is not None and path.absolute() == record.absolute():
        raise UsageError(f"--record and --capture need a file each, not {path} for both")


class CaptureFile(CaptureWriter):
    """A new file that takes datagrams until it is closed; UsageError if it cannot be made."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.failure = ""
        """Why it ends before the match does; empty when it does not."""
        try:
            self._out = path.open("xb")
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror or error}") from None
        super().__init__(self._out)
        self._out.flush()

    def add(self, data: bytes, address: Address, *, sent: bool, now: float) -> None:
        if self.failure:
            return
        try:
            super().add(data, address, sent=sent, now=now)
            self._out.flush()
        except OSError as error:
            self.failure = error.strerror or str(error)

    def close(self) -> None:
        """After the last datagram. What could not be written before is tried once more, and then given up."""
        with contextlib.suppress(OSError):
            self._out.close()

    def last_word(self) -> str:
        """Where it is and how to read it."""
        early = f" up to where it could not be written: {self.failure}" if self.failure else ""
        return f"captured in {self.path}{early}; to read it: {reading(self.path)}"


def reading(path: Path) -> str:
    """The command that shows a capture."""
    quoted = subprocess.list2cmdline([str(path)]) if os.name == "nt" else shlex.quote(str(path))
    return f"retick packet {quoted}"


def captured(endpoint: Endpoint, file: CaptureFile | None) -> Endpoint:
    """The endpoint, with all that passes written to the file if there is one."""
    return endpoint if file is None else Captured(endpoint, file)
