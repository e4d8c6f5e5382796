"""A trace in the JSON form of trace events, which Perfetto opens: a process for each peer, arrows for datagrams."""

from collections.abc import Iterator
from typing import Any

from retick.cli.trace.clocks import clock_corrections, flows_between
from retick.cli.trace.notes import Note, Notes

__all__ = ["trace_events"]

FRAMES, ROLLBACKS, SENT, RECEIVED, MATCH = range(1, 6)
TRACKS = {
    FRAMES: "frames", ROLLBACKS: "resimulated", SENT: "sent", RECEIVED: "received", MATCH: "match",
}  # fmt: skip
DATAGRAM = 1
"""Microseconds for which a datagram is shown: an arrow begins and ends at something that lasts."""


def trace_events(files: list[Notes], *, align: bool = True) -> Iterator[dict[str, Any]]:
    """The events of the trace. Time 0 is the first note of all."""
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
