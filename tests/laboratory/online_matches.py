"""Matches behind real routers: ``retick host --online`` and ``retick join`` with bots, through ``retick relay``."""

import re
import subprocess
import sys
from typing import NamedTuple

from tests.laboratory.namespaces import RELAY_HOST, Laboratory

__all__ = ["RATE", "Played", "host", "invite_of", "join", "play", "played", "spectate"]

RATE = "150"
"""Frames a second: a match lasts some seconds, in which a direct path can be found."""
LONGEST = 90.0
"""Seconds after which a match that has not ended is a failure."""
_RETICK = [sys.executable, "-m", "retick"]


class Played(NamedTuple):
    """How one machine's match ended."""

    end: str
    """Checksum and frame."""
    way: str
    """``direct``, ``relayed``, or how many of which."""
    paths: str
    """What was said of paths, a line for each change."""


def host(lab: Laboratory, machine: int, *options: str) -> subprocess.Popen[str]:
    words = [*_RETICK, "host", "--online", "--invite", "--relay", RELAY_HOST, "--bot", "--rate", RATE, *options]
    return lab.start(lab.machine(machine), words, stderr=subprocess.STDOUT)


def invite_of(process: subprocess.Popen[str]) -> str:
    """The invite that a host prints."""
    assert process.stdout is not None
    said = [process.stdout.readline()]
    while said[-1] and "retick join" not in said[-1]:
        said.append(process.stdout.readline())
    found = re.search(r"retick join (\S+)", said[-1])
    assert found is not None, said
    return found[1]


def join(lab: Laboratory, machine: int, invite: str, *options: str) -> subprocess.Popen[str]:
    words = [*_RETICK, "join", invite, "--bot", "--rate", RATE, *options]
    return lab.start(lab.machine(machine), words, stderr=subprocess.STDOUT)


def spectate(lab: Laboratory, machine: int, invite: str, *options: str) -> subprocess.Popen[str]:
    return lab.start(lab.machine(machine), [*_RETICK, "watch", invite, "--rate", RATE, *options])


def played(process: subprocess.Popen[str]) -> Played:
    """Wait for the end of a match that must be good."""
    said = process.communicate(timeout=LONGEST)[0]
    assert process.returncode == 0, said
    found = re.search(r"(0x[0-9A-F]{8} at frame \d+) on \w+ (?:\d+ )?peers, (.+)", said)
    assert found is not None, said
    paths = "\n".join(line for line in said.splitlines() if line.startswith("path to "))
    return Played(found[1], found[2], paths)


def play(lab: Laboratory, *pairs: tuple[int, int], options: tuple[str, ...] = ()) -> list[tuple[Played, Played]]:
    """Play matches of two between machines, all at once."""
    hosts = [host(lab, one, *options) for one, _ in pairs]
    joined = [join(lab, pair[1], invite_of(one), *options) for pair, one in zip(pairs, hosts, strict=True)]
    return [(played(one), played(other)) for one, other in zip(hosts, joined, strict=True)]
