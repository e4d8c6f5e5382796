"""examples/raiders.py: one world for rollback and for a server."""

import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from retick.audit import audit_static
from retick.sim.world.hosting import begin, check_owners, make_read_only, player_joins, player_leaves, set_host, tick
from retick.testing import assert_deterministic

ROOT = Path(__file__).parents[2]
FILE = ROOT / "examples" / "raiders.py"


@pytest.fixture(scope="module")
def raiders() -> dict[str, Any]:
    return runpy.run_path(str(FILE))


def test_raiders_are_deterministic(raiders: dict[str, Any]) -> None:
    assert_deterministic(raiders["Raiders"], frames=300)
    assert audit_static(str(FILE)).findings == ()


def test_a_server_runs_the_same_bits_as_rollback(raiders: dict[str, Any]) -> None:
    game, server, bot = raiders["Raiders"](), raiders["Raiders"](), raiders["bot"]
    check_owners(type(server))
    state = game.initial_state(5)
    begin(server, 5)
    for player in range(4):
        player_joins(server, player)
    for _ in range(300):
        wishes = [bot(player, state) for player in range(4)]
        state = game.step(state, wishes)
        assert tick(server, [wish.packed for wish in wishes]) == state.cues
    assert server.save() == state.saved
    player_leaves(server, 2)
    assert [raider.player for raider in server.raiders] == [0, 1, 3]
    tick(server, (0, 0, 0, 0))


def test_a_shot_hits_where_the_player_saw_the_other(raiders: dict[str, Any]) -> None:
    server, past = raiders["Raiders"](), raiders["Raiders"]()
    server.reset(5)
    first, second = server.raiders[:2]
    second.x, second.y = first.x, first.y
    past.load(server.save())
    make_read_only(past)
    second.x, second.y = (first.x + 320) % 640, first.y
    sent: list[tuple[bytes, Any]] = []

    class Host:
        def seen_by(self, _player: int) -> Any:
            return past

        def send(self, data: bytes, to: Any, _reliable: bool) -> None:
            sent.append((data, to))

    set_host(server, Host())
    assert ("hit", 1) in tick(server, (raiders["Wish"](fire=True), 0, 0, 0))
    assert second.jumps == 1
    assert (b"you were hit", (1,)) in sent


def test_it_runs_as_a_program() -> None:
    run = subprocess.run([sys.executable, str(FILE)], capture_output=True, text=True, check=True, cwd=ROOT)
    assert "end on 0x" in run.stdout


def test_the_page_shows_its_lines() -> None:
    page = (ROOT / "docs" / "concepts" / "worlds.md").read_text(encoding="utf-8")
    lines = {line.strip() for line in FILE.read_text(encoding="utf-8").splitlines()}
    section = page.partition("## Which player owns a thing")[2].partition("## Sounds and effects")[0]
    shown = re.findall(r"```python\n(.*?)```", section, flags=re.DOTALL)
    assert len(shown) == 4
    assert [line for block in shown for line in block.splitlines() if line.strip() not in lines] == []


def test_what_is_far_is_not_seen(raiders: dict[str, Any]) -> None:
    game = raiders["Raiders"]()
    game.reset(1)
    raider, coin = game.raiders[0], game.coins[0]
    coin.x, coin.y = raider.x, raider.y
    assert game.visible(0, coin)
    assert game.viewpoint(0) == (raider.x, raider.y)
    coin.x = raider.x + 301
    assert not game.visible(0, coin)
