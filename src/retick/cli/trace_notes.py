"""The notes of one peer, in lines of JSON: written while it plays, and read back with every line checked."""

import contextlib
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from retick.cli.play.files import check_new_file
from retick.errors import BadMagic, InvalidValue, LimitExceeded, UnsupportedVersion, UsageError
from retick.rollback.events import DesyncDetected, MatchEvent, PeerConnected, PeerDisconnected, Resumed, Stalled
from retick.rollback.match.stats import SessionStats
from retick.transport import Address, Captured, Endpoint

FORMAT = "retick trace"
VERSION = 1
LONGEST_NAME = 64
LONGEST_TEXT = 200
LONGEST_LINE = 4096
"""Most characters of a line."""
MOST_NOTES = 5_000_000
"""Most notes of one file: hours of play."""
FURTHEST = 1 << 53
"""Bound of whole numbers, which every reader of JSON reads exactly up to here."""

_INTEGER, _TEXT = int, str
KINDS: dict[str, tuple[type, ...]] = {
    "f": (_INTEGER, _INTEGER, _INTEGER, _INTEGER, _INTEGER),
    "s": (_INTEGER, _INTEGER, _TEXT),
    "r": (_INTEGER, _INTEGER, _TEXT),
    "w": (_INTEGER,),
    "g": (_INTEGER,),
    "c": (_INTEGER, _INTEGER),
    "n": (_INTEGER, _INTEGER, _INTEGER, _INTEGER),
    "e": (_INTEGER, _TEXT),
}
"""Types of the values after a line's letter; the first one is its time."""


class Note(NamedTuple):
    """One line of a file."""

    kind: str
    time: int
    """Microseconds since time 0 of its file."""
    values: tuple[Any, ...]


@dataclass(slots=True)
class Notes:
    """The notes of a file."""

    name: str
    """The peer's name."""
    clock: int
    """Time 0, in microseconds since 1970."""
    rate: int
    lines: list[Note] = field(default_factory=list)


def fingerprint(data: bytes) -> str:
    """A hash that identifies a datagram in the notes of both ends."""
    return blake2b(data, digest_size=8).hexdigest()


def header_line(name: str, *, clock: int, rate: int) -> str:
    head = {"format": FORMAT, "version": VERSION, "name": name[:LONGEST_NAME], "clock": clock, "rate": rate}
    return json.dumps(head) + "\n"


def note_line(kind: str, time: int, *values: Any) -> str:
    return json.dumps([kind, time, *values], separators=(",", ":")) + "\n"


def read_notes(data: bytes) -> Notes:
    """Read notes; a DecodeError names the wrong line. A cut last line is left out."""
    lines = _lines(data)
    first = next(lines, None)
    head = _json(*first) if first is not None else None
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise BadMagic("this is not a file of retick --trace")
    version = _integer(head.get("version"), 1)
    if version != VERSION:
        raise UnsupportedVersion(f"version {version} of trace notes is not known here", version=version)
    notes = Notes(
        name=_text(head.get("name"), LONGEST_NAME, 1),
        clock=_integer(head.get("clock"), 1),
        rate=_integer(head.get("rate"), 1),
    )
    for number, line in lines:
        if len(notes.lines) >= MOST_NOTES:
            raise LimitExceeded(
                f"trace notes have at most {MOST_NOTES} lines", what="notes", limit=MOST_NOTES, actual=MOST_NOTES + 1
            )
        notes.lines.append(_note(_json(number, line), number))
    return notes


def _lines(data: bytes) -> Iterator[tuple[int, str]]:
    try:
        text = data[: data.rfind(b"\n") + 1].decode()
    except UnicodeDecodeError:
        raise InvalidValue("trace notes must be UTF-8") from None
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > LONGEST_LINE:
            raise InvalidValue(f"line {number} of the trace notes is too long")
        yield number, line


def _json(number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidValue(f"line {number} of the trace notes is not JSON") from None


def _note(line: Any, number: int) -> Note:
    if not isinstance(line, list) or not line or not isinstance(line[0], str) or line[0] not in KINDS:
        raise InvalidValue(f"line {number} of the trace notes has no known kind")
    kind, *values = line
    wanted = KINDS[kind]
    if len(values) != len(wanted):
        raise InvalidValue(f"line {number} of the trace notes: {kind!r} has {len(wanted)} values, not {len(values)}")
    checked = tuple(
        _text(value, LONGEST_TEXT, number) if type_ is _TEXT else _integer(value, number)
        for value, type_ in zip(values, wanted, strict=True)
    )
    return Note(kind, _integer(values[0], number), checked[1:])


def _integer(value: Any, number: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not -FURTHEST <= value <= FURTHEST:
        raise InvalidValue(f"line {number} of the trace notes: {str(value)[:40]!r} is not a whole number in range")
    return value


def _text(value: Any, longest: int, number: int) -> str:
    if not isinstance(value, str) or len(value) > longest:
        raise InvalidValue(f"line {number} of the trace notes needs a text of at most {longest} characters")
    return value


# Notes are written line by line, so that the file is good however the program ends. If it can no longer be written, the
# notes end and the match goes on.

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
    """Raise UsageError if the file cannot be made, or is used for something else, too."""
    if path is None:
        return
    check_new_file(path)
    if any(other is not None and other.absolute() == path.absolute() for other in others):
        raise UsageError(f"--trace needs its own file, not {path}")


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
        """Why the notes ended before the match; empty while they are written."""
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
        """Note a datagram, for :class:`Captured`."""
        self._note("s" if sent else "r", now, len(data), fingerprint(data))

    def frame_run(self, stats: SessionStats, depth: int, *, began: float) -> None:
        """Note a frame that was run from ``began`` until now."""
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
        """Note an event of the match."""
        now = self.clock()
        if isinstance(event, Stalled):
            self._note("w", now)
        elif isinstance(event, Resumed):
            self._note("g", now)
        elif isinstance(event, DesyncDetected | PeerConnected | PeerDisconnected):
            self._note("e", now, str(event)[:LONGEST_TEXT])

    def close(self) -> None:
        """Close the file, after the last frame."""
        with contextlib.suppress(OSError):
            self._out.close()

    def summary(self) -> str:
        """A line with the place of the notes and the command that reads them."""
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
    """Let all datagrams of an endpoint be noted, if there is a tracer."""
    return endpoint if tracer is None else Captured(endpoint, tracer)
