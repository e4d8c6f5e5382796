"""The small game of the tests, to be shown in a window."""

import zlib

import pygame
from pygame import Surface

from retick.integrations.pygame import Keys
from tests.playing import runners
from tests.playing.runners import FALL, GOAL, RUN, result

__all__ = ["FALL", "GOAL", "RUN", "Runners", "Slippery", "Three", "draw", "first", "press", "result", "second"]


class Runners(runners.Runners):
    """The game, with the functions of this module."""


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
