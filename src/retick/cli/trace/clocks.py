"""How far the clocks of several peers are apart, from the datagrams that they sent each other."""

from collections import defaultdict, deque

from retick.cli.trace.notes import Notes

__all__ = ["Flow", "clock_corrections", "flows_between"]

Flow = tuple[int, int, int, int]
"""Sending file, index of the line there, receiving file, index of the line there."""


def flows_between(files: list[Notes]) -> list[Flow]:
    """Every datagram that one file sent and another one received; the first sending belongs to the first arrival."""
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
    """Microseconds to add to the times of each file. The first file keeps its clock; so does one that met nobody."""
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
