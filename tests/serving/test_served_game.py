"""Which games can be served, and what is said of the others."""

import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest

from retick import replay
from retick.audit.game_loader import locate_game
from retick.authority import WorldServer
from retick.errors import UsageError
from retick.netrunner import LAN, NetRunner, RunnerConfig, Server
from retick.serving.plan import ServePlan
from retick.serving.served_game import server_for

GAMES = """
from retick.netrunner import NetRunner
from retick.sim import Thing, World, U8

ready_made = NetRunner()

def factory():
    return NetRunner()

def broken():
    raise ValueError("no map")

class Ball(Thing):
    x: U8

class Duel(World):
    num_players = 2
    score: U8 = 0
    def advance(self, inputs):
        pass

class Still(World):
    num_players = 2
    score: U8 = 0

duel = Duel()
number = 7
"""


def plan_of(folder: Path, name: str, **more: object) -> ServePlan:
    file = folder / "served_games.py"
    file.write_text(GAMES)
    return ServePlan(game=locate_game(f"{file}:{name}"), **more)  # type: ignore[arg-type]  # any of its fields


def test_the_runner_is_served_with_its_own_numbers_and_a_front_gets_the_same_link() -> None:
    served = server_for(ServePlan(runner=asdict(LAN), rooms=("", "room 2")))
    assert isinstance(served.server, Server)
    assert served.server.profile.config == LAN
    assert list(served.server.rooms) == ["", "room 2"]
    own = served.server._link.config
    for name in ("game_id", "game_version", "tick_rate", "capabilities"):
        assert getattr(served.link, name) == getattr(own, name)


def test_without_deltas_the_front_offers_none_either() -> None:
    served = server_for(ServePlan(runner=asdict(RunnerConfig()), fixed=True))
    assert served.link.capabilities == served.server._link.config.capabilities == 0


@pytest.mark.parametrize("name", ["ready_made", "factory", "NetRunner"])
def test_a_profile_is_an_object_or_what_makes_one(tmp_path: Path, name: str) -> None:
    assert isinstance(server_for(plan_of(tmp_path, name)).server.profile, NetRunner)


@pytest.mark.parametrize(
    ("name", "more", "words"),
    [
        ("nothing", {}, "has no 'nothing'"),
        ("number", {}, "number cannot be served: it is neither a declared world's class nor a profile"),
        ("broken", {}, r"broken cannot be called without arguments to make a game \(ValueError: no map\)"),
        ("Still", {}, "Still has no advance"),
        ("Ball", {}, r"^Ball is a Thing, which is part of a game: name a World \(in served_games: Duel, Still\)$"),
        ("duel", {}, "duel is a world, not its class: name the class"),
        ("Duel", {"fixed": True}, "--fixed is for games with fixed snapshots, and Duel is a declared world"),
        ("Duel", {"players": 3}, "Duel has num_players = 2: --players cannot change it"),
        ("ready_made", {"record": "."}, "--record is for declared worlds"),
        ("ready_made", {"tick_rate": 30}, "ready_made sets these itself"),
    ],
)
def test_what_cannot_be_served_is_told_in_one_line(
    tmp_path: Path, name: str, more: dict[str, object], words: str
) -> None:
    with pytest.raises(UsageError, match=words) as told:
        server_for(plan_of(tmp_path, name, **more))
    assert "\n" not in str(told.value)


def test_a_declared_world_is_served_and_recorded_to_the_end(tmp_path: Path) -> None:
    served = server_for(
        plan_of(tmp_path, "Duel", rooms=("", "a b"), record=str(tmp_path), tick_rate=30, snapshot_rate=10)
    )
    server = served.server
    assert isinstance(server, WorldServer)
    own = server._link.config
    for name in ("game_id", "game_version", "tick_rate", "capabilities"):
        assert getattr(served.link, name) == getattr(own, name)
    for tick in range(70):
        server.handle_timeout(now=tick / 30)
    for room in list(server.rooms):
        server.close_room(room)
    files = sorted(tmp_path.glob("*.rtk"))
    assert [file.name.rsplit("-", 3)[0] for file in files] == ["room-", "room-a-b"]
    assert [replay.load(file).frame_count for file in files] == [70, 70]


@pytest.mark.parametrize(("ticks", "snapshots"), [(30, 15), (60, 20), (50, 10), (7, 7)])
def test_a_tick_rate_alone_gets_snapshots_that_fit_it(tmp_path: Path, ticks: int, snapshots: int) -> None:
    config = server_for(plan_of(tmp_path, "Duel", tick_rate=ticks)).server.config
    assert (config.tick_rate, config.snapshot_rate) == (ticks, snapshots)


@pytest.fixture
def imported(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Modules of these names are imported anew, and forgotten afterwards."""
    names = ("hooks", "served_games")
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    yield
    for name in names:
        sys.modules.pop(name, None)
    sys.modules.update(before)


HOOKS = """
from retick.authority import RoomHooks

class hooks(RoomHooks):
    def opened(self, room):
        room.add_bot(lambda player, world: 0, "robot")
"""


@pytest.mark.parametrize("place", ["hooks.py", "served_games.py"])
def test_hooks_are_found_in_the_games_module_or_beside_it(tmp_path: Path, place: str, imported: None) -> None:
    plan = plan_of(tmp_path, "Duel", rooms=("", "b"))
    with (tmp_path / place).open("a") as file:
        file.write(HOOKS)
    server = server_for(plan).server
    assert [[player.name for player in room.players.values()] for room in server.rooms.values()] == [["robot"]] * 2


def test_hooks_that_are_none_are_named(tmp_path: Path, imported: None) -> None:
    plan = plan_of(tmp_path, "Duel")
    with (tmp_path / "served_games.py").open("a") as file:
        file.write("hooks = 7\n")
    with pytest.raises(UsageError, match=r"hooks must be a retick\.authority\.RoomHooks"):
        server_for(plan)
