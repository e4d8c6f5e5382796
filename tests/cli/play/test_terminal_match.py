"""``retick host``, ``join`` and ``watch``: real commands over loopback, and every way in which they cannot meet."""

import contextlib
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from retick import replay
from retick.cli.app import app
from retick.cli.play import join
from retick.errors import MissingExtra, NetworkUnavailable
from retick.games.fighter import Fighter
from retick.transport import discovery, open_udp
from retick.transport.discovery import FoundHost

RUNNER = CliRunner()
FAST = ["--bot", "--rate", "500"]


@contextlib.contextmanager
def hosting(*options: str, bind: str = "127.0.0.1") -> Iterator[tuple[subprocess.Popen[str], int]]:
    """``retick host`` in a process of its own, and the port that it got."""
    command = [sys.executable, "-m", "retick", "host", "--bind", bind, "--port", "0", *FAST, *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        guard = threading.Timer(60, process.kill)
        guard.start()
        try:
            assert process.stdout is not None
            said = process.stdout.readline()
            port = re.search(r"retick join \S+:(\d+)", said)
            assert port is not None, said
            yield process, int(port[1])
        finally:
            process.kill()
            guard.cancel()


def last_words(process: subprocess.Popen[str]) -> tuple[str, int]:
    assert process.stdout is not None
    return process.stdout.read(), process.wait()


def test_host_and_join_play_one_match_and_both_record_it(tmp_path: Path) -> None:
    files = [tmp_path / "host.rtk", tmp_path / "join.rtk"]
    with hosting("--record", str(files[0])) as (process, port):
        result = RUNNER.invoke(app, ["join", f"127.0.0.1:{port}", *FAST, "--record", str(files[1])])
        output, code = last_words(process)
    assert result.exit_code == 0, result.output
    assert code == 0, output
    here = re.search(r"(0x\w{8}) at frame (\d+) on both peers", result.output)
    there = re.search(r"(0x\w{8}) at frame (\d+) on both peers", output)
    assert here is not None
    assert there is not None
    assert here.groups() == there.groups()
    recorded = [replay.load(file) for file in files]
    assert recorded[0].frames == recorded[1].frames
    assert [each.local_players for each in recorded] == [(0,), (1,)]
    verdict = replay.verify(recorded[0], Fighter(), expected_checksum=int(here[1], 16))
    assert verdict.ok
    assert verdict.compared > 1


def test_the_original_protocol_plays_a_match_of_seed_1(tmp_path: Path) -> None:
    file = tmp_path / "lan.rtk"
    with hosting("--lan-compat") as (process, port):
        arguments = ["join", f"127.0.0.1:{port}", *FAST, "--lan-compat", "--port", "0", "--record", str(file)]
        result = RUNNER.invoke(app, arguments)
        output, code = last_words(process)
    assert (result.exit_code, code) == (0, 0), result.output + output
    ends = [re.search(r"0x\w{8} at frame \d+", text) for text in (result.output, output)]
    assert ends[0] is not None
    assert ends[1] is not None
    assert ends[0][0] == ends[1][0]
    assert replay.load(file).seed == 1


def test_three_machines_scramble_for_coins_and_agree_on_the_end(tmp_path: Path) -> None:
    file = tmp_path / "scramble.rtk"
    four = ["--players", "4"]
    with hosting(*four) as (process, port):
        command = [sys.executable, "-m", "retick", "join", f"127.0.0.1:{port}", *FAST, *four, "--seats", "2"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as third:
            result = RUNNER.invoke(app, ["join", f"127.0.0.1:{port}", *FAST, *four, "--record", str(file)])
            outputs = [result.output, last_words(process)[0], last_words(third)[0]]
    ends = {re.search(r"0x\w{8} at frame \d+ on all 3 peers", output) for output in outputs}
    assert None not in ends, outputs
    assert len({found[0] for found in ends if found is not None}) == 1
    assert RUNNER.invoke(app, ["replay", "verify", str(file)]).exit_code == 0


def has_ipv6() -> bool:
    try:
        open_udp("::1").close()
    except NetworkUnavailable:
        return False
    return True


@pytest.mark.skipif(not has_ipv6(), reason="this machine has no IPv6")
def test_machines_on_ipv6_meet_each_other_too() -> None:
    three = ["--players", "3"]
    with hosting(*three, bind="::1") as (process, port):
        command = [sys.executable, "-m", "retick", "join", f"[::1]:{port}", *FAST, *three]
        joiners = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(2)]
        assert process.stdout is not None
        played = process.stdout.readline()
        for joiner in joiners:
            joiner.kill()
            joiner.wait()
    assert "1 s  frame" in played


def test_a_spectator_sees_the_same_end_and_records_it(tmp_path: Path) -> None:
    file = tmp_path / "watched.rtk"
    slow = ["--rate", "200"]
    with hosting(*slow) as (process, port):
        command = [sys.executable, "-m", "retick", "join", f"127.0.0.1:{port}", "--bot", *slow]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as joiner:
            assert process.stdout is not None
            assert "frame" in process.stdout.readline()
            result = RUNNER.invoke(app, ["watch", f"127.0.0.1:{port}", *slow, "--delay", "5", "--record", str(file)])
            output, _ = last_words(process)
            last_words(joiner)
    end = re.search(r"(0x\w{8}) at frame (\d+) on both peers", output)
    assert end is not None, output
    assert result.exit_code == 0, result.output
    assert f"{end[1]} at frame {end[2]}" in result.output
    watched = replay.load(file)
    assert watched.start_frame > 0
    assert watched.end_frame == int(end[2])
    assert replay.verify(watched, Fighter(), expected_checksum=int(end[1], 16)).ok


def test_a_match_for_another_number_of_players_is_another_game() -> None:
    with hosting("--players", "4") as (_, port):
        result = RUNNER.invoke(app, ["join", f"127.0.0.1:{port}", *FAST, "--players", "3"])
    assert result.stderr == "retick: the host refused: another game: this is 'retick.scramble/4'\n"


def test_a_match_that_has_not_begun_cannot_be_watched() -> None:
    with hosting() as (_, port):
        result = RUNNER.invoke(app, ["watch", f"127.0.0.1:{port}", "--rate", "500"])
    assert result.exit_code == 1
    assert "the match has not begun" in result.stderr


def test_a_host_of_another_rate_refuses_in_words() -> None:
    with hosting() as (_, port):
        result = RUNNER.invoke(app, ["join", f"127.0.0.1:{port}", "--bot", "--rate", "50"])
    assert result.exit_code == 1
    assert result.stderr == "retick: the host refused: another tick rate: this side runs at 500\n"


def test_a_port_in_use_is_said_in_one_line_with_what_to_try() -> None:
    taken = open_udp("127.0.0.1")
    result = RUNNER.invoke(app, ["host", "--bind", "127.0.0.1", "--port", str(taken.address[1]), *FAST])
    taken.close()
    assert result.exit_code == 2
    assert "is in use: choose another" in result.stderr


def test_an_unknown_name_is_said_in_one_line() -> None:
    result = RUNNER.invoke(app, ["join", "host.invalid", *FAST])
    assert result.exit_code == 2
    assert "no address is known for 'host.invalid'" in result.stderr


def test_no_host_on_the_network_is_a_no_with_what_to_try(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(join, "find_hosts", lambda seconds, game: [])
    result = RUNNER.invoke(app, ["join", *FAST])
    assert result.exit_code == 1
    assert "no host was found" in result.stderr


def test_one_found_host_is_joined_and_several_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    with hosting() as (process, port):
        found = [FoundHost("desk", "127.0.0.1", port, "retick.fighter 1")]
        monkeypatch.setattr(join, "find_hosts", lambda seconds, game: found)
        result = RUNNER.invoke(app, ["join", *FAST])
        last_words(process)
    assert result.exit_code == 0, result.output
    assert "found desk" in result.output
    found.append(FoundHost("couch", "10.0.0.2", 7777, "retick.fighter 1"))
    refused = RUNNER.invoke(app, ["join", *FAST])
    assert f"127.0.0.1:{port} (desk), 10.0.0.2:7777 (couch)" in refused.stderr


def test_without_zeroconf_the_exact_install_line_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zeroconf", None)
    result = RUNNER.invoke(app, ["join", *FAST])
    assert result.exit_code == 2
    assert "pip install 'retick[lan]'" in result.stderr
    with pytest.raises(MissingExtra):
        discovery.Announcement(7777, "retick.fighter 1", players=2)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["host", "--players", "9"], "--players must be 2 (the fighter) or 3 to 8"),
        (["host", "--players", "3", "--lan-compat"], "is for 2 players"),
        (["host", "--seats", "2"], "--seats must be 1 to 1"),
        (["host", "--delay", "31"], "--delay must be 0 to 30 frames"),
        (["host", "--rate", "0"], "--rate must be 1 to 1000"),
        (["host", "--port", "70000"], "a port is 0 to 65535"),
        (["host", "--record", "match.rplk"], "name the file .rtk"),
        (["join", "--lan-compat"], "--lan-compat needs the host's address"),
        (["join", "--wait", "0"], "--wait must be above 0"),
        (["join", "1.2.3.4:0"], "has no good port"),
        (["watch", "1.2.3.4:0"], "has no good port"),
        (["watch", "1.2.3.4", "--delay", "601"], "--delay must be 0 to 600"),
        (["watch", "1.2.3.4", "--players", "1"], "--players must be 2"),
    ],
)
def test_misuse_is_refused_in_words(arguments: list[str], words: str) -> None:
    bot = [] if arguments[0] == "watch" else ["--bot"]
    result = RUNNER.invoke(app, [*arguments, *bot])
    assert result.exit_code == 2
    assert words in result.stderr


def test_without_a_terminal_or_a_bot_nobody_could_play() -> None:
    result = RUNNER.invoke(app, ["host"])
    assert result.exit_code == 2
    assert "Add --bot" in result.stderr


@pytest.mark.parametrize(
    ("command", "example"), [("host", "retick host --port"), ("join", "retick join 192"), ("watch", "retick watch 192")]
)
def test_help_shows_an_example(command: str, example: str) -> None:
    assert example in RUNNER.invoke(app, [command, "--help"]).output


@pytest.mark.skipif(os.environ.get("RETICK_MULTICAST") != "1", reason="needs multicast: set RETICK_MULTICAST=1")
def test_an_announced_host_is_found_and_a_withdrawn_one_is_not() -> None:
    loopback = ["127.0.0.1"]
    announcement = discovery.Announcement(7777, "retick.fighter 1", players=2, interfaces=loopback)
    found = discovery.find_hosts(5.0, "retick.fighter 1", interfaces=loopback)
    assert [(each.address, each.port) for each in found] == [("127.0.0.1", 7777)]
    assert discovery.find_hosts(0.5, "another.game 1", interfaces=loopback) == []
    announcement.withdraw().join()
    assert discovery.find_hosts(0.5, "retick.fighter 1", interfaces=loopback) == []
