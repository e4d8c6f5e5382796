"""A small game to be shown in a window: who has run ten steps has won."""

import zlib
from typing import Annotated, Any

import pygame
from pygame import Surface

from retick.integrations.pygame import Keys
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


class Slippery(Runners):
    """Another build of the game, which thinks that it is the same."""

    def slip(self) -> int:
        return 1


class Three(Runners):
    num_players = 3


def draw(screen: Surface, world: Runners, me: tuple[int, ...]) -> None:
    screen.fill((zlib.crc32(repr(me).encode()) & 255, 0, 0))
    for player, runner in enumerate(world.runners):
        pygame.draw.rect(screen, (0, 255, 0), (runner.steps * 10, 40 * player, 10, 10))


def first(keys: Keys) -> int:
    return RUN * keys[pygame.K_RIGHT] | FALL * keys[pygame.K_DOWN]


def second(keys: Keys) -> int:
    return RUN * keys[pygame.K_d]


press = (first, second)


def result(world: Runners) -> str | None:
    won = [player for player, runner in enumerate(world.runners) if runner.steps >= GOAL]
    return f"player {won[0] + 1} wins" if won else None
