"""``retick desync explain``: exit codes, plain lines, JSON."""

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from retick.audit.desync.bundle import save_bundle
from retick.cli.app import app
from retick.games.scramble import Scramble
from retick.sim.world import WorldSimulation
from tests.audit.desync.desync_builds import BOX, write_build
from tests.audit.desync.desyncs import bundles, load_build
from tests.checkers.arenas import Tampered
from tests.rollback.desync.planted import FieldChanged, UnsavedAttribute


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, ["desync", "explain", *arguments])


@pytest.fixture(scope="module")
def fight(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("fight") / "fight.desync"
    save_bundle(path, bundles([FieldChanged(), FieldChanged(at=40)], last_agreed=32)[0])
    return str(path)


def test_a_bundle_of_a_known_game_is_explained_by_itself(fight: str) -> None:
    result = run(fight)
    assert result.exit_code == 0
    assert "the peers diverge at frame 41; last agreed at frame 40" in result.output
    assert "retick.games.fighter:Fighter gives the state of peer 0" in result.output


def test_json_says_the_same(fight: str) -> None:
    result = run(fight, "--json", "--game", "retick.fighter")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found["explained"] is True
    assert found["report"]["first_differing"] == 41
    assert found["sides"][0]["reproduces"] == [0]


def test_two_builds_are_compared_and_a_third_explains_nothing(tmp_path: Path) -> None:
    good = write_build(tmp_path, "good", BOX) + ":Game"
    late = write_build(tmp_path, "late", BOX, ("inputs[1] >= 3", "inputs[1] >= 3 + (state.frame > 30)")) + ":Game"
    other = write_build(tmp_path, "other", BOX, ("SPEED = 40", "SPEED = 50")) + ":Game"
    file = str(tmp_path / "match.desync")
    save_bundle(file, bundles([load_build(good), load_build(late)])[1])
    result = run(file, "--game-a", good, "--game-b", late)
    assert result.exit_code == 0
    assert "the two runs run different lines" in result.output
    assert run(file, "--game", other).exit_code == 1
    unnamed = run(file)
    assert unnamed.exit_code == 1
    assert "rules:Game" in unnamed.output


def test_misuse_is_said(fight: str, tmp_path: Path) -> None:
    for misuse in (["--game-a", "x:Y"], ["--game", "x:Y", "--game-a", "x:Y", "--game-b", "x:Y"]):
        result = run(fight, *misuse)
        assert result.exit_code == 2
        assert "give --game, or both --game-a and --game-b" in result.stderr
    (tmp_path / "no.desync").write_bytes(b"nothing")
    bad = run(str(tmp_path / "no.desync"))
    assert bad.exit_code == 1
    assert "no.desync: not a desync bundle" in bad.stderr
    missing = run(str(tmp_path / "none.desync"))
    assert missing.exit_code == 2
    assert "none.desync: No such file" in missing.stderr
    assert "Example: retick desync explain" in run("--help").output


@pytest.mark.parametrize(
    ("game", "hint"),
    [
        ("tests.toys:Tally", "--game tests.toys:Tally (so says the file)"),
        ("mygame:Game", "--game file.py:Game (the file says mygame:Game, and there is no such module here)"),
        ("__main__:Game", "--game file.py:Game (the file says __main__:Game, and there is no such module here)"),
        ("", "--game module:Class"),
        ("x; rm -rf ~", "--game module:Class"),
        ("$(reboot):Game", "--game module:Class"),
        ("../evil.py:Game", "--game module:Class"),
        ("gаme:Game", "--game module:Class"),  # noqa: RUF001 - a Cyrillic letter, on purpose
        ("a:b:c", "--game module:Class"),
        ("a.:b", "--game module:Class"),
    ],
)
def test_a_game_that_a_file_names_is_suggested_only_if_it_is_a_plain_name_and_never_run(
    game: str, hint: str, tmp_path: Path
) -> None:
    (bundle, _) = bundles([FieldChanged(), FieldChanged(at=40)], last_agreed=32)
    assert bundle.around is not None
    path = tmp_path / "x.desync"
    unknown = bundle.around.replace(game_id="")
    save_bundle(path, replace(bundle, game=game, around=unknown, recordings={}))
    result = run(str(path))
    assert result.exit_code == 1
    assert result.output.rstrip().endswith(f"\nto run it again: retick desync explain {path} {hint}")


def test_the_command_for_the_game_of_the_project_is_printed_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bundle, _) = bundles([FieldChanged(), FieldChanged(at=40)], last_agreed=32)
    assert bundle.around is not None
    path = tmp_path / "my match.desync"
    unknown = bundle.around.replace(game_id="")
    save_bundle(path, replace(bundle, game="mygame:Game", around=unknown, recordings={}))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text("[tool.retick]\ngame = 'game.py:Game'\n")
    said = "to run it again: retick desync explain 'my match.desync' --project (the game of this folder), or --game "
    assert said in run("my match.desync").output
    (tmp_path / "pyproject.toml").write_text("[tool")
    assert "to run it again: retick desync explain 'my match.desync' --game " in run("my match.desync").output


def suggested(path: Path) -> str:
    hint = run(str(path)).output.rstrip().splitlines()[-1]
    assert hint.endswith("(so says the file)")
    return hint.split("--game ")[1].split()[0]


def test_a_mutable_world_that_is_suggested_can_be_run(tmp_path: Path) -> None:
    worlds = [UnsavedAttribute(), UnsavedAttribute()]
    worlds[1].combo = 5
    sims = [WorldSimulation(world) for world in worlds]
    path = tmp_path / "world.desync"
    save_bundle(path, bundles(sims)[0])
    result = run(str(path), "--game", suggested(path))
    assert result.stderr == ""
    assert "run again: tests.rollback.desync.planted:UnsavedAttribute gives the state of" in result.output


def test_a_known_game_is_run_with_as_many_players_as_the_match_had(tmp_path: Path) -> None:
    def odd() -> Tampered:
        return Tampered(Scramble(3), when=lambda state: state.frame == 40, change=lambda s: s.replace(rng=s.rng ^ 4))

    path = tmp_path / "scramble.desync"
    save_bundle(path, bundles([Scramble(3), Scramble(3), odd()])[0])
    result = run(str(path))
    assert result.stderr == ""
    assert "retick.games.scramble:Scramble gives the state of peers 0 and 1" in result.output


def test_a_bundle_over_its_budget_is_refused_with_the_option_that_raises_it(fight: str, tmp_path: Path) -> None:
    path = tmp_path / "large.desync"
    with zipfile.ZipFile(fight) as source, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as target:
        for entry in source.namelist():
            target.writestr(entry, source.read(entry))
        target.writestr("recordings/0.rtk", bytes(40 << 20))
    result = run(str(path))
    assert result.exit_code == 1
    assert "--budget MIB" in result.stderr
    assert str(path) in result.stderr
    assert "--budget" not in run(str(path), "--budget", "64").output
