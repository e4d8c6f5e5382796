"""Checks that two processes that played over a bad link really played the same match."""

import json
from dataclasses import dataclass
from typing import Self

from retick import replay
from retick.cli.plurals import count
from retick.errors import DecodeError
from retick.games.fighter import Fighter
from retick.playing.match_driver import Result

__all__ = ["Ending", "Proof", "prove"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """What one process reports at the end."""

    ours: Result
    theirs: Result
    """What the other peer sent over the network."""
    replay: bytes
    """The match as recorded by this process alone, RPLK."""
    unwritten: str = ""
    """Which of its files are not complete, and why; empty if all are, or if there is none."""

    @classmethod
    def loads(cls, text: str) -> Self:
        values = json.loads(text)
        return cls(
            ours=Result(*values["ours"]),
            theirs=Result(*values["theirs"]),
            replay=bytes.fromhex(values["replay"]),
            unwritten=values["unwritten"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What was compared, in words, and the verdict."""

    checksums: str
    replays: str
    rerun: str
    ok: bool


def prove(first: Ending, second: Ending) -> Proof:
    """Compare both results, both recordings, and a new run of the match from its inputs alone."""
    a, b = first.ours, second.ours
    received = first.theirs == b and second.theirs == a
    equal = a == b and received
    checksums = f"0x{a.checksum:08X} and 0x{b.checksum:08X} at frame {a.frame}, {'equal' if equal else 'NOT EQUAL'}"
    if a.frame != b.frame:
        checksums = f"0x{a.checksum:08X} at frame {a.frame}, 0x{b.checksum:08X} at frame {b.frame}: NOT EQUAL"
    elif a == b and not received:
        checksums += ": the network brought another checksum than the process had"
    same = first.replay == second.replay
    replays = f"{len(first.replay)} bytes from each process, {'equal' if same else 'NOT EQUAL'}"
    verified, rerun = _run_again(first)
    return Proof(checksums=checksums, replays=replays, rerun=rerun, ok=equal and same and verified)


def _run_again(ending: Ending) -> tuple[bool, str]:
    try:
        recorded = replay.loads(ending.replay, strict=True)
    except DecodeError as error:
        return False, f"the replay cannot be read: {error}"
    verdict = replay.verify(recorded, Fighter(), expected_checksum=ending.ours.checksum)
    ok = verdict.ok and verdict.frames == ending.ours.frame
    return (
        ok,
        f"0x{verdict.checksum:08X} after {count(verdict.frames, 'frame')}, {'the same' if ok else 'NOT THE SAME'}",
    )
