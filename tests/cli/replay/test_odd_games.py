"""``retick replay`` and ``retick synctest`` with games that raise, that hold odd values, and files that clash."""

import json
from pathlib import Path

import pytest

from retick import replay
from retick.errors import DeterminismError
from retick.games.fighter.bots import bout
from retick.testing import determinism
from tests.cli.replay.test_replay_commands import Run, run

__all__ = ["run"]

GAMES = '''
from retick.sim import WorldSimulation

class Touchy:
    """Raises when player 0 presses 9."""
    num_players = 2
    game_id, game_version = "touchy", 1
    def initial_state(self, seed): return 0
    def step(self, state, inputs):
        if inputs[0] == 9:
            raise KeyError("nine")
        return state + 1
    def checksum(self, state): return state
    def fields(self, state): return [("state", state), ("raw", bytes([state])), ("kind", Touchy)]
'''


@pytest.fixture
def game(tmp_path: Path) -> str:
    (tmp_path / "games.py").write_text(GAMES)
    return f"{tmp_path / 'games.py'}:Touchy"


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Good, bad for the game, good."""
    paths = []
    for name, pressed in (("a", 1), ("b", 9), ("c", 2)):
        paths.append(tmp_path / f"{name}.rplk")
        replay.save(paths[-1], replay.Replay(seed=1, frames=[(0, 0), (pressed, 0)]))
    return paths


def test_a_game_that_raises_on_one_file_does_not_stop_the_rest(run: Run, game: str, files: list[Path]) -> None:
    code, out, err = run("replay", "verify", *files, "--game", game)
    assert code == 1
    assert [line[:4] for line in out.splitlines()] == ["ok  ", "ok  "]
    assert f"{files[1]}: the game raised KeyError: 'nine' (" in err
    assert "1 of 3 files are bad" in err


@pytest.mark.parametrize("command", ["record", "diff", "play"])
def test_a_game_that_raises_is_told_in_one_line(
    run: Run, game: str, files: list[Path], tmp_path: Path, command: str
) -> None:
    script = tmp_path / "script.txt"
    script.write_text("3 9 0\n")
    words: dict[str, list[object]] = {
        "record": [tmp_path / "new.rtk", "--script", script],
        "diff": [files[0], files[1]],
        "play": [files[1]],
    }
    code, _, err = run("replay", command, *words[command], "--game", game)
    assert code == 1
    assert err.startswith("retick: the game raised KeyError: 'nine' (")
    assert not (tmp_path / "new.rtk").exists()


def test_fields_that_json_has_no_form_for_are_exported_as_text(run: Run, game: str, files: list[Path]) -> None:
    code, out, _ = run("replay", "export", files[0], "--states", "--game", game)
    assert code == 0
    state = json.loads(out.splitlines()[-1])["state"]
    assert (state["state"], state["raw"]) == (2, "02")
    assert "Touchy" in state["kind"]


def test_an_export_that_fails_leaves_no_half_file_and_the_old_one_alone(
    run: Run, game: str, files: list[Path], tmp_path: Path
) -> None:
    into = tmp_path / "into"
    into.mkdir()
    (into / "b.jsonl").write_text("earlier")
    assert run("replay", "export", *files, "--into", into, "--states", "--game", game)[0] == 1
    assert sorted(path.name for path in into.iterdir()) == ["a.jsonl", "b.jsonl", "c.jsonl"]
    assert (into / "b.jsonl").read_text() == "earlier"


def test_two_files_of_one_name_do_not_overwrite_each_other(run: Run, tmp_path: Path) -> None:
    paths = []
    for folder, frames in (("one", 20), ("two", 30)):
        (tmp_path / folder).mkdir()
        paths.append(tmp_path / folder / "match.rplk")
        replay.save(paths[-1], replay.Replay(seed=1, frames=bout(1, frames)))
    into = tmp_path / "into"
    into.mkdir()
    code, _, err = run("replay", "export", *paths, "--into", into)
    assert code == 2
    assert f"{paths[1]}: it would overwrite" in err
    assert len((into / "match.jsonl").read_text().splitlines()) == 21


def test_a_number_of_frames_too_long_to_read_is_named(run: Run, tmp_path: Path) -> None:
    script = tmp_path / "script.txt"
    script.write_text("9" * 5000 + " . .\n")
    code, _, err = run("replay", "record", tmp_path / "new.rtk", "--script", script)
    assert code == 2
    assert "line 1 of the script: a script holds up to" in err


def test_what_a_file_says_of_itself_does_not_speak_to_the_terminal(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "match.rtk"
    replay.save(path, replay.Replay(seed=1, frames=b"", game_id="a\x1b[2J", metadata={"k\r": "v\x07"}))
    code, out, _ = run("replay", "info", path)
    assert code == 0
    assert all(line.isprintable() for line in out.splitlines())
    assert "a\\x1b[2J" in out


def test_the_seed_after_the_last_is_the_first(run: Run) -> None:
    code, _, err = run("synctest", "retick.games.fighter:Fighter", "--frames", 20, "--seed", 0xFFFFFFFF)
    assert (code, err) == (0, "")


class Thorny:
    """Counts its own calls, and breaks where an input is left out."""

    num_players = 1

    def __init__(self) -> None:
        self.calls = 0

    def initial_state(self, seed: int) -> tuple[int, int]:
        return (0, 0)

    def step(self, state: tuple[int, int], inputs: tuple[int]) -> tuple[int, int]:
        if inputs[0] != state[0] + 1:
            raise RuntimeError("out of order")
        self.calls += 1
        return (state[0] + 1, self.calls if state[0] >= 5 else 0)

    def checksum(self, state: tuple[int, int]) -> int:
        return state[1]

    def fields(self, state: tuple[int, int]) -> list[tuple[str, int]]:
        return [("calls", state[1])]


def test_shrinking_steps_over_inputs_on_which_the_game_breaks_otherwise() -> None:
    rows = [(frame + 1,) for frame in range(10)]
    failure = determinism.Failure(seed=1, inputs=rows, error=DeterminismError("calls", frame=6))
    assert determinism.shrink(Thorny, failure, distance=3).inputs == rows[:6]
