"""The game of "From your classes" in docs/concepts/worlds.md runs, is deterministic, and the page shows its code."""

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

from retick.testing import assert_deterministic

pygame = pytest.importorskip("pygame")

ROOT = Path(__file__).parents[2]
FILE = ROOT / "examples" / "gunfight.py"


@pytest.fixture(scope="module")
def gunfight() -> dict[str, Any]:
    return runpy.run_path(str(FILE))


def test_a_gunfight_is_deterministic(gunfight: dict[str, Any]) -> None:
    assert_deterministic(gunfight["Gunfight"], frames=300)


def test_who_is_hit_three_times_loses_and_the_picture_can_be_drawn(gunfight: dict[str, Any]) -> None:
    game = gunfight["Gunfight"]()
    game.reset(1)
    ann, bob = game.gunners
    ann.pos, bob.pos = (100, 400), (200, 400)
    state = game.unpack_state(game.save())
    for _ in range(120):
        state = game.step(state, (0b1000, 0))
    assert (game.gunners[0].hp, game.gunners[1].hp <= 0) == (3, True)
    assert gunfight["result"](game) == "Ann wins"
    screen = pygame.Surface((640, 480))
    gunfight["draw"](screen, game, (0,))
    assert screen.get_at((100, 392)) == pygame.Color("blue")


def test_a_wall_stops_a_gunner(gunfight: dict[str, Any]) -> None:
    game = gunfight["Gunfight"]()
    game.reset(1)
    game.gunners[0].pos = (200, 240)
    for _ in range(120):
        game._advance((0b100, 0))
    assert 280 < game.gunners[0].pos.x <= 288


def test_the_page_shows_the_code_of_the_file() -> None:
    page = (ROOT / "docs" / "concepts" / "worlds.md").read_text(encoding="utf-8")
    section = page.partition("## From your classes")[2].partition("\n## ")[0]
    after = re.findall(r"```python\n(.*?)```", section, re.DOTALL)[-1]
    code = FILE.read_text(encoding="utf-8")
    pieces = [piece.strip("\n") for piece in after.split("    ...\n") if piece.strip()]
    assert len(pieces) > 2
    for piece in pieces:
        # The page declares several fields on one line; the formatter of this repository does not.
        assert piece.replace("; ", "\n    ") in code, piece
