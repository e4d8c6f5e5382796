"""A game of the user in the room: found, drawn, pressed, and ended when it fails."""

import asyncio
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from retick.errors import UsageError
from retick.studio.app import make_app
from retick.studio.play.own_game import MOST_FIELDS, MOST_SHAPES, Drawing, OwnGame
from retick.studio.play.room import MOST_CUES
from retick.studio.room import LONGEST_NAME, Settings, write_message
from tests.studio.conftest import awaited, running
from tests.studio.play.test_play_page import LONG, start, wait_until
from tests.studio.play.test_room import Play

DOTS = """
from retick.sim import World, U16
LEFT, RIGHT, FIRE = 1, 2, 16
size = (320, 200)
class Dots(World):
    num_players = 2
    game_id, game_version = "dots", 1
    x: list[U16]
    def start(self, seed):
        self.x = [100, 200]
    def advance(self, inputs):
        self.x = [min(max(x + 2 * bool(b & RIGHT) - 2 * bool(b & LEFT), 0), 300) for x, b in zip(self.x, inputs)]
def bot(player, world):
    return 0
"""
ON_PAGE = """
def draw_page(canvas, world):
    canvas.rect(0, 0, *canvas.size, "#202830")
    for x in world.x:
        canvas.circle(x, 100, 9, (245, 138, 191))
    canvas.text(4, 4, world.x, 12, "#ffffff")
"""
IN_WINDOW = """
import pygame
def draw(screen, world, me):
    screen.fill("tan")
    pygame.draw.circle(screen, "blue", (world.x[me[0]], 100), 9)
def press(keys):
    return (1 if keys[pygame.K_q] else 0) | (2 if keys[pygame.K_RIGHT] or keys[pygame.K_e] else 0)
def result(world):
    return "first is there" if world.x[0] >= 140 else None
"""


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], str]]:
    """Writes a game and gives its name."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    count = 0

    def write(text: str) -> str:
        nonlocal count
        count += 1
        path = tmp_path / f"dots_{count}.py"
        path.write_text(text)
        return f"{path}:Dots"

    yield write
    for name in set(sys.modules) - before:
        if name.startswith("dots_"):
            del sys.modules[name]


def played(game: str) -> Play:
    play = Play(game)
    play.send("start", against="bot")
    play.run(1.0)
    return play


def test_a_game_without_a_picture_has_its_table_and_named_keys(written: Callable[[str], str]) -> None:
    play = played(written(DOTS))
    game = play.room.hello()["game"]
    assert game["pictures"] == "none"
    assert [(one["bit"], one["label"], one["keys"][0]) for one in game["buttons"]] == [
        (1, "left", "ArrowLeft"), (2, "right", "ArrowRight"), (16, "fire", "Space"),
    ]  # fmt: skip
    fields = dict(play.of("table")[-1]["fields"])
    assert "100" in fields.values()
    play.send("keys", pressed=2)
    play.run(1.0)
    assert "100" not in dict(play.of("table")[-1]["fields"]).values()
    assert play.of("frame")[-1]["you"] is None


def test_what_it_draws_for_the_page_is_sent_as_shapes_of_both_views(written: Callable[[str], str]) -> None:
    play = played(written(DOTS + ON_PAGE))
    assert play.room.hello()["game"]["size"] == (320, 200)
    frame = play.of("frame")[-1]
    assert frame["you"][0] == ["rect", 0.0, 0.0, 320.0, 200.0, "#202830"]
    assert frame["you"][1] == ["circle", 100.0, 100.0, 9.0, "#f58abf"]
    assert frame["other"] is not None


def test_what_it_draws_with_pygame_is_sent_as_pictures_and_its_keys_are_found(written: Callable[[str], str]) -> None:
    pytest.importorskip("pygame")
    play = played(written(DOTS + IN_WINDOW))
    game = play.room.hello()["game"]
    assert (game["pictures"], game["size"]) == ("jpeg", (320, 200))
    assert [(one["bit"], one["keys"]) for one in game["buttons"]] == [(1, ["KeyQ"]), (2, ["KeyE", "ArrowRight"])]
    assert {picture[0] for picture in play.pictures} == {0, 1}
    assert all(picture[1:4] == b"\xff\xd8\xff" for picture in play.pictures)


def test_its_result_ends_the_match_on_equal_checksums(written: Callable[[str], str]) -> None:
    pytest.importorskip("pygame")
    play = played(written(DOTS + IN_WINDOW))
    play.send("keys", pressed=2)
    play.run(20.0)
    (end,) = play.of("end")
    assert end["text"] == "first is there"
    assert end["equal"] is True


def test_a_game_that_fails_while_it_draws_ends_its_match_with_its_error(written: Callable[[str], str]) -> None:
    play = played(written(DOTS + "def draw_page(canvas, world):\n    world.nothing_of_it\n"))
    assert "AttributeError" in play.of("error")[0]["text"]
    assert play.room.hello()["phase"]["phase"] == "ready"


def test_fields_beyond_the_limit_are_counted(written: Callable[[str], str]) -> None:
    game = OwnGame(written(DOTS))

    class Session:
        state = None

        class sim:
            @staticmethod
            def fields(_state: Any) -> list[tuple[str, int]]:
                return [(f"field{number}", number) for number in range(MOST_FIELDS + 7)]

    table = game.table(Session())  # type: ignore[arg-type]  # it needs no more of a session
    assert len(table["fields"]) == MOST_FIELDS
    assert table["more"] == 7


def test_any_fields_are_shown_as_short_texts(written: Callable[[str], str]) -> None:
    game = OwnGame(written(DOTS))
    odd = [("n" * 5000, "v" * 5000), ("\ud800", "\ud800"), ("large", 10**5000), ("no number", float("nan"))]

    class Session:
        state = None

        class sim:
            @staticmethod
            def fields(_state: Any) -> list[tuple[str, Any]]:
                return odd

    table = game.table(Session())  # type: ignore[arg-type]  # it needs no more of a session
    assert len(write_message("table", **table)) < 2000
    assert [len(name) <= 200 and len(value) <= 200 for name, value in table["fields"]] == [True] * 4


@pytest.mark.parametrize(
    ("size", "used"),
    [("(100, 10**9)", (640, 480)), ("(10**9, 1)", (640, 480)), ("(0, 9)", (640, 480)), ("(4096, 1)", (4096, 1))],
)
def test_a_size_that_no_page_can_show_is_not_used(
    written: Callable[[str], str], size: str, used: tuple[int, int]
) -> None:
    assert OwnGame(written(DOTS + ON_PAGE + f"size = {size}\n")).hello()["size"] == used


@pytest.mark.parametrize("where", ["def draw_page(canvas, world):\n    ", "def bot(player, world):\n    "])
def test_a_game_that_leaves_ends_its_match_and_not_the_studio(written: Callable[[str], str], where: str) -> None:
    play = Play(written(DOTS + where + "raise SystemExit('enough')\n"))
    play.send("start", against="bot")

    async def until_it_ends() -> None:
        work = asyncio.create_task(play.room.run())
        while play.room._match is not None:
            play.now += 0.02
            await asyncio.sleep(0)
            play.drain()
        work.cancel()

    awaited(until_it_ends())
    assert "SystemExit: enough" in play.of("error")[0]["text"]


def test_cues_beyond_the_limit_of_a_frame_are_left_out(written: Callable[[str], str]) -> None:
    loud = "    def advance(self, inputs):\n        for n in range(900):\n            self.cue(str(n) * 400)\n"
    play = played(written(DOTS.replace("    def advance(self, inputs):\n", loud)))
    assert play.of("cue")
    for cue in play.of("cue"):
        assert len(cue["name"]) <= LONGEST_NAME
    frames = [cue["frame"] for cue in play.of("cue") if cue["event"] == "started"]
    assert max(map(frames.count, frames)) <= 2 * MOST_CUES


def test_a_drawing_is_bounded_and_takes_only_colours_and_numbers() -> None:
    drawing = Drawing((10, 10))
    for _ in range(MOST_SHAPES + 5):
        drawing.line(0, 0, 1e9, 1, 2, "#000000")
    drawing.text(0, 0, "x" * 1000, 9, "#ffffff")
    assert len(drawing.shapes) == MOST_SHAPES
    drawing.shapes.clear()
    for wrong in ("red", "#12", (1, 2), (1, 2, 256), None):
        with pytest.raises(UsageError):
            drawing.rect(0, 0, 1, 1, wrong)
    with pytest.raises(UsageError):
        drawing.circle("one", 0, 1, "#000000")  # type: ignore[arg-type]  # what a game may do
    with pytest.raises(UsageError, match="must be numbers"):
        drawing.rect(float("nan"), 0, 1, 1, "#000000")
    assert drawing.shapes == []
    drawing.rect(-(10**400), 0, float("inf"), 1, "#000000")
    assert drawing.shapes == [["rect", -1e6, 0.0, 1e6, 1.0, "#000000"]]


def test_the_page_shows_its_table_and_its_picture(open_page: Callable[..., Any], written: Callable[[str], str]) -> None:
    with running(make_app(Settings(game=written(DOTS + ON_PAGE)))) as started:
        page = open_page("#play", address=started.address)
        start(page)
        page.wait_for_selector(".field-table td", timeout=LONG)
        assert page.inner_text(".keys").startswith("←")
        page.keyboard.down("KeyD")
        wait_until(page, lambda: page.locator("tr.changed").count() > 0)
        page.keyboard.up("KeyD")
        middle = "document.querySelector('.view canvas').getContext('2d').getImageData(2, 2, 1, 1).data[3]"
        wait_until(page, lambda: page.evaluate(middle) == 255)
        page.goto("about:blank")


def test_hostile_fields_are_text_on_the_page_and_both_columns_stay_in_sight(
    open_page: Callable[..., Any], written: Callable[[str], str]
) -> None:
    fields = """
    def fields(self):
        yield "<img src=x onerror='window.hit=1'>", "<script>window.hit=1</script>"
        yield "n" * 5000, "v" * 5000
        for number in range(9998):
            yield str(number), number
"""
    plain = """
from retick.games.fighter import Fighter
class Dots(Fighter):
    def fields(self, state):
        yield from Odd.fields(None)
class Odd:"""
    with running(make_app(Settings(game=written(plain + fields)))) as started:
        page = open_page("#play", address=started.address)
        start(page)
        page.wait_for_selector(".field-table td", timeout=LONG)
        wait_until(page, lambda: page.inner_text(".field-table caption") == "and 9500 more")
        assert page.inner_text(".field-table td >> nth=0").startswith("<img")
        place, values = (page.locator(name).bounding_box() for name in (".state-table", ".field-table th >> nth=1"))
        assert values["x"] + values["width"] <= place["x"] + place["width"] + 1
        assert page.evaluate("window.hit") is None
        page.goto("about:blank")
