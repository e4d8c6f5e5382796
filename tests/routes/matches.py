"""Online matches on virtual time, for tests."""

from itertools import product
from typing import Any

import pytest

from retick.games.fighter import Fighter
from retick.routes import PathKind
from retick.testing.online_mesh import OnlineMesh
from retick.transport import Nat, NatKind

STRICT = {NatKind.PORT_RESTRICTED, NatKind.SYMMETRIC}


def has_direct_path(one: NatKind, other: NatKind) -> bool:
    """All pairs but port-restricted with symmetric, and symmetric with symmetric."""
    return NatKind.SYMMETRIC not in (one, other) or not {one, other} <= STRICT


def between(one: Nat | None, other: Nat | None, **details: Any) -> OnlineMesh:
    """A match of two that has started."""
    mesh = OnlineMesh(Fighter, nats={"peer0": one, "peer1": other}, press=press, **details)
    mesh.start()
    return mesh


def press(player: int, state: Any) -> int:
    """Something else all the time, the same at every repetition."""
    return (Fighter().checksum(state) >> 3 * player) % 8


def longest_stall(mesh: OnlineMesh, seconds: float) -> float:
    """Let time pass; the longest time that any peer waited for its next frame."""
    seen = {name: (mesh[name].session.frame, mesh.network.now) for name in mesh.peers}
    longest = 0.0
    for _ in range(int(seconds * 200)):
        mesh.run(0.005)
        for name, (frame, since) in seen.items():
            if mesh[name].session.frame != frame:
                seen[name] = mesh[name].session.frame, mesh.network.now
            longest = max(longest, mesh.network.now - since)
    return longest


def is_direct(mesh: OnlineMesh, name: str) -> bool:
    """Whether a peer reaches all whom it talks with directly."""
    kinds = mesh.kinds(name).values()
    return bool(kinds) and PathKind.RELAY not in kinds


PAIRS = [
    pytest.param(one, other, id=f"{one.name}-{other.name}".lower(), marks=[pytest.mark.soak] * (first > second))
    for (first, one), (second, other) in product(enumerate(NatKind), repeat=2)
]
"""All pairs of kinds of routers. Make test has each pair once, and make soak those with host and guest exchanged."""
