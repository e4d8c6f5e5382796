"""One way from a name to a game: modules, files, factories, finished games, ids, and all that can be wrong."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from retick.audit.game_loader import GAME_IDS, import_game, load_game, locate_game, made_for, worlds_in
from retick.errors import UsageError
from retick.games.fighter import Fighter
from retick.games.scramble import Scramble
from retick.sim.world import WorldSimulation

GAME = """
from beside import PLAYERS

class Game:
    num_players = PLAYERS
    def initial_state(self, seed): return 0
    def step(self, state, inputs): return state
    def checksum(self, state): return 0
    def fields(self, state): return []

class Outer:
    Inner = Game

def factory(): return Game()
finished = Game()
number = 7

class NeedsMore(Game):
    def __init__(self, more): ...

class Half:
    num_players = 2

class World:
    def __init__(self, num_players=2): self.num_players = num_players
    def reset(self, seed): ...
    def advance(self, inputs): ...
    def save(self): return b""
    def load(self, saved): ...
    def fields(self): return []
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file with games, and a module beside it that it imports."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    for name in ("beside", "some_games"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    (tmp_path / "beside.py").write_text("PLAYERS = 3")
    (tmp_path / "some_games.py").write_text(GAME)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name in ("beside", "some_games"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("name", ["Game", "Outer.Inner", "factory", "finished"])
@pytest.mark.parametrize("form", ["some_games", "some_games.py", "./some_games.py"])
def test_classes_factories_and_finished_games_are_found_by_module_and_by_file(
    place: Path, form: str, name: str
) -> None:
    game = load_game(f"{form}:{name}")()
    assert game.num_players == 3


def test_the_games_of_this_library_have_ids() -> None:
    assert isinstance(load_game("retick.fighter")(), Fighter)
    for game_id, name in GAME_IDS.items():
        assert locate_game(game_id) == locate_game(name)
        assert load_game(game_id)().game_id == game_id


def test_each_call_makes_a_new_game(place: Path) -> None:
    factory = load_game("some_games:Game")
    assert factory() is not factory()


def test_nothing_is_imported_to_find_the_place(place: Path) -> None:
    where = locate_game("some_games:Game")
    assert where == {"root": str(place.resolve()), "module": "some_games", "attribute": "Game"}
    assert "some_games" not in sys.modules
    assert import_game(**where)().num_players == 3


def test_a_file_is_found_although_another_module_has_its_name(place: Path) -> None:
    (place / "json.py").write_text(GAME)
    assert load_game("json.py:Game")().num_players == 3
    other = place / "other"
    other.mkdir()
    (other / "some_games.py").write_text(GAME.replace("PLAYERS\n\n", "PLAYERS\nPLAYERS = 5\n\n"))
    assert load_game("some_games.py:Game")().num_players == 3
    assert load_game("other/some_games.py:Game")().num_players == 5


def test_a_file_whose_name_is_no_identifier_is_found(place: Path) -> None:
    (place / "my-game.py").write_text(GAME)
    assert load_game("my-game.py:Game")().num_players == 3


def test_a_module_without_source_can_be_played(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built = ModuleType("built_elsewhere")
    built.Game = Fighter  # type: ignore[attr-defined]  # stands for an extension module
    monkeypatch.setitem(sys.modules, "built_elsewhere", built)
    assert isinstance(load_game("built_elsewhere:Game")(), Fighter)


ONE_WORLD = """
from retick.sim import Thing, World as Base
class Ball(Thing):
    x: int = 0
class Pong(Base):
    num_players = 2
    balls: list[Ball]
    def advance(self, inputs): ...
"""


@pytest.mark.parametrize("name", ["pong.py", "pong", "pong.py:Pong"])
def test_a_file_with_one_world_needs_no_class(place: Path, name: str) -> None:
    (place / "pong.py").write_text(ONE_WORLD)
    assert type(load_game(name)()).__name__ == "Pong"
    assert locate_game(name)["attribute"] == "Pong"


def test_of_several_worlds_in_a_file_one_is_named(place: Path) -> None:
    (place / "pong.py").write_text(ONE_WORLD + "class Four(Pong):\n    num_players = 4\n")
    with pytest.raises(UsageError, match=r"^pong\.py has several worlds: name one of pong\.py:Pong, pong\.py:Four$"):
        locate_game("pong.py")
    assert worlds_in("pong.py") == ("Pong", "Four")


def test_where_no_world_is_looked_for_there_is_none(place: Path) -> None:
    (place / "wrong.py").write_text("def (")
    (place / "latin.py").write_bytes(b"# \xff")
    for name in ("some_games", "wrong.py", "latin.py", ".", "missing.py", "retick.games.fighter:Fighter"):
        assert worlds_in(name) == ()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("some_games", "a game must be named as module:Class or file.py:Class, not 'some_games'"),
        ("nothing.py:Game", "no file or directory is called nothing.py"),
        ("nothing.py", "no file or directory is called nothing.py"),
        ("nothing_at_all:Game", "no module is called 'nothing_at_all'"),
        ("some_games:Nobody", "some_games has no 'Nobody'"),
        ("some_games:number", "number cannot be called without arguments to make a game"),
        ("some_games:NeedsMore", "NeedsMore cannot be called without arguments to make a game"),
        ("some_games:Half", "Half is not a game: it has no initial_state, step, checksum, fields"),
        ("wrong.py:Game", "wrong cannot be imported: SyntaxError"),
        ("raising.py:Game", "raising cannot be imported: ZeroDivisionError"),
        ("leaving.py:Game", "leaving cannot be imported: it ends the program"),
    ],
)
def test_whatever_is_wrong_with_a_name_is_misuse_in_the_same_words(place: Path, name: str, words: str) -> None:
    (place / "wrong.py").write_text("def (")
    (place / "raising.py").write_text("1 // 0")
    (place / "leaving.py").write_text("raise SystemExit(3)")
    with pytest.raises(UsageError) as caught:
        load_game(name)
    assert words in str(caught.value)


def test_a_class_of_mutable_worlds_gets_its_adapter(place: Path) -> None:
    make = load_game("some_games:World")
    assert isinstance(make(), WorldSimulation)
    assert (make().num_players, made_for(make, 5).num_players) == (2, 5)


def test_a_game_is_made_for_the_number_of_players_if_it_can_be(place: Path) -> None:
    assert made_for(Scramble, 4).num_players == 4
    assert made_for(Scramble, 2).num_players == 2
    assert made_for(Scramble, 99).num_players == Scramble().num_players
    assert made_for(load_game("some_games:Game"), 2).num_players == 3


def test_a_game_of_the_program_that_was_run_has_no_module_to_import(place: Path) -> None:
    with pytest.raises(UsageError, match=r"name its file, as file\.py:Game"):
        locate_game("__main__:Game")
