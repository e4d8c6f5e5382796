"""``retick host|join|watch --online``: a whole match through a relay of this machine, and the words when it fails."""

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from retick.cli.app import app
from retick.cli.play import options as online_options
from retick.link import Invite
from retick.playing.home_router import NotForwarded
from retick.relay import RelayMember, member
from retick.routes.routed_link import RoutedLink
from tests.cli.conftest import Run
from tests.cli.play.hosting import FAST, hosting, last_words
from tests.serving.relaying import Relaying

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the relay of these tests is ended by SIGTERM")
RUNNER = CliRunner()
CODE = "4XK7-M2QP"
INVITE = Invite("192.168.1.20:7777", bytes(16)).text()


@pytest.fixture(autouse=True)
def no_relay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RETICK_RELAY", raising=False)


@pytest.fixture(scope="module")
def relay(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a relay on this machine."""
    with relaying(tmp_path_factory.mktemp("relay")) as address:
        yield address


@contextmanager
def relaying(folder: Path, *arguments: str) -> Iterator[str]:
    """A relay of its own, and its address."""
    relay = Relaying(folder, *arguments)
    try:
        yield f"127.0.0.1:{relay.address[1]}"
    finally:
        relay.process.send_signal(signal.SIGTERM)
        relay.finish()


@contextmanager
def hosting_online(*options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    with hosting("--online", *options, bind="0.0.0.0") as found:
        yield found


def test_a_match_by_invite_with_a_spectator_plays_to_the_same_end_on_a_direct_path(relay: str) -> None:
    with hosting_online("--invite", "--relay", relay, "--rate", "150") as (process, way):
        assert re.fullmatch(rf"retick:[0-9A-Z]{{8}}@{relay}#[0-9a-z]{{30}}", way)
        words = [sys.executable, "-m", "retick", "join", way, "--bot", "--rate", "150"]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as joiner:
            assert joiner.stdout is not None
            while "frame" not in joiner.stdout.readline():
                pass
            watched = RUNNER.invoke(app, ["watch", way, "--rate", "150"])
            output, code = last_words(process)
            said, joined = last_words(joiner)
    assert (watched.exit_code, code, joined) == (0, 0, 0), watched.output + output + said
    assert said.endswith(" on both peers, direct\n")
    end = re.findall(r"0x[0-9A-F]{8} at frame \d+", said)[-1]
    assert end in output
    assert end in watched.output


def test_a_code_alone_is_enough_and_the_relay_comes_from_the_environment(
    relay: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RETICK_RELAY", relay)
    with hosting_online("--relay-only") as (process, way):
        code = way.partition("@")[0]
        assert re.fullmatch(r"[0-9A-Z]{4}-[0-9A-Z]{4}", code)
        result = RUNNER.invoke(app, ["join", code.lower(), *FAST])
        output, ended = last_words(process)
    assert (result.exit_code, ended) == (0, 0), result.output + output
    assert "compare aloud" in result.output
    assert "the relay vouches for the keys" in output
    assert output.endswith(" on both peers, relayed\n")


def test_wrong_codes_and_a_missing_invite_are_said_and_ctrl_c_ends_a_host_that_waits(relay: str, run: Run) -> None:
    assert "no room has this code" in run("join", CODE, "--bot", "--relay", relay)[2]
    with hosting_online("--invite", "--relay", relay) as (process, way):
        code = way.removeprefix("retick:").partition("#")[0]
        ended, _, said = run("join", code, "--bot")
        assert ended == 1
        assert "takes only peers that have its invite" in said
        ended, _, said = run("join", code, "--bot", "--players", "3")
        assert (ended, said) == (1, "retick: this code is for another game, or another version of it\n")
        assert "another game" in run("watch", code, "--players", "4")[2]
        process.send_signal(signal.SIGINT)
        output, ended = last_words(process)
    assert (ended, output.splitlines()[-1]) == (130, "retick: interrupted")


def test_a_relay_that_has_no_room_left_says_so(tmp_path: Path, run: Run) -> None:
    with relaying(tmp_path, "--rooms", "1") as relay, hosting_online("--relay", relay):
        ended, _, said = run("host", "--online", "--relay", relay, "--bot")
    assert ended == 1
    assert said.startswith("retick: the relay is full")


def test_a_relay_that_is_down_says_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(member, "MOST_TRIES", 2)
    for words in (("host", "--online"), ("join", CODE)):
        ended, _, said = run(*words, "--bot", "--relay", "127.0.0.1:9")
        assert (ended, said) == (1, "retick: the relay does not answer: check its address, and whether it runs\n")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("host", "--online"), "no relay is configured"),
        (("join", CODE), "no relay is configured"),
        (("watch", CODE), "no relay is configured"),
        (("join", "--online"), "--online needs a code or an invite"),
        (("host", "--relay", "r"), "--relay is for online matches: add --online"),
        (("host", "--relay-only"), "--relay-only is for online matches: add --online"),
        (("join", "host.example.org", "--relay-only"), "--relay-only is for online matches"),
        (("join", "host.example.org", "--relay", "r"), "'.' is in no code"),
        (("join", INVITE, "--online"), "leave out --online"),
        (("join", "4XK7-M2QU"), "'U' is in no code"),
        (("host", "--online", "--relay", "r", "--plain"), "online matches are sealed"),
        (("host", "--invite"), "--invite needs --online"),
        (("host", "--online", "--relay", "r", "--invite", "--open"), "without --open"),
        (("join", CODE, "--relay", "r", "--plain"), "online matches are sealed"),
        (("host", "--online", "--relay", "r", "--bind", "127.0.0.1"), "--bind are for matches without a relay"),
        (("host", "--online", "--relay", "r", "--relay-only", "--map-port"), "leave one out"),
    ],
)
def test_misuse_is_said_in_one_line(run: Run, words: tuple[str, ...], said: str) -> None:
    ended, _, err = run(*words, *([] if words[0] == "watch" else ["--bot"]))
    assert ended == 2
    assert said in err
    assert len(err.splitlines()) == 1


class Forwarded:
    """In place of a router's port."""

    by = "NAT-PMP"
    outside: tuple[str | None, int] = ("203.0.113.9", 40000)
    closed = 0

    def __init__(self, port: int) -> None:
        self.port = port

    def __enter__(self) -> "Forwarded":
        return self

    def __exit__(self, *_error: object) -> None:
        type(self).closed += 1


def test_a_forwarded_port_is_told_to_the_others_and_taken_back(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    told = []
    monkeypatch.setattr(member, "MOST_TRIES", 1)
    monkeypatch.setattr(online_options, "ForwardedPort", Forwarded)
    monkeypatch.setattr(Forwarded, "closed", 0)
    made = RoutedLink.__init__

    def note(self: RoutedLink, *given: object, **named: object) -> None:
        told.append(named["online"])
        made(self, *given, **named)  # type: ignore[arg-type]  # as they came

    monkeypatch.setattr(RoutedLink, "__init__", note)
    _, _, err = run("host", "--online", "--relay", "127.0.0.1:9", "--map-port", "--bot")
    assert told[0].mapped == (("203.0.113.9", 40000),)  # type: ignore[attr-defined]  # it is an Online
    assert Forwarded.closed == 1
    assert "port 40000 of 203.0.113.9 is forwarded to this machine (NAT-PMP)" in err


def test_a_router_that_forwards_nothing_is_no_reason_not_to_play(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_port: int) -> None:
        raise NotForwarded("the router does not answer NAT-PMP")

    monkeypatch.setattr(member, "MOST_TRIES", 1)
    monkeypatch.setattr(online_options, "ForwardedPort", refuse)
    _, out, err = run("host", "--online", "--relay", "127.0.0.1:9", "--map-port", "--bot")
    assert "no port is forwarded: the router does not answer" in err
    assert "asking the relay" in out
    monkeypatch.setattr(online_options, "ForwardedPort", Forwarded)
    monkeypatch.setattr(Forwarded, "outside", (None, 40000))
    assert (
        "does not tell its own address" in run("host", "--online", "--relay", "127.0.0.1:9", "--map-port", "--bot")[2]
    )


def test_a_member_that_is_refused_for_its_version_is_told_which_side_to_update() -> None:
    assert RelayMember is member.RelayMember
    words = member._WORDS[member.Refusal.VERSION].format(2)
    assert "version 2" in words
    assert "update" in words
