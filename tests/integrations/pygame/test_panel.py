"""Choices by keys and by the mouse, and texts that come from strangers."""

import pygame
import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.integrations.page_drawing import draw_over, draw_panel
from retick.integrations.pygame.program import SurfaceCanvas
from retick.playing.pages import MOST_LETTERS, SHOWN, MenuChoice, Panel, plain


@pytest.fixture
def screen() -> pygame.Surface:
    pygame.font.init()
    return pygame.Surface((640, 480))


def panel(count: int = 3) -> Panel:
    return Panel("title", [MenuChoice(str(number), lambda: None) for number in range(count)])


def test_arrows_go_round_and_enter_chooses() -> None:
    shown = panel()
    assert shown.key("up") is None
    chosen = shown.key("return")
    assert chosen is not None
    assert chosen.label == "2"
    shown.key("down")
    assert shown.selected == 0
    assert Panel("empty").key("return") is None


def test_the_space_bar_fires_and_does_not_choose() -> None:
    assert panel().key("space") is None


def test_the_mouse_chooses_what_is_under_it(screen: pygame.Surface) -> None:
    shown = panel()
    draw_panel(SurfaceCanvas(screen), shown)
    place = pygame.Rect(shown.places[1][0]).center
    assert shown.point(*place, clicked=False) is None
    assert shown.selected == 1
    chosen = shown.point(*place, clicked=True)
    assert chosen is not None
    assert chosen.label == "1"
    assert shown.point(639, 479, clicked=True) is None


def test_a_list_that_became_shorter_keeps_a_choice_that_exists() -> None:
    shown = panel()
    shown.selected = 2
    del shown.choices[1:]
    chosen = shown.key("return")
    assert chosen is not None
    assert chosen.label == "0"


def test_of_a_long_list_the_part_around_the_choice_is_shown(screen: pygame.Surface) -> None:
    shown = panel(50)
    shown.selected = 30
    draw_over(SurfaceCanvas(screen), shown)
    numbers = [number for _, number in shown.places]
    assert len(numbers) == SHOWN
    assert 30 in numbers


@given(st.text(st.characters(exclude_categories=()), max_size=2 * MOST_LETTERS))
def test_any_text_can_be_written(text: str) -> None:
    pygame.font.init()
    assert plain(text).isprintable()
    assert len(plain(text)) <= MOST_LETTERS
    SurfaceCanvas(pygame.Surface((64, 48))).write(plain(text) or " ", 0, 0, 18, (9, 9, 9), 60)


@pytest.mark.parametrize("count", range(1, 6))
def test_in_a_box_all_lines_are_shown_if_the_screen_has_room(screen: pygame.Surface, count: int) -> None:
    def picture(last: str) -> bytes:
        screen.fill((0, 0, 0))
        choices = [MenuChoice("Join again", int), MenuChoice("Back to the menu", int)]
        draw_over(SurfaceCanvas(screen), Panel("The match is over", choices, lines=[*["a line"] * (count - 1), last]))
        return pygame.image.tobytes(screen, "RGB")

    assert picture("Ann left") != picture("Bob left")


def test_many_lines_leave_room_for_the_choices() -> None:
    screen = pygame.Surface((640, 480))
    panel = Panel(
        "title", [MenuChoice(f"choice {number}", int) for number in range(5)], lines=["a long line " * 12] * 30
    )
    draw_over(SurfaceCanvas(screen), panel)
    assert [number for _, number in panel.places] == [0, 1, 2, 3, 4]
    assert all(screen.get_rect().contains(place) for place, _ in panel.places)
