"""Windows of arcade and pyglet: a match in a window of one's own, on a screen that nobody sees."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.virtual_display import virtual_display

GAME = """
import sys
sys.path.insert(0, {root!r})
from tests.playing.runners import RUN, Runners, result
seen = []
def draw(world, me):
    seen.append((me, [runner.steps for runner in world.runners]))
def pictures(number, picture):
    for _ in range(number):
        picture()
"""
ARCADE = """
import arcade, time
from retick.integrations.arcade import Buttons, MatchView
window = arcade.Window(320, 240, "mine")
mine = arcade.View()
view = MatchView(Runners, "here", draw=draw, press=(Buttons(arcade.key.A), Buttons(arcade.key.D)), result=result,
    size=(640, 480), folder=None, back=lambda: window.show_view(mine))
window.show_view(view)
press = lambda key: (view.on_key_press(key, 0), view.on_key_release(key, 0))
K = arcade.key
def picture():
    time.sleep(1 / 60)
    view.on_update(1 / 60)
    view.on_draw()
    window.flip()
is_left = lambda: window.current_view is mine
"""
PYGLET = """
import pyglet, time
from pyglet.window import key as K
from retick.integrations.pyglet import Buttons, MatchScreen
window = pyglet.window.Window(320, 240)
left = []
view = MatchScreen(window, Runners, "here", draw=draw, press=(Buttons(K.A), Buttons(K.D)), result=result,
    size=(640, 480), folder=None, back=lambda: left.append(1))
press = lambda key: (view.on_key_press(key, 0), view.on_key_release(key, 0))
def picture():
    time.sleep(1 / 60)
    window.dispatch_events()
    window.clear()
    view.update()
    view.on_draw()
    window.flip()
is_left = lambda: left == [1]
"""
PLAYED = """
while not seen:
    picture()
press(K.D)
while seen[-1][1][1] == 0:
    picture()
assert seen[-1] == ((0, 1), [0, 1]), seen[-1]
press(K.F3)
assert view_page().graph.shown
press(K.ESCAPE)
picture()
assert view_page().panel.title == "Leave the match?"
screen = getattr(view, "screen", view)
place, number = view_page().panel.places[-1]
x, y, width, height = screen.place()
across, down = screen.game.size
view.on_mouse_press(x + (place[0] + 5) * width / across, y + height - (place[1] + 5) * height / down, 1, 0)
picture()
assert is_left()
print("played")
"""


@pytest.mark.long
@pytest.mark.parametrize(("module", "text"), [("arcade", ARCADE), ("pyglet", PYGLET)], ids=["arcade", "pyglet"])
def test_a_window_of_ones_own_shows_a_match_and_gets_the_person_back(module: str, text: str) -> None:
    pytest.importorskip(module, exc_type=ImportError)
    page = "def view_page():\n    return getattr(view, 'screen', view).page\n"
    root = str(Path(__file__).parents[2])
    with virtual_display() as environment:
        done = subprocess.run(
            [sys.executable, "-c", GAME.format(root=root) + text + page + PLAYED],
            env=environment,
            capture_output=True,
            text=True,
            timeout=100,
            check=False,
        )
    assert done.stdout == "played\n", done.stderr


@pytest.mark.parametrize("module", ["arcade", "pyglet"])
def test_without_the_framework_the_error_says_what_to_install(module: str) -> None:
    code = f"import sys; sys.modules[{module!r}] = None\nimport retick.integrations.{module}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert f"pip install {module}" in done.stderr
