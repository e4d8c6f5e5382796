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
