"""``retick token``: keys, tokens, and what is shown of them."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from typer.testing import CliRunner

from retick.cli.app import app
from retick.cli.exit_codes import MISUSE, NO
from retick.playing.key_files import load_identity, load_server_key, load_token_key, make_token_key
from retick.tokens import from_text, issue, key_id_of, open_token, to_text

SERVER_KEY = "5a" * 32


def run(*arguments: Any) -> Result:
    return CliRunner().invoke(app, ["token", *map(str, arguments)])


def issued(folder: Path, *more: Any) -> Result:
    if not (folder / "key").exists():
        run("keygen", folder / "key")
    given = ("--server-key", SERVER_KEY, "--address", "192.0.2.1:7777", "--player", 7)
    return run("issue", "--key", folder / "key", *given, *more)


def test_a_key_is_made_for_its_owner_and_never_shown_or_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "key"
    result = run("keygen", path)
    key = load_token_key(path)[0]
    assert result.exit_code == 0
    assert key_id_of(key) in result.output
    assert key.hex() not in result.output
    assert os.name == "nt" or path.stat().st_mode & 0o777 == 0o600
    again = run("keygen", path)
    assert again.exit_code == MISUSE
    assert "no key is overwritten" in again.stderr
    assert load_token_key(path)[0] == key


def test_a_token_is_printed_or_written_and_opens_with_the_key(tmp_path: Path) -> None:
    result = issued(tmp_path, "--room", "red", "--data", "level 3", "--address", "[::1]:1")
    key = load_token_key(tmp_path / "key")[0]
    found = open_token(from_text(result.stdout), key)
    assert (found.player, found.room, found.data) == (7, "red", b"level 3")
    assert found.addresses == (("192.0.2.1", 7777), ("::1", 1))
    assert found.expires_at - found.issued_at == 60
    out = tmp_path / "ann.token"
    written = issued(tmp_path, "--out", out)
    assert written.exit_code == 0
    assert out.read_text().strip() not in written.output
    assert os.name == "nt" or out.stat().st_mode & 0o777 == 0o600
    assert issued(tmp_path, "--out", out).exit_code == MISUSE


def test_show_says_what_is_readable_and_with_the_key_who_it_is_for_but_never_the_token(tmp_path: Path) -> None:
    path = tmp_path / "ann.token"
    issued(tmp_path, "--out", path, "--data", "planted-data", "--room", "red")
    plain, full = run("show", path), run("show", path, "--key", tmp_path / "key", "--json")
    assert plain.exit_code == full.exit_code == 0
    assert SERVER_KEY in plain.output
    assert "192.0.2.1:7777" in plain.output
    assert "red" not in plain.output
    facts = json.loads(full.stdout)
    assert (facts["player"], facts["room"], facts["data_bytes"]) == (7, "red", 12)
    key = load_token_key(tmp_path / "key")[0]
    for shown in (plain.output, full.output):
        assert path.read_text().strip() not in shown
        assert key.hex() not in shown
        assert "planted" not in shown


@pytest.mark.parametrize(
    ("off", "words"), [(-86400.0, "has expired: ask the backend"), (86400.0, "not valid yet, or a clock is wrong")]
)
def test_a_token_of_another_day_is_no(tmp_path: Path, off: float, words: str) -> None:
    token = issue(
        bytes(32), player=1, server_key=bytes(32), addresses=[("h", 1)], now=time.time() + off, entropy=os.urandom
    )
    (tmp_path / "a.token").write_text(to_text(token))
    result = run("show", tmp_path / "a.token")
    assert result.exit_code == NO
    assert words in result.stderr


def test_a_token_that_is_late_within_the_tolerance_is_said_to_have_expired(tmp_path: Path) -> None:
    issued_at = time.time() - 65
    token = issue(
        bytes(32), player=1, server_key=bytes(32), addresses=[("h", 1)], now=issued_at, entropy=os.urandom, lifetime=60
    )
    (tmp_path / "a.token").write_text(to_text(token))
    result = run("show", tmp_path / "a.token")
    assert result.exit_code == 0
    assert "s ago by this clock; since clocks differ, servers take it up to 30 s late" in result.stderr


def test_a_token_of_another_key_or_that_was_changed_does_not_open(tmp_path: Path) -> None:
    path = tmp_path / "ann.token"
    issued(tmp_path, "--out", path)
    run("keygen", tmp_path / "other")
    assert run("show", path, "--key", tmp_path / "other").exit_code == NO
    token = bytearray(from_text(path.read_text()))
    token[-1] ^= 1
    path.write_text(to_text(bytes(token)))
    assert run("show", path, "--key", tmp_path / "key").exit_code == NO


def test_what_is_no_token_is_misuse_in_one_line_that_does_not_repeat_it(tmp_path: Path) -> None:
    path = tmp_path / "ann.token"
    issued(tmp_path, "--out", path)
    whole = path.read_text().strip()
    for text in (whole[:-8], whole[:40], "planted words", "", whole * 3, "planted" * 2000):
        path.write_text(text)
        result = run("show", path)
        assert result.exit_code == MISUSE, text
        assert len(result.stderr.splitlines()) == 1
        assert "planted" not in result.stderr
        assert whole[:30] not in result.stderr


@pytest.mark.parametrize(
    ("make", "what"),
    [(load_identity, "a lasting key"), (load_server_key, "a server's key"), (make_token_key, "a token key")],
)
def test_a_key_in_place_of_a_token_is_named(tmp_path: Path, make: Callable[[Path], object], what: str) -> None:
    path = tmp_path / "some.key"
    make(path)
    result = run("show", path)
    assert result.exit_code == MISUSE
    assert result.stderr == f"retick: {path} is {what}, not a token\n"


def test_bots_take_a_token_for_one_of_them(tmp_path: Path) -> None:
    path = tmp_path / "ann.token"
    issued(tmp_path, "--out", path)
    runner = CliRunner()
    for arguments, words in (
        (["2", "--token", str(path)], "--token is for one bot"),
        (["1", "--token", str(path), "--plain"], "--token is for sealed links"),
        (["1", "--token", str(path), "--server-key", SERVER_KEY], "leave out --server-key"),
        (["1", "--server-key", "zz"], "64 hexadecimal digits"),
        (["1", "--token", str(tmp_path / "none")], "none"),
    ):
        result = runner.invoke(app, ["bots", *arguments])
        assert result.exit_code == MISUSE, arguments
        assert words in result.stderr
