"""Sixteen players in an arena: a seeded world to measure snapshot codecs with.

Players run, jump, turn, shoot, are hit and come back. Sixteen fields each: position, velocity, yaw and pitch, health,
armour, ammunition, weapon, team, flags. ``python benchmarks/arena.py`` prints bytes a packet and microseconds.
"""

import math
import random
from typing import Any

from retick.snapshot import (
    Angle,
    Bool,
    Choice,
    Component,
    Field,
    Fixed,
    Group,
    Hold,
    Integral,
    Motion,
    Schema,
    SInt,
    Snapshot,
    UInt,
)

__all__ = ["PLAYERS", "declared", "frames", "undeclared"]

PLAYERS = 16
TICKS = 60
NAMES = (
    "pos_x", "pos_y", "pos_z", "vel_x", "vel_y", "vel_z", "yaw", "pitch",
    "health", "armour", "ammo", "weapon", "team", "crouched", "grounded", "firing",
)  # fmt: skip
_PLACE = Fixed(min_q=-100_000, max_q=100_000, scale=100)
_SPEED = Fixed(min_q=-5_000, max_q=5_000, scale=100)
CODECS = (
    _PLACE, _PLACE, _PLACE, _SPEED, _SPEED, _SPEED, UInt(12), SInt(11),
    UInt(7), UInt(7), UInt(8), UInt(3), UInt(2), Bool(), Bool(), Bool(),
)  # fmt: skip


def undeclared() -> Schema:
    """The schema without any declarations."""
    return Schema([Component(1, [Field(at + 1, codec, name=NAMES[at]) for at, codec in enumerate(CODECS)], "player")])


def declared() -> Schema:
    """The schema with predictors: positions follow from velocities, and gravity changes these."""
    groups = [
        Group(1, (6,), Motion(acceleration=(-980 / TICKS,))),
        Group(1, (4, 5), Hold()),
        Group(1, (3,), Integral(of=(6,), rate=1 / TICKS)),
        Group(1, (1, 2), Integral(of=(4, 5), rate=1 / TICKS)),
        Group(1, (7,), Angle()),
        Group(1, (8,), Motion()),
        *(Group(1, (at,), Choice()) for at in (12, 13, 14, 15, 16)),
    ]
    return Schema(undeclared().components, groups)


class _Player:
    def __init__(self, rng: random.Random, number: int) -> None:
        self.rng = rng
        self.team = number % 2
        self.spawn()

    def spawn(self) -> None:
        rng = self.rng
        self.place = [rng.uniform(-40, 40), rng.uniform(-40, 40), 0.0]
        self.velocity = [0.0, 0.0, 0.0]
        self.yaw, self.pitch, self.spin, self.tilt = rng.uniform(0, 1), 0.0, 0.0, 0.0
        self.wish = (0.0, 0.0)
        self.health, self.armour, self.ammo, self.weapon = 100, 50, 60, rng.randrange(4)
        self.crouched = self.firing = False

    def decide(self) -> None:
        rng = self.rng
        if rng.random() < 0.03:
            angle, speed = rng.uniform(0, math.tau), rng.choice((0.0, 3.0, 6.0, 6.0))
            self.wish = (speed * math.cos(angle), speed * math.sin(angle))
        if rng.random() < 0.05:
            self.spin, self.tilt = rng.choice((0.0, 0.0, rng.gauss(0, 0.01))), rng.choice((0.0, rng.gauss(0, 0.4)))
        if rng.random() < 0.01:
            self.crouched = not self.crouched
        if rng.random() < 0.03:
            self.firing = not self.firing
        if rng.random() < 0.004:
            self.weapon = rng.randrange(4)
        if self.place[2] == 0.0 and rng.random() < 0.01:
            self.velocity[2] = 5.0

    def step(self, tick: int) -> None:
        self.decide()
        for axis in (0, 1):
            self.velocity[axis] += max(-0.5, min(0.5, self.wish[axis] - self.velocity[axis]))
            self.place[axis] += self.velocity[axis] / TICKS
            if abs(self.place[axis]) > 50:
                self.place[axis] = math.copysign(50, self.place[axis])
                self.velocity[axis] = 0.0
        if self.place[2] > 0 or self.velocity[2] > 0:
            self.velocity[2] -= 9.8 / TICKS
            self.place[2] += self.velocity[2] / TICKS
            if self.place[2] <= 0:
                self.place[2] = self.velocity[2] = 0.0
        self.yaw = (self.yaw + self.spin) % 1.0
        self.pitch = max(-90.0, min(90.0, self.pitch + self.tilt))
        if self.firing and tick % 6 == 0:
            self.ammo = self.ammo - 1 if self.ammo else 60
        if self.rng.random() < 0.01:
            lost = self.rng.randrange(5, 25)
            self.armour, self.health = max(0, self.armour - lost // 2), self.health - lost
            if self.health <= 0:
                self.spawn()

    def values(self) -> tuple[Any, ...]:
        place = [round(100 * x) for x in self.place]
        velocity = [round(100 * v) for v in self.velocity]
        yaw, pitch = round(4096 * self.yaw) % 4096, round(10 * self.pitch)
        state = (self.health, self.armour, self.ammo, self.weapon, self.team)
        return (*place, *velocity, yaw, pitch, *state, self.crouched, self.place[2] == 0.0, self.firing)


def frames(schema: Schema, count: int, seed: int = 1) -> list[Snapshot]:
    """Run this many ticks of the arena."""
    rng = random.Random(seed)
    players = [_Player(rng, number) for number in range(PLAYERS)]
    found = []
    for tick in range(1, count + 1):
        for player in players:
            player.step(tick)
        found.append(
            Snapshot.of(schema, tick=tick, entities={at + 1: {1: one.values()} for at, one in enumerate(players)})
        )
    return found


def main() -> None:
    from benchmarks.commands.native import c_loop_ns
    from benchmarks.snapshot_times import score_lines

    for name, schema in (("declared", declared()), ("nothing declared", undeclared())):
        print(f"{name}:")
        print("\n".join(score_lines(schema, frames(schema, 600), lag=6)))
    c_loop = c_loop_ns()
    print("the fighter's C loop:", "unknown here" if c_loop is None else f"{c_loop:.1f} ns a step here")


if __name__ == "__main__":
    main()
