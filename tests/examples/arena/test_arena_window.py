"""examples/arena/window.py: every frame can be drawn, with fog and without, and every cue has a sound."""

from importlib import import_module
from typing import Any

import pytest


@pytest.fixture
def window(arena: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    found = import_module("window")
    pygame.display.init()
    pygame.font.init()
    pygame.display.set_mode(found.size)
    yield found
    found.font.cache_clear()
    found.sound.cache_clear()
    pygame.quit()


def picture(window: Any, world: Any, me: tuple[int, ...]) -> bytes:
    import pygame

    screen = pygame.Surface(window.size)
    window.draw(screen, world, me)
    return bytes(pygame.image.tobytes(screen, "RGB"))


def test_every_frame_of_a_match_can_be_drawn_and_heard(arena: Any, world: Any, window: Any) -> None:
    heard = set()
    for frame in range(900):
        for cue in world._advance([arena.bots.bot(player, world) for player in range(8)]):
            heard.add(cue[0])
            window.hear(cue)
        if frame % 90 == 0:
            for me in ((0,), (5,), ()):
                assert len(set(picture(window, world, me))) > 3
    assert {"shot", "hit", "door", "pickup"} <= heard <= set(window.NOTES)
    assert window.result(world) is None
    world.wins = [0, 3]
    assert window.result(world) == "skyblue wins 3 rounds"


def test_who_is_in_the_fog_is_not_drawn(world: Any, window: Any) -> None:
    enemy = world.fighter_of(1)
    assert not world.visible(0, enemy)
    first, all_of_it = picture(window, world, (0,)), picture(window, world, ())
    enemy.x -= 32
    assert picture(window, world, (0,)) == first
    assert picture(window, world, ()) != all_of_it


def test_keys_and_mouse_make_a_wish(arena: Any, window: Any) -> None:
    import pygame

    from retick.playing.keys import Keys

    keys = Keys()
    for key in (pygame.K_d, pygame.K_w, pygame.K_SPACE, pygame.K_e):
        keys.down(key)
    wish = window.press(keys)
    assert isinstance(wish, arena.game.Wish)
    assert (wish.right, wish.down, wish.fire, wish.use) == (1, -1, True, True)


def test_retick_play_finds_the_window(arena: Any, window: Any) -> None:
    from retick.integrations.window_module import find_window, window_game

    game = f"{arena.folder / 'game.py'}:Duel"
    found = window_game(game, find_window(game))
    assert (found.title, found.size, found.make().num_players) == ("arena", (800, 600), 2)
