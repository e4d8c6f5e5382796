"""Whatever opens a file to read refuses pipes, sockets, devices and folders, and does not wait for them."""

import ast
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import retick
from retick._regular_files import read_bytes, read_text, refuse_special, regular

SOURCE = Path(retick.__file__).parent
posix = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")


def special_files(folder: Path) -> dict[str, Path]:
    """Everything here that has a name and is no regular file, by what an error calls it."""
    found = {"Is a directory": folder / "folder"}
    (folder / "folder").mkdir()
    if hasattr(os, "mkfifo"):
        found["it is a pipe, not a regular file"] = folder / "pipe"
        os.mkfifo(folder / "pipe")
        found["it is a device, not a regular file"] = Path("/dev/zero")
        found["it is a socket, not a regular file"] = folder / "socket"
        with socket.socket(socket.AF_UNIX) as end:
            here = os.getcwd()
            os.chdir(folder)  # the name of a socket must be short
            try:
                end.bind("socket")
            finally:
                os.chdir(here)
    return found


def test_a_regular_file_is_opened_also_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xc3\xa9")
    assert read_bytes(tmp_path / "file") == b"\xc3\xa9"
    assert read_text(tmp_path / "file") == "é"
    refuse_special(tmp_path / "file")
    if sys.platform != "win32":
        (tmp_path / "link").symlink_to("file")
        assert read_text(tmp_path / "link", "latin-1") == "Ã©"


def test_anything_else_is_refused_at_once_and_named(tmp_path: Path) -> None:
    for said, path in special_files(tmp_path).items():
        for attempt in (read_bytes, refuse_special):
            with pytest.raises(OSError, match=said) as caught:
                attempt(path)
            assert caught.value.filename == str(path)


def test_a_missing_file_is_the_ordinary_error_and_can_be_made_by_who_writes(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_bytes(tmp_path / "gone")
    with open(tmp_path / "gone", "a+b", opener=regular) as file:
        file.write(b"x")
    assert read_bytes(tmp_path / "gone") == b"x"


@posix
def test_a_pipe_that_takes_the_place_of_a_file_after_the_first_look_is_refused_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setattr("retick._regular_files.refuse_special", lambda path: None)
    before = len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0
    with pytest.raises(OSError, match="it is a pipe"):
        read_bytes(tmp_path / "pipe")
    if sys.platform == "linux":
        assert len(os.listdir("/proc/self/fd")) == before


# No other way to open a file is used in the source.

WRITES = set("wxa")
ELSEWHERE = {
    "playing/home_router.py: read_text": "a file of the kernel",
    "cli/new.py: read_text": "a template of ours",
    "packets/wireshark.py: read_text": "a file of ours",
    "audit/interpreter.py: os.open": "the null device",
    "cli/exit_codes.py: os.open": "the null device",
    "cli/demo/peer.py: os.open": "the null device",
    "snapshot/errors.py: read_text": "a file of the package",
    "snapshot/compact/prior.py: read_text": "a file of the package",
    "replay/storage.py: os.open": "a folder, to flush it",
    "playing/key_files.py: os.open": "a new file, or the end of a log",
    "playing/match_files.py: os.open": "a new file",
    "serving/relay.py: os.open": "a new file",
    "verify/results.py: open": "a second reader of an open descriptor",
    "_regular_files.py: os.open": "the one place",
}
"""Calls that open what is not a file of the user, or only to write."""


def openings(tree: ast.AST) -> Iterator[str]:
    """The calls of a module that open a file to read without ``regular``."""
    for node in ast.walk(tree):
        last = getattr(node.func, "attr", getattr(node.func, "id", "")) if isinstance(node, ast.Call) else ""
        if not isinstance(node, ast.Call) or last not in ("open", "open_code", "read_bytes", "read_text"):
            continue
        name = ast.unparse(node.func)
        if name in ("os.open", "io.open_code") or (last in ("read_text", "read_bytes") and "." in name):
            yield name if name.startswith("os.") else last
        elif name in ("open", "io.open", "gzip.open", "lzma.open", "bz2.open") or (last == "open" and _is_path(node)):
            words = {word.arg: ast.unparse(word.value) for word in node.keywords}
            first = 0 if _is_path(node) else 1
            mode = ast.unparse(node.args[first]) if len(node.args) > first else words.get("mode", "'r'")
            if words.get("opener") != "regular" and not (WRITES & set(mode) and "+" not in mode):
                yield "open"


def _is_path(node: ast.Call) -> bool:
    """Whether this is ``x.open(mode)`` of something that looks like a path."""
    if not isinstance(node.func, ast.Attribute):
        return False
    name = ast.unparse(node.func.value)
    return name.rpartition(".")[2].lstrip("_") in ("path", "file", "part", "source", "target", "script", "manifest")


def test_planted_openings_are_found() -> None:
    planted = (
        "open(p)\nopen(p, 'rb')\npath.read_text()\nself._path.open('rb')\nos.open(p, 0)\nlzma.open(p)\npath.open()"
    )
    assert list(openings(ast.parse(planted))) == ["open", "open", "read_text", "open", "os.open", "open", "open"]
    assert not list(openings(ast.parse("open(p, 'xb')\nopen(p, 'rb', opener=regular)\npath.open('w')\nroom.open(3)")))


def test_nothing_in_the_source_opens_a_file_to_read_in_another_way() -> None:
    found = {
        f"{path.relative_to(SOURCE).as_posix()}: {call}"
        for path in SOURCE.rglob("*.py")
        for call in openings(ast.parse(path.read_text(encoding="utf-8")))
    }
    assert found == {*ELSEWHERE}
