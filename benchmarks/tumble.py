"""Boxes that are kicked about: a seeded world whose statistics are in the prior that comes with the library.

It is no physics engine: boxes fall, bounce, roll, rub and come to rest, and a player pushes those that it meets. What
it writes is a trace in the format of docs/formats/compact.md. ``python benchmarks/tumble.py FILE`` writes one.
"""

import math
import random
import struct
import sys
from pathlib import Path

__all__ = ["BOXES", "trace"]

BOXES = 400
_GRAVITY = 20.0
_TICK = 1 / 60
_ROOT = math.sqrt(0.5)


class _Box:
    def __init__(self, x: float, y: float) -> None:
        self.place = [x, y, 0.2]
        self.speed = [0.0, 0.0, 0.0]
        self.turn = [0.0, 0.0, 0.0, 1.0]
        self.spin = [0.0, 0.0, 0.0]
        self.still = 99

    def kick(self, rng: random.Random, push: tuple[float, float]) -> None:
        for axis in (0, 1):
            self.speed[axis] += push[axis] * rng.uniform(0.0, 0.8) + rng.gauss(0, 0.6)
        self.speed[2] += abs(rng.gauss(0, 1.5))
        self.spin = [spin + rng.gauss(0, 2.5) for spin in self.spin]
        self.still = 0

    def step(self, rng: random.Random) -> None:
        if self.still > 20:
            return
        self.speed[2] -= _GRAVITY * _TICK
        self.speed = [speed * 0.99 for speed in self.speed]
        self.spin = [spin * 0.99 for spin in self.spin]
        self.place = [x + v * _TICK for x, v in zip(self.place, self.speed, strict=True)]
        if self.place[2] < 0.2:
            self.place[2] = 0.2
            self.speed[2] = -0.3 * self.speed[2] if self.speed[2] < -0.8 else 0.0
            rub = rng.uniform(0.85, 1.0)
            self.speed[0] *= rub
            self.speed[1] *= rub
            self.spin = [spin * rub + rng.gauss(0, 0.05) * abs(spin) for spin in self.spin]
        slow = sum(abs(v) for v in self.speed) < 0.05 and sum(abs(w) for w in self.spin) < 0.1
        self.still = self.still + 1 if slow else 0
        self._turn()

    def _turn(self) -> None:
        wx, wy, wz = (0.5 * _TICK * w for w in self.spin)
        x, y, z, w = self.turn
        turned = [
            x + wx * w + wy * z - wz * y,
            y + wy * w + wz * x - wx * z,
            z + wz * w + wx * y - wy * x,
            w - wx * x - wy * y - wz * z,
        ]
        length = math.sqrt(sum(part * part for part in turned))
        self.turn = [part / length for part in turned]

    def values(self) -> tuple[int, ...]:
        largest = max(range(4), key=lambda at: abs(self.turn[at]))
        sign = -1.0 if self.turn[largest] < 0 else 1.0
        others = [sign * part for at, part in enumerate(self.turn) if at != largest]
        small = [min(511, max(0, math.floor((part + _ROOT) / (2 * _ROOT) * 511 + 0.5))) for part in others]
        place = [math.floor(x * 512 + 0.5) for x in self.place]
        return (largest, *small, *place, int(self.still < 60))


def trace(ticks: int, seed: int = 11, boxes: int = BOXES) -> bytes:
    """Make this many frames of eight 32-bit numbers per box."""
    rng = random.Random(seed)
    side = math.ceil(math.sqrt(boxes))
    every = [_Box(at % side - side / 2, at // side - side / 2) for at in range(boxes)]
    player = [0.0, 0.0]
    heading, out = 0.0, bytearray()
    for _tick in range(ticks):
        heading += rng.gauss(0, 0.12)
        push = (4.0 * math.cos(heading), 4.0 * math.sin(heading))
        for axis in (0, 1):
            player[axis] += push[axis] * _TICK
            if abs(player[axis]) > side / 2:
                heading += 1.5
                player[axis] = math.copysign(side / 2, player[axis])
        for box in every:
            if math.hypot(box.place[0] - player[0], box.place[1] - player[1]) < 1.5 and rng.random() < 0.1:
                box.kick(rng, push)
            elif box.still < 5 and rng.random() < 0.08:
                box.kick(rng, (0.0, 0.0))
            box.step(rng)
            out += struct.pack("<8i", *box.values())
    return bytes(out)


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(trace(900))
