"""What a simulation uses of an engine, and what to write instead."""

from collections.abc import Callable

import pytest

from retick.audit import audit_source

Check = Callable[[str], None]


@pytest.mark.parametrize(
    "text",
    [
        "import pygame\nx = pygame.Vector2(1, 2)  # <- engine",
        "import pygame.math as pm\nx = pm.lerp(1, 2, 1)  # <- engine",
        "from arcade import Sprite\nx = Sprite()  # <- engine",
        "from pyglet import window\nx = window.Window()  # <- engine",
        "from panda3d.core import Vec3\nx = Vec3()  # <- engine",
        "import pymunk\nx = pymunk.Space()  # <- engine",
        "import pygame\ndef step(state, inputs):\n    return pygame.key.get_pressed()  # <- engine",
        "from pygame import *\nx = Vector2(1, 2)  # <- engine",
    ],
)
def test_a_use_of_an_engine_is_found_and_not_its_import(text: str, finds_marked: Check) -> None:
    finds_marked(text)


def test_constants_and_rectangles_made_once_are_harmless(finds_nothing: Check) -> None:
    finds_nothing("""
        import pygame
        from pygame import Rect
        from pygame.locals import *

        KEYS = [pygame.K_a, pygame.KEYDOWN, K_SPACE]
        WALLS = [Rect(0, 0, 10, 10)]

        class Game:
            def step(self, state, inputs):
                return state + WALLS[0].x + KEYS[0]
    """)


@pytest.mark.parametrize(
    ("use", "words"),
    [
        ("pygame.Rect(1, 2, 3, 4)", "from retick.sim import Rect"),
        ("pygame.Vector2()", "from retick.sim import Vector2"),
        ("pygame.key.get_pressed()", "the inputs of `advance`"),
        ("pygame.mouse.get_pos()", "the inputs of `advance`"),
        ("pygame.mixer.Sound('hit.wav')", "`self.cue(...)`"),
        ("pygame.draw.rect(1, 2, 3)", "belongs in `draw`"),
        ("pygame.sprite.Group()", "a list of Things"),
    ],
)
def test_each_use_is_told_what_to_write_instead(use: str, words: str) -> None:
    [finding] = audit_source(f"import pygame\n\ndef step(state, inputs):\n    return {use}\n").findings
    assert (finding.rule, finding.line) == ("engine", 4)
    assert words in finding.what
    assert "# retick: allow engine -- reason" in finding.advice


def test_a_name_is_found_once_where_it_is_used_first() -> None:
    text = (
        "from pygame import Rect\n\ndef step(s, i):\n    return Rect(1, 1, 1, 1), Rect(1, 1, 1, 1), Rect(2, 2, 2, 2)\n"
    )
    [finding] = audit_source(text).findings
    assert (finding.line, finding.what.startswith("`pygame.Rect`, here and in 2 more places")) == (4, True)


def test_methods_of_pygames_vectors_are_found_wherever_they_are_called(finds_marked: Check) -> None:
    finds_marked("""
        import pygame  # retick: allow engine -- hides nothing below  # <- allow-unused
        from pygame import Vector2

        class Game:
            def step(self, state, inputs):
                move = Vector2(1, 2)  # <- engine
                if move.length() > 0:  # <- inexact-math
                    state.facing = move.normalize()  # <- inexact-math state-mutation
                far: Vector2 = state.pos
                return aim(far).rotate_rad(1)  # <- inexact-math

        def aim(vector: Vector2):
            return vector.rotate(3) + vector * 2  # <- inexact-math
    """)


def test_methods_of_the_same_names_are_left_alone_where_no_pygame_vector_is_used(finds_nothing: Check) -> None:
    finds_nothing("""
        import pygame
        from retick.sim.maths import Vec2

        class Game:
            def step(self, state, inputs):
                return state.pos.length() + state.pos.rotate(1)

        def draw(screen, world, me):
            pygame.Vector2(1, 2).length()
    """)


PICTURES = """
import pygame
from retick import Thing, World


def load(name):
    return pygame.image.load(name).convert()


ALIEN = load("alien.gif")
SHIPS = {"red": pygame.transform.flip(load("red.gif"), True, False)}
WIDTH = ALIEN.get_width()
HALF = WIDTH // 2


class Alien(Thing):
    x: int = 0

    def update(self):
        self.x += ALIEN.get_width()
        self.x += SHIPS["red"].get_rect().width
        again = ALIEN
        self.x += again.get_height() + HALF
        self.x += self.image.get_size()[0] + self.images[0].get_height()
        self.x += ALIEN.get_width()


class Game(World):
    num_players = 2
    aliens: list[Alien]

    def advance(self, inputs):
        for alien in self.aliens:
            alien.update()


def draw(screen, world):
    screen.blit(ALIEN, ALIEN.get_rect())
"""


def test_the_size_of_a_loaded_picture_is_found_where_the_rules_use_it() -> None:
    findings = audit_source(PICTURES).findings
    lines = PICTURES.splitlines()
    named = {
        "ALIEN.get_width()": "self.x += ALIEN.get_width()",
        "SHIPS['red'].get_rect()": 'self.x += SHIPS["red"].get_rect().width',
        "again.get_height()": "self.x += again.get_height() + HALF",
        "HALF": "self.x += again.get_height() + HALF",
        "self.image.get_size()": "self.x += self.image.get_size()[0] + self.images[0].get_height()",
        "self.images[0].get_height()": "self.x += self.image.get_size()[0] + self.images[0].get_height()",
    }
    assert {each.what.split("`")[1]: lines[each.line - 1].strip() for each in findings} == named
    assert {each.rule for each in findings} == {"engine"}
    assert all("write its size as a number, such as `WIDTH = 40`" in each.what for each in findings)


def test_a_rule_that_loads_a_picture_itself_is_still_found() -> None:
    text = PICTURES.replace("again = ALIEN", "again = pygame.image.load('alien.gif')")
    assert any("`pygame.image.load`" in each.what for each in audit_source(text).findings)


def test_rectangles_of_the_game_itself_are_no_pictures(finds_nothing: Check) -> None:
    finds_nothing(
        """
        import pygame
        from retick.sim import Rect, Thing, World

        class Tank(Thing):
            x: int = 0
            def get_rect(self):
                return Rect(self.x, 0, 20, 20)

        class Tanks(World):
            num_players = 2
            tanks: list[Tank]
            def advance(self, inputs):
                for tank in self.tanks:
                    tank.x += tank.get_rect().width

        def draw(screen, world):
            screen.fill("black")
        """
    )
