"""A small game for tests: who has run ten steps has won."""

from typing import Annotated, Any

from retick.sim import U8, U16, Dice, Most, Thing, World

RUN, FALL = 1, 2
GOAL = 10


class Runner(Thing):
    steps: U8 = 0
    falls: U16 = 0


class Runners(World):
    num_players = 2
    game_id, game_version = "test.runners", 1
    runners: Annotated[list[Runner], Most(4)]
    dice: Dice

    def start(self, seed: int) -> None:
        self.dice.seed(seed)
        self.runners = [Runner() for _ in range(self.num_players)]

    def advance(self, inputs: Any) -> None:
        for runner, pressed in zip(self.runners, inputs, strict=True):
            if pressed & FALL:
                runner.falls += self.dice.below(3) + self.slip()
                self.cue("fall")
            if pressed & RUN and runner.steps < GOAL:
                runner.steps += 1

    def slip(self) -> int:
        return 0


def result(world: Runners) -> str | None:
    won = [player for player, runner in enumerate(world.runners) if runner.steps >= GOAL]
    return f"player {won[0] + 1} wins" if won else None
