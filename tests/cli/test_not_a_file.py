"""A command that is given a pipe, a socket, a device or a folder instead of a file says so, and waits for nothing."""

import io
import itertools
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import NoReturn

import pytest

from tests.cli.conftest import Run
from tests.cli.strangers import READS, STARTS, make_folder
from tests.cli.test_exit_codes import INTERRUPTS
from tests.test_regular_files import special_files

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")

SECONDS = 20
"""Most seconds of a command: one that waits for a pipe would take for ever."""
FILES = {
    "ann.token", "config.json", "full.snap", "keys.log", "manifest.csv", "manifest.parquet", "match.desync",
    "match.rplk", "match.rtk", "match.rtkc", "matches.parquet", "matches.tar", "matches.tar.xz", "notes.rtkt",
    "own.desync", "own.identity", "own.rtk", "prior", "relay.key", "rows.jsonl", "rows.parquet", "schema.json",
    "script.txt", "server.key", "tokens.key", "trace.bin", "trace.bin.xz",
}  # fmt: skip
"""Words that name a file to read."""
CASES = [
    (command, words, at)
    for command, lines in itertools.chain(READS.items(), STARTS.items())
    for words in lines
    for at, word in enumerate(words)
    if word in FILES and command != "play"  # its window reads the key, as host does
]
MAY_BE_A_FOLDER = {"packet", "replay verify", "snapshot explain", "snapshot train"}
"""Commands whose argument may be a folder."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(make_folder(tmp_path, "never_imported"))
    return tmp_path


@pytest.fixture(autouse=True)
def in_time() -> Iterator[None]:
    def too_late(_number: int, _frame: FrameType | None) -> NoReturn:
        raise AssertionError("the command waits")

    before = signal.signal(signal.SIGALRM, too_late)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def test_every_word_that_names_a_file_is_tried(folder: Path) -> None:
    words = {word for lines in (READS | STARTS).values() for line in lines for word in line}
    assert {word for word in words if (folder / word).is_file()} <= FILES <= {*words}


@pytest.mark.parametrize(("command", "words", "at"), CASES, ids=[f"{c}: {w[at]}" for c, w, at in CASES])
@pytest.mark.parametrize("kind", ["pipe", "socket", "device", "directory"])
def test_what_is_no_file_is_refused_in_a_line_that_names_it(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, command: str, words: list[str], at: int, kind: str
) -> None:
    def interrupted(*_given: object, **_named: object) -> NoReturn:
        raise KeyboardInterrupt

    path = next(path for said, path in special_files(folder).items() if kind in said)
    # The ending stays, since some commands choose the format by it.
    name = folder / f"odd{''.join(Path(words[at]).suffixes)}"
    name.symlink_to(path)
    if command in STARTS:
        monkeypatch.setattr(INTERRUPTS[command][1], interrupted)
    code, out, err = run(*command.split(), *words[:at], name, *words[at + 1 :])
    assert "Traceback" not in out + err
    if kind == "directory" and (at == 0 or not words[at - 1].startswith("--")) and command in MAY_BE_A_FOLDER:
        return
    assert code in (1, 2), out + err
    assert name.name in out + err
    assert ("irectory" if kind == "directory" else f"it is a {kind}, not a regular file") in out + err


def test_a_pipe_in_a_folder_of_replays_is_a_row(run: Run, folder: Path) -> None:
    os.mkfifo(folder / "odd.rtk")
    code, out, _ = run("replay", "verify", folder, "--game", "retick.fighter")
    assert code == 1
    assert f"unreadable  {folder / 'odd.rtk'}: it is a pipe, not a regular file\n" in out
    assert "match.rtk" not in out


def test_a_pipe_in_a_folder_of_sources_or_packets_is_passed_over_or_named(run: Run, folder: Path) -> None:
    os.mkfifo(folder / "snapshots" / "0.snap")
    assert run("snapshot", "explain", "snapshots", "--schema", "schema.json", "--lag", 1)[0] == 0
    assert run("packet", "snapshots", "--schema", "schema.json")[0] == 0
    (folder / "code").mkdir()
    (folder / "code" / "game.py").write_text("import other\n")
    os.mkfifo(folder / "code" / "other.py")
    code, out, err = run("audit", "code", "--static-only")
    assert (code, out) == (2, "")
    assert err.endswith("other.py: it is a pipe, not a regular file\n")


@pytest.mark.parametrize("words", [["play"], ["replay", "verify", "own.rtk", "--project"]])
def test_a_project_that_is_a_pipe_is_refused(run: Run, folder: Path, words: list[str]) -> None:
    pytest.importorskip("pygame")
    (folder / "pyproject.toml").unlink()
    os.mkfifo(folder / "pyproject.toml")
    code, _, err = run(*words)
    assert (code, err) == (2, "retick: pyproject.toml: it is a pipe, not a regular file\n")


@pytest.mark.parametrize("name", ["-", "/dev/stdin"])
def test_standard_input_is_read_where_it_is_asked_for(run: Run, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(bytes.fromhex("52424e3101000100000001020000000300"))))
    code, out, _ = run("packet", name)
    assert code == 0
    assert out.startswith("RBN1")
