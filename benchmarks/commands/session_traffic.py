"""Bytes per second that a peer of a match sends, for two games and latencies; no time is measured.

Counted is all UDP payload that a session gives out: inputs, acknowledgements, checksums, reports of the link. The
headers of UDP and IP are not in it, 28 bytes for each packet with IPv4. Links are plain: sealed ones send 16 bytes more
in each packet.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from tests.checkers.arenas import arena_for
from tests.checkers.chaos import pressed_by_bots

from retick.games.fighter import Fighter
from retick.rollback.session.session import RollbackSession
from retick.testing.mesh import Mesh, Press, idle
from retick.transport.conditions import Conditions

__all__ = ["Traffic", "measure_traffic"]

TICK = 1 / 60
LOSS = 0.05
SETTLING_FRAMES = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """The traffic of one peer per second."""

    name: str
    packets: float
    octets: float
    """UDP payload in bytes."""
    most: float
    """The target in bytes."""


class _Idle:
    """A game for two with constant inputs of eight bytes."""

    num_players = 2
    input_size = 8

    def initial_state(self, seed: int) -> int:
        return seed

    def step(self, state: int, inputs: tuple[int, ...]) -> int:
        return (state * 5 + sum(inputs)) & 0xFFFFFFFF

    def checksum(self, state: int) -> int:
        return state

    def fields(self, state: int) -> Mapping[str, int]:
        return {"state": state}


def _cases() -> tuple[tuple[str, Any, Press, int, float], ...]:
    """Name, game, controllers, frames from one peer to the other, and most bytes per second."""
    bots = pressed_by_bots(arena_for(2), 1)
    return (
        ("bots, 2-byte inputs, 3 frames latency", Fighter, bots, 3, 2000.0),
        ("idle, 8-byte inputs, 9 frames latency", _Idle, idle, 9, 2400.0),
    )


def measure_traffic(frames: int = 1800) -> list[Traffic]:
    """Play each case for a number of frames, with 5 % loss."""
    found = []
    for name, game, press, latency, most in _cases():
        conditions = Conditions.round_trip(2 * latency * TICK, loss=LOSS)
        mesh = Mesh(game, conditions=conditions, press=press, make_session=partial(RollbackSession, sealed=False))
        mesh.start()
        mesh.play(SETTLING_FRAMES)
        paths = [mesh.network.path(a, b) for a in mesh.seats for b in mesh.seats if a != b]
        sent, octets, began = sum(p.sent for p in paths), sum(p.bytes_sent for p in paths), mesh.network.now
        mesh.play(SETTLING_FRAMES + frames)
        seconds = (mesh.network.now - began) * len(paths)
        found.append(
            Traffic(
                name=name,
                packets=(sum(p.sent for p in paths) - sent) / seconds,
                octets=(sum(p.bytes_sent for p in paths) - octets) / seconds,
                most=most,
            )
        )
    return found
