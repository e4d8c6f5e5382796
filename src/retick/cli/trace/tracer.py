"""Writes the notes of a peer while it plays, line by line, so the file is good however the program ends.

If the file can no longer be written, the notes end and the match goes on.
"""

import contextlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from retick.cli.play.recording import check_new_file
from retick.cli.trace.notes import LONGEST_TEXT, fingerprint, header_line, note_line
from retick.errors import UsageError
from retick.rollback.events import DesyncDetected, MatchEvent, PeerConnected, PeerDisconnected, Resumed, Stalled
from retick.rollback.match.stats import SessionStats
from retick.transport import Address, Captured, Endpoint

__all__ = ["TraceOption", "Tracer", "check_trace", "traced"]

TraceOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Note frames, resimulations, packets, stalls and checksums in this file, for retick trace FILE.",
        show_default=False,
    ),
]
FIGURES_EVERY = 0.25
"""Seconds between two notes of the link's figures."""


def check_trace(path: Path | None, *others: Path | None) -> None:
    """UsageError if the file cannot be made, or is to be another one too."""
    if path is None:
        return
    check_new_file(path)
    if any(other is not None and other.absolute() == path.absolute() for other in others):
        raise UsageError(f"--trace needs a file of its own, not {path}")


class Tracer:
    """A new file of notes, open until ``close``; UsageError if it cannot be made."""

    def __init__(
        self,
        path: Path,
        name: str,
        *,
        rate: int,
        clock: Callable[[], float] = time.monotonic,
        since_1970: Callable[[], float] = time.time,
    ) -> None:
        self.path = path
        self.failure = ""
        """Why the notes ended before the match; empty if they did not."""
        self.clock = clock
        self._zero = clock()
        self._compared = 0
        self._figures_at = 0.0
        try:
            self._out = path.open("x", encoding="utf-8", buffering=1)
        except OSError as error:
            raise UsageError(f"{path} cannot be written: {error.strerror or error}") from None
        self._write(header_line(name, clock=round(since_1970() * 1e6), rate=rate))

    def add(self, data: bytes, address: Address, *, sent: bool, now: float) -> None:
        """A datagram, as :class:`Captured` tells it."""
        self._note("s" if sent else "r", now, len(data), fingerprint(data))

    def frame_run(self, stats: SessionStats, depth: int, *, began: float) -> None:
        """A frame was run from ``began`` until now."""
        ended = self.clock()
        confirmed = min(stats.confirmed_frame, stats.frame - 1)
        self._note("f", began, round((ended - began) * 1e6), stats.frame - 1, confirmed, depth)
        if stats.compared_frames != self._compared:
            self._compared = stats.compared_frames
            self._note("c", ended, self._compared)
        if ended >= self._figures_at:
            self._figures_at = ended + FIGURES_EVERY
            for peer in stats.peers.values():
                rtt = -1 if peer.rtt is None else round(peer.rtt * 1e6)
                self._note("n", ended, rtt, round(peer.loss_in * 1000), round(peer.loss_out * 1000))
                break

    def event(self, event: MatchEvent) -> None:
        """What happened in the match."""
        now = self.clock()
        if isinstance(event, Stalled):
            self._note("w", now)
        elif isinstance(event, Resumed):
            self._note("g", now)
        elif isinstance(event, DesyncDetected | PeerConnected | PeerDisconnected):
            self._note("e", now, str(event)[:LONGEST_TEXT])

    def close(self) -> None:
        """After the last frame."""
        with contextlib.suppress(OSError):
            self._out.close()

    def summary(self) -> str:
        """Where the notes are and how to read them."""
        early = f" up to where they could not be written: {self.failure}" if self.failure else ""
        return f"noted in {self.path}{early}; to see them: retick trace {self.path}"

    def _note(self, kind: str, now: float, *values: object) -> None:
        self._write(note_line(kind, round((now - self._zero) * 1e6), *values))

    def _write(self, line: str) -> None:
        if not self.failure:
            with self._stopping():
                self._out.write(line)

    @contextlib.contextmanager
    def _stopping(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self.failure = error.strerror or str(error)


def traced(endpoint: Endpoint, tracer: Tracer | None) -> Endpoint:
    """The endpoint, with all its datagrams noted if there is a tracer."""
    return endpoint if tracer is None else Captured(endpoint, tracer)
