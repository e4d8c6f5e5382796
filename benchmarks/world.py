"""The cost of a declared world: 200 objects of 8 fields, stepped as the tank game, saved, loaded and rolled back.

Run as ``python benchmarks/world.py``. Times are the best of many short runs, in one process, so that their ratios hold
on a busy machine too.
"""

from collections.abc import Callable, Sequence
from time import perf_counter
from typing import Annotated

import retick
from retick.sim import F64, U8, U16, Angle, Most, Thing, World

OBJECTS = 200
DEPTH = 8


class Tank(Thing):
    """A thing with eight fields."""

    x: F64 = 0.0
    y: F64 = 0.0
    vx: F64 = 0.0
    vy: F64 = 0.0
    heading: Angle = 0.0
    reload: U8 = 0
    score: U16 = 0
    alive: bool = True


def advance_all(tanks: Sequence[Tank], pressed: int) -> None:
    """The step of a small tank game: move, bounce, turn, reload, count."""
    for tank in tanks:
        if not tank.alive:
            continue
        tank.x += tank.vx
        tank.y += tank.vy
        if tank.x < 0.0 or tank.x > 640.0:
            tank.vx = -tank.vx
        if tank.y < 0.0 or tank.y > 480.0:
            tank.vy = -tank.vy
        tank.heading += 0.01 if pressed & 1 else -0.01
        if tank.reload:
            tank.reload -= 1
        elif pressed & 2:
            tank.reload = 30
            tank.score = (tank.score + 1) & 65535


class Tanks(World):
    """A world of 200 tanks."""

    num_players = 2
    tanks: Annotated[list[Tank], Most(OBJECTS)]

    def start(self, seed: int) -> None:
        for number in range(OBJECTS):
            self.tanks.append(Tank(x=number * 3.0, y=number * 2.0, vx=0.5 + number / 100, vy=0.25, reload=number & 15))

    def advance(self, inputs: Sequence[int], /) -> None:
        advance_all(self.tanks, inputs[0])


def best(run: Callable[[], object], rounds: int = 400) -> float:
    """The shortest time of one call, in µs."""
    found = 1e9
    for _ in range(rounds):
        before = perf_counter()
        run()
        found = min(found, perf_counter() - before)
    return found * 1e6


def main() -> None:
    """Print the figures."""
    game = Tanks()
    state = game.initial_state(1)

    def straight() -> None:
        for _ in range(DEPTH):
            game.advance((3, 3))

    def rolled_back() -> None:
        after = game.reload(state)
        for _ in range(DEPTH):
            after = game.step(after, (3, 3))

    save, load = best(game.save), best(lambda: game.load(state.saved))
    steps, rollback = best(straight), best(rolled_back)
    print(f"{OBJECTS} objects of 8 fields, {len(state.saved)} bytes, compiled: {retick.is_compiled()}")
    print(f"save                          {save:8.1f} µs")
    print(f"load, with all checks         {load:8.1f} µs")
    print(f"{DEPTH} steps of the game           {steps:8.1f} µs")
    print(f"rollback of {DEPTH} frames          {rollback:8.1f} µs, {rollback / steps - 1:.0%} more than the steps")


if __name__ == "__main__":
    main()
