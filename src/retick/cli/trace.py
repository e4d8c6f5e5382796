"""``retick trace``: turns the notes of one or several peers into one trace that Perfetto opens."""

import gzip
from collections import defaultdict, deque
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from retick.cli.arguments import BudgetOption, raisable, read_limits
from retick.cli.exit_codes import named
from retick.cli.play.files import check_new_file
from retick.cli.terminal import count, json_text, say, working
from retick.cli.trace_notes import Note, Notes, read_notes
from retick.replay import ReadLimits
from retick.replay.storage import read_bounded

# Clocks of different peers are aligned by the datagrams that they sent each other.

Flow = tuple[int, int, int, int]
"""Sending file, index of the line there, receiving file, index of the line there."""


def flows_between(files: list[Notes]) -> list[Flow]:
    """Match the datagrams that one file sent and another received; the first sent is the first received."""
    arrivals: dict[str, deque[tuple[int, int]]] = defaultdict(deque)
    for place, notes in enumerate(files):
        for index, note in enumerate(notes.lines):
            if note.kind == "r":
                arrivals[note.values[1]].append((place, index))
    found: list[Flow] = []
    for place, notes in enumerate(files):
        for index, note in enumerate(notes.lines):
            waiting = arrivals.get(note.values[1]) if note.kind == "s" else None
            if waiting and waiting[0][0] != place:
                found.append((place, index, *waiting.popleft()))
    return found


def clock_corrections(files: list[Notes], flows: list[Flow]) -> list[int]:
    """Microseconds to add to the times of each file; 0 for the first one, and for one without datagrams in common."""
    shortest: dict[tuple[int, int], int] = {}
    for sender, sent, receiver, received in flows:
        there = files[receiver].clock + files[receiver].lines[received].time
        lasted = there - files[sender].clock - files[sender].lines[sent].time
        pair = (sender, receiver)
        shortest[pair] = min(lasted, shortest.get(pair, lasted))
    corrections: dict[int, int] = {}
    for start in range(len(files)):
        if start in corrections:
            continue
        corrections[start] = 0
        known = deque([start])
        while known:
            one = known.popleft()
            for other in range(len(files)):
                if other not in corrections and (one, other) in shortest and (other, one) in shortest:
                    ahead = (shortest[one, other] - shortest[other, one]) // 2
                    corrections[other] = corrections[one] - ahead
                    known.append(other)
    return [corrections[place] for place in range(len(files))]


# A trace consists of trace events in JSON: a process for each peer, arrows for datagrams.

FRAMES, ROLLBACKS, SENT, RECEIVED, MATCH = range(1, 6)
TRACKS = {
    FRAMES: "frames", ROLLBACKS: "resimulated", SENT: "sent", RECEIVED: "received", MATCH: "match",
}  # fmt: skip
DATAGRAM = 1
"""Duration of a datagram in microseconds: an arrow must begin and end at an event that lasts."""


def trace_events(files: list[Notes], *, align: bool = True) -> Iterator[dict[str, Any]]:
    """The events of the trace; time 0 is the first note of all files."""
    flows = flows_between(files)
    corrections = clock_corrections(files, flows) if align else [0] * len(files)
    bases = [notes.clock + correction for notes, correction in zip(files, corrections, strict=True)]
    zero = min(
        (base + note.time for base, notes in zip(bases, files, strict=True) for note in notes.lines[:1]), default=0
    )
    for place, notes in enumerate(files):
        yield _named("process_name", place, 0, notes.name)
        for track, title in TRACKS.items():
            yield _named("thread_name", place, track, title)
        yield from _events_of(place, notes, bases[place] - zero)
    for number, (sender, sent, receiver, received) in enumerate(flows, 1):
        for phase, place, index, track in (("s", sender, sent, SENT), ("f", receiver, received, RECEIVED)):
            at = bases[place] - zero + files[place].lines[index].time
            arrow = {"ph": phase, "id": number, "pid": place + 1, "tid": track, "ts": at, "cat": "link", "name": "way"}
            yield arrow if phase == "s" else {**arrow, "bp": "e"}


def _events_of(place: int, notes: Notes, base: int) -> Iterator[dict[str, Any]]:
    waiting: int | None = None
    for note in notes.lines:
        at = base + note.time
        if note.kind == "f":
            yield from _frame(place, note, at)
        elif note.kind in "sr":
            size, _ = note.values
            track = SENT if note.kind == "s" else RECEIVED
            yield _slice(place, track, at, DATAGRAM, f"{size} bytes", {"bytes": size})
        elif note.kind == "w":
            waiting = at if waiting is None else waiting
        elif note.kind == "g" and waiting is not None:
            yield _slice(place, MATCH, waiting, at - waiting, "stall", {})
            waiting = None
        elif note.kind == "c":
            yield _moment(place, at, "checksums equal", {"frames compared": note.values[0]})
        elif note.kind == "n":
            rtt, loss_in, loss_out = note.values
            if rtt >= 0:
                yield _counter(place, at, "round trip (ms)", rtt / 1000)
            yield _counter(place, at, "lost (%)", max(loss_in, loss_out) / 10)
        elif note.kind == "e":
            yield _moment(place, at, note.values[0], {})
    if waiting is not None:
        end = base + notes.lines[-1].time
        yield _slice(place, MATCH, waiting, end - waiting, "stall", {})


def _frame(place: int, note: Note, at: int) -> Iterator[dict[str, Any]]:
    duration, frame, confirmed, depth = note.values
    facts = {"frame": frame, "confirmed": confirmed, "resimulated": depth}
    yield _slice(place, FRAMES, at, duration, f"frame {frame}", facts)
    if depth > 0:
        frames = "1 frame" if depth == 1 else f"{depth} frames"
        yield _slice(place, ROLLBACKS, at, duration, f"resimulated {frames}", facts)
    yield _counter(place, at, "frames predicted", max(frame - confirmed, 0))


def _named(what: str, place: int, track: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": what, "pid": place + 1, "tid": track, "args": {"name": name}}


def _slice(place: int, track: int, at: int, duration: int, name: str, facts: dict[str, Any]) -> dict[str, Any]:
    made = {"ph": "X", "pid": place + 1, "tid": track, "ts": at, "dur": max(duration, 1), "name": name}
    return {**made, "args": facts}


def _moment(place: int, at: int, name: str, facts: dict[str, Any]) -> dict[str, Any]:
    return {"ph": "i", "s": "t", "pid": place + 1, "tid": MATCH, "ts": at, "name": name, "args": facts}


def _counter(place: int, at: int, name: str, value: float) -> dict[str, Any]:
    return {"ph": "C", "pid": place + 1, "ts": at, "name": name, "args": {"value": value}}


def trace(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Notes of host, join or demo --trace.")],
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The trace; a name with .gz is compressed.", show_default="FILE with .json"),
    ] = None,
    align: Annotated[bool, typer.Option(help="Align different clocks by the peers' datagrams.")] = True,
    budget: BudgetOption = None,
) -> None:
    """Turn the notes of one or several peers into one trace that Perfetto (ui.perfetto.dev) opens.

    Exit code 0: written. 1: a file has wrong notes. 2: misuse.

    Example: retick trace match-host.rtkt match-joiner.rtkt --out match.json
    """
    target = files[0].with_suffix(".json") if out is None else out
    check_new_file(target)
    limits = read_limits(budget)
    with raisable(), working("reading notes"):
        read = [_read(path, limits) for path in files]
    with working("writing the trace"):
        events = _write(read, target, align)
    say(f"{target}: {count(events, 'event')} of {count(len(read), 'peer')}; open it at ui.perfetto.dev")


def _read(path: Path, limits: ReadLimits) -> Notes:
    with named(path):
        return read_notes(bytes(read_bounded(path, limits)))


def _write(files: list[Notes], target: Path, align: bool) -> int:
    """Write the events one by one, since a trace may have millions; return their number."""
    events = 0
    with _opened(target) as out:
        out.write('{"displayTimeUnit":"ms","traceEvents":[')
        for event in trace_events(files, align=align):
            out.write(",\n" if events else "\n")
            out.write(json_text(event))
            events += 1
        out.write("\n]}\n")
    return events


def _opened(path: Path) -> IO[str]:
    return gzip.open(path, "xt", encoding="utf-8") if path.suffix == ".gz" else path.open("x", encoding="utf-8")
