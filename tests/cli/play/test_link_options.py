"""Sealed links on the command line: invites, open and plain hosts, keys in files; each mistake is one line."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from retick.cli.app import app
from retick.link import Invite
from tests.cli.play.hosting import FAST, hosting, last_words

RUNNER = CliRunner()
GOOD = Invite("127.0.0.1:9", bytes(range(16))).text()


def refused(*arguments: str) -> tuple[int, str]:
    """The exit code, and the only line of the error."""
    result = RUNNER.invoke(app, list(arguments))
    assert "Traceback" not in result.output
    (line,) = result.stderr.splitlines()
    return result.exit_code, line.removeprefix("retick: ")


@pytest.mark.parametrize("command", [["join", "--bot"], ["watch"]])
@pytest.mark.parametrize(
    ("text", "words"),
    [
        (GOOD[:12], "paste the whole line"),
        (GOOD[:-9], "paste the whole line"),
        (GOOD[9:], "paste the whole line"),
        (GOOD.partition("#")[2], "paste the whole line"),
        (GOOD[:-1] + ("0" if GOOD[-1] != "0" else "1"), "a letter of this invite is wrong: paste the line again"),
        (GOOD.replace("127", "128"), "a letter of this invite is wrong"),
        (Invite("", bytes(16)).text(), "has no address"),
    ],
)
def test_an_invite_that_is_not_whole_is_misuse_and_its_secret_is_not_shown(
    command: list[str], text: str, words: str
) -> None:
    code, line = refused(command[0], text, *command[1:])
    assert code == 2
    assert words in line
    assert text.partition("#")[2] not in line or "#" not in text
    assert GOOD.partition("#")[2][:12] not in line


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["host", "--bot", "--plain", "--open"], "--open is for sealed links: it cannot be used with --plain"),
        (["host", "--bot", "--lan-compat", "--keylog", "x"], "--keylog is for sealed links"),
        (["join", "1.2.3.4", "--bot", "--plain", "--identity", "x"], "--identity is for sealed links"),
        (["join", GOOD, "--bot", "--plain"], "an invite is for sealed links"),
        (["join", GOOD, "--bot", "--lan-compat"], "an invite is for sealed links"),
        (["watch", GOOD, "--plain"], "an invite is for sealed links"),
        (["host", "--bot", "--port", "0", "--keylog", "no/such/keys"], "there is no folder"),
        (["host", "--bot", "--port", "0", "--identity", "no/such/key"], "there is no folder"),
        (["host", "--bot", "--address", "a:b"], "has no valid port"),
    ],
)
def test_options_that_make_no_sense_together_are_misuse(
    arguments: list[str], words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, line = refused(*arguments)
    assert code == 2
    assert words in line
    assert list(tmp_path.iterdir()) == []


def test_another_secret_none_or_one_too_many_is_refused_in_words() -> None:
    with hosting() as (_, way):
        address = Invite.parse(way).address
        wrong = Invite(address, bytes(16)).text()
        code, line = refused("join", wrong, *FAST)
        assert code == 1
        assert line.startswith(
            "the host refused the invite: it belongs to another match, or this host takes none. Ask for"
        )
        for command in (["join", address, *FAST], ["watch", address, "--rate", "500"]):
            code, line = refused(*command)
            assert code == 1
            assert line.startswith("the host takes only peers that have its invite: ask for the line that it shows")
    with hosting("--open") as (_, way):
        assert "the host refused the invite" in refused("join", Invite(way, bytes(16)).text(), *FAST)[1]


def test_a_plain_peer_and_a_sealed_one_refuse_each_other_in_words() -> None:
    with hosting("--open") as (_, way):
        for command in (["join", way, *FAST, "--plain"], ["watch", way, "--rate", "500", "--plain"]):
            code, line = refused(*command)
            assert code == 1
            assert line.startswith("the host takes sealed links only, and this side was started with --plain: leave it")
    with hosting("--plain") as (_, way):
        for command in (["join", way, *FAST], ["watch", way, "--rate", "500"]):
            code, line = refused(*command)
            assert code == 1
            assert "the host takes plain links only: it was started with --plain" in line


def test_where_cryptography_is_missing_or_too_old_the_install_line_is_said() -> None:
    for hidden in ("sys.modules['cryptography'] = None", "import cryptography; cryptography.__version__ = '3.4'"):
        code = f"import sys; {hidden}; from retick.__main__ import main; main()"
        for command in (["host", "--bot", "--port", "0"], ["join", GOOD, "--bot"], ["watch", GOOD]):
            done = subprocess.run([sys.executable, "-c", code, *command], capture_output=True, text=True, timeout=60)
            assert done.returncode == 2
            (line,) = done.stderr.splitlines()
            assert "pip install 'cryptography>=43'" in line
            assert "--plain" in line


def test_with_plain_links_on_both_sides_a_match_is_played() -> None:
    with hosting("--plain") as (process, way):
        result = RUNNER.invoke(app, ["join", way, *FAST, "--plain"])
        output, code = last_words(process)
    assert (result.exit_code, code) == (0, 0), result.output + output


def test_both_sides_of_an_open_match_show_the_same_words_and_those_of_an_invite_none() -> None:
    said = []
    for options in (["--open"], []):
        with hosting(*options) as (process, way):
            result = RUNNER.invoke(app, ["join", way, *FAST])
            said.append((result.output, last_words(process)[0]))
        assert result.exit_code == 0, result.output
    words = [re.findall(r"who must see the same words: (\w+ \w+ \w+ \w+)\n", output) for output in said[0]]
    assert len(words[0]) == 1
    assert words[0] == words[1]
    assert not any("words" in output for output in said[1])


def test_what_address_says_is_in_the_invite() -> None:
    with hosting("--address", "play.example.org:9000") as (_, way):
        assert Invite.parse(way).address == "play.example.org:9000"
    with hosting("--address", "play.example.org", "--open") as (_, way):
        assert re.fullmatch(r"play\.example\.org:\d{4,5}", way), "with the port that is listened on"


def test_no_secret_is_in_any_output_or_file_of_a_match(tmp_path: Path) -> None:
    """The invite is on the host's one line, and keys are in the files that are for them; nowhere else."""
    files = {end: {kind: tmp_path / f"{end}.{kind}" for kind in ("rtk", "rtkc", "rtkt", "key", "keys")} for end in "ab"}

    def options(end: str) -> list[str]:
        names = ("--record", "--capture", "--trace", "--identity", "--keylog")
        return [word for pair in zip(names, map(str, files[end].values()), strict=True) for word in pair]

    with hosting(*options("a")) as (process, way):
        command = [sys.executable, "-m", "retick", "join", way, *FAST, *options("b")]
        joined = subprocess.run(command, capture_output=True, text=True, timeout=60)
        hosted, code = last_words(process)
    assert (joined.returncode, code) == (0, 0), joined.stdout + joined.stderr + hosted
    secret = Invite.parse(way).secret
    keys = [word for end in "ab" for word in files[end]["keys"].read_text().split()[3:]]
    assert len(keys) == 4
    assert set(keys[:2]) == set(keys[2:])
    keys += [files[end]["key"].read_text().split()[1] for end in "ab"]
    planted = [way.partition("#")[2].encode(), secret, secret.hex().encode()]
    planted += [form for key in keys for form in (bytes.fromhex(key), key.encode())]
    seen = {path.name: path.read_bytes() for end in "ab" for kind, path in files[end].items() if "key" not in kind}
    seen |= {"joiner": (joined.stdout + joined.stderr).encode(), "host": hosted.encode()}
    assert [name for name, data in seen.items() if any(each in data for each in planted)] == []
    assert hosted.count("whoever has it can read the match") + joined.stderr.count("whoever has it") >= 1
    if os.name != "nt":
        assert {path.stat().st_mode & 0o777 for end in "ab" for path in list(files[end].values())[3:]} == {0o600}
