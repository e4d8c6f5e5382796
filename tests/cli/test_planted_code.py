"""Commands that open files run no code that the files' folder, an archive or the working directory names."""

import itertools
from pathlib import Path
from typing import Any, NoReturn

import pytest

from retick import replay
from retick.cli.replay import play as replay_play
from tests.cli.conftest import Run
from tests.cli.strangers import (
    MARK,
    READS,
    STARTS,
    WRITERS,
    WRITTEN,
    commands,
    file_parameters,
    leave_mark,
    make_folder,
)
from tests.cli.test_exit_codes import INTERRUPTS

COMMANDS = dict(commands())
TAKES_THE_PROJECTS_GAME = {"play"}
"""Commands about a game: without a name they take the game of the project in the working directory."""
LINES = [(command, words) for command, lines in READS.items() for words in lines]
_names = itertools.count()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A stranger's folder. Its game has a module name of its own: a second import would leave no mark."""
    folder = tmp_path / "strange"
    folder.mkdir()
    return make_folder(folder, f"planted_{next(_names)}")


def in_folder(folder: Path, words: list[str]) -> list[str]:
    """The words with whole paths of what is in the folder, for a command that runs elsewhere."""
    return [str(folder / word) if "*" in word or (word and (folder / word).exists()) else word for word in words]


def test_every_command_that_names_a_file_is_tried_here_with_all_its_options() -> None:
    with_files = {name for name, command in COMMANDS.items() if file_parameters(command)}
    assert with_files == {*READS, *STARTS, *WRITERS}
    for name, lines in (READS | STARTS).items():
        words = {word for line in lines for word in line}
        assert file_parameters(COMMANDS[name]) - {"FILE"} - WRITTEN <= words, name


@pytest.mark.parametrize(("command", "words"), LINES, ids=[f"{c}: {' '.join(w)}" for c, w in LINES])
@pytest.mark.parametrize("is_inside", [True, False], ids=["inside", "outside"])
def test_a_command_that_opens_files_imports_nothing_that_the_folder_names(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, command: str, words: list[str], is_inside: bool
) -> None:
    here = folder if is_inside else folder.parent
    monkeypatch.chdir(here)
    code, out, err = run(*command.split(), *(words if is_inside else in_folder(folder, words)))
    assert not (folder / MARK).exists()
    assert "Traceback" not in out + err
    is_refused = "own.rtk" in words and command in ("replay diff", "replay export", "replay play")
    assert code in ((1, 2) if is_refused and "--into" not in words else (0, 1, 2, 3)), out + err


@pytest.mark.parametrize("command", sorted({*COMMANDS} - TAKES_THE_PROJECTS_GAME))
def test_no_other_command_imports_the_projects_game_unasked(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    def interrupted(*_given: object, **_named: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.chdir(folder)
    words, where = INTERRUPTS[command]
    monkeypatch.setattr(where, interrupted)
    assert run(*command.split(), *words)[0] == 130
    assert not (folder / MARK).exists()


PROJECT = [
    ("replay verify", ["own.rtk"]),
    ("replay verify", ["."]),
    ("replay verify", ["matches.tar"]),
    ("replay diff", ["own.rtk", "own.rtk"]),
    ("replay export", ["own.rtk", "--states"]),
    ("replay play", ["own.rtk"]),
    ("desync explain", ["own.desync"]),
]


def test_each_command_with_the_option_is_tried_below() -> None:
    having = {name for name, command in COMMANDS.items() if any("--project" in each.opts for each in command.params)}
    assert having == {command for command, _ in PROJECT} | {"studio"}


@pytest.mark.parametrize(("command", "words"), PROJECT, ids=[f"{c}: {' '.join(w)}" for c, w in PROJECT])
def test_the_projects_game_is_run_if_it_is_asked_for(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, command: str, words: list[str]
) -> None:
    monkeypatch.chdir(folder)
    code, out, err = run(*command.split(), *words, "--project")
    assert (folder / MARK).exists(), out + err
    assert code in ((0, 1) if "." in words or command == "desync explain" else (0,)), out + err


def test_the_studio_takes_the_projects_game_if_it_is_asked_to(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    games: list[Any] = []
    monkeypatch.setattr("retick.studio.run.serve", lambda settings, **_rest: games.append(settings.game))
    monkeypatch.chdir(folder)
    assert run("studio", "--port", 0)[0] == 0
    assert not (folder / MARK).exists()
    assert run("studio", "--port", 0, "--project")[0] == 0
    assert (folder / MARK).exists()
    assert games[0] is None
    assert games[1].endswith(":Own")


@pytest.mark.parametrize(
    "words",
    ["replay verify own.rtk", "replay play own.rtk", "replay diff own.rtk own.rtk", "replay export own.rtk --states"],
)
def test_who_needs_a_game_is_told_what_to_type(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.chdir(folder)
    _, out, err = run(*words.split())
    assert "'somebody.own', which is not known here: add --game module:Class, or --project for the game" in out + err


def test_who_explains_a_desync_without_a_game_is_told_what_to_type(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    code, out, _ = run("desync", "explain", "own.desync")
    assert code == 1
    assert "to run it again: retick desync explain own.desync --project (the game of this folder), or --game " in out


@pytest.mark.parametrize("words", [words for words in PROJECT if words[1] != ["."]], ids=lambda words: words[0])
def test_a_folder_without_a_project_has_no_game_to_take(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, list[str]]
) -> None:
    monkeypatch.chdir(folder.parent)
    code, _, err = run(*words[0].split(), *in_folder(folder, words[1]), "--project")
    assert (code, err[: err.index("names")]) == (2, "retick: --project: no pyproject.toml here ")
    code, _, err = run(*words[0].split(), *in_folder(folder, words[1]), "--project", "--game", "a:B")
    assert (code, err) == (2, "retick: name the game or give --project, not both\n")


def test_a_window_of_the_projects_game_opens_only_if_it_is_asked_for(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str | None] = []

    def play_in_window(game: str | None, *_rest: object) -> bool:
        opened.append(game)
        return True

    monkeypatch.chdir(folder)
    monkeypatch.setattr(replay_play, "play_in_window", play_in_window)
    (folder / "window.py").write_text(leave_mark(folder))
    assert run("replay", "play", "match.rtk", "--window")[0] == 0
    assert opened == [None]
    assert not (folder / MARK).exists()
    assert run("replay", "play", "own.rtk", "--window", "--project")[0] == 0
    assert (folder / MARK).exists()
    assert replay.load(folder / "own.rtk").game_id == "somebody.own"
