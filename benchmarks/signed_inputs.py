"""The cost of signing inputs: microseconds per frame and other peer, in sealed matches of three to eight.

Counted is the CPU time in which ranges are signed and checked, on virtual time at 60 ms round trip and 10 % loss, over
a minute of play. Run it on a quiet machine: python benchmarks/signed_inputs.py
"""

import time
from collections.abc import Callable
from functools import partial
from random import Random
from typing import Any

from retick.games.scramble import Scramble
from retick.rollback.session.session import RollbackSession
from retick.rollback.session.signing import SignedRanges
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions

FRAMES = 3600


class Clock:
    """Adds up the time spent in some methods."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def around(self, method: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any, **options: Any) -> Any:
            began = time.process_time()
            try:
                return method(*arguments, **options)
            finally:
                self.seconds += time.process_time() - began

        return timed


def measure(machines: int) -> float:
    """Microseconds per frame and other peer."""
    clock, dice = Clock(), Random(1)
    originals = {name: getattr(SignedRanges, name) for name in ("_sign", "_check")}
    for name, method in originals.items():
        setattr(SignedRanges, name, clock.around(method))
    try:
        mesh = Mesh(
            partial(Scramble, machines),
            seats={f"peer{number}": 1 for number in range(machines)},
            conditions=Conditions.round_trip(0.06, loss=0.1),
            press=lambda player, state: dice.randrange(16),
            make_session=partial(RollbackSession, sealed=True),
        )
        mesh.start()
        mesh.play(FRAMES)
    finally:
        for name, method in originals.items():
            setattr(SignedRanges, name, method)
    frames: int = sum(peer.session.frame for peer in mesh.alive)
    return clock.seconds / frames / (machines - 1) * 1e6


if __name__ == "__main__":
    for machines in (3, 4, 8):
        print(f"{machines} machines: {measure(machines):.2f} us a frame and other machine (at most 1)")
