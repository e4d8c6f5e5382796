"""``retick host``, ``join`` and ``watch``: real commands over loopback, and every way in which they cannot meet."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from retick import replay
from retick.cli.app import app
from retick.errors import NetworkUnavailable
from retick.games.fighter import Fighter
from retick.transport import open_udp
from tests.cli.play.hosting import FAST, hosting, last_words, line_of_play
from tests.full_disk import full_after

RUNNER = CliRunner()


def test_host_and_join_play_one_match_and_both_record_it(tmp_path: Path) -> None:
    files = [tmp_path / "host.rtk", tmp_path / "join.rtk"]
    with hosting("--record", str(files[0])) as (process, way):
        result = RUNNER.invoke(app, ["join", way, *FAST, "--record", str(files[1])])
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


def test_a_recording_on_a_full_disk_does_not_end_the_match_and_the_answer_is_no(tmp_path: Path) -> None:
    with hosting() as (process, way), full_after(60):
        result = RUNNER.invoke(app, ["join", way, *FAST, "--record", str(tmp_path / "join.rtk")])
        output, code = last_words(process)
    assert code == 0, output
    assert result.exit_code == 1, result.output
    assert "on both peers" in result.output
    assert "No space left on device" in result.output


def test_the_original_protocol_plays_a_match_of_seed_1(tmp_path: Path) -> None:
    file = tmp_path / "lan.rtk"
    with hosting("--lan-compat") as (process, way):
        arguments = ["join", way, *FAST, "--lan-compat", "--port", "0", "--record", str(file)]
        result = RUNNER.invoke(app, arguments)
        output, code = last_words(process)
    assert (result.exit_code, code) == (0, 0), result.output + output
    ends = [re.search(r"0x\w{8} at frame \d+", text) for text in (result.output, output)]
    assert ends[0] is not None
    assert ends[1] is not None
    assert ends[0][0] == ends[1][0]
    assert replay.load(file).seed == 1


def test_three_peers_play_scramble_and_agree_on_the_end(tmp_path: Path) -> None:
    file = tmp_path / "scramble.rtk"
    four = ["--players", "4"]
    with hosting(*four) as (process, way):
        command = [sys.executable, "-m", "retick", "join", way, *FAST, *four, "--seats", "2"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as third:
            result = RUNNER.invoke(app, ["join", way, *FAST, *four, "--record", str(file)])
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
def test_peers_on_ipv6_meet_each_other_too() -> None:
    three = ["--players", "3"]
    with hosting(*three, bind="::1") as (process, way):
        command = [sys.executable, "-m", "retick", "join", way, *FAST, *three]
        joiners = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(2)]
        assert process.stdout is not None
        played = line_of_play(process)
        for joiner in joiners:
            joiner.kill()
            joiner.wait()
    assert "1 s  frame" in played


def test_a_match_for_another_number_of_players_is_another_game() -> None:
    with hosting("--players", "4") as (_, way):
        result = RUNNER.invoke(app, ["join", way, *FAST, "--players", "3"])
    assert (
        result.stderr
        == "retick: the host refused: another game: this is 'retick.scramble/4': give --players as the host does\n"
    )


def test_a_host_of_another_rate_refuses_in_words() -> None:
    with hosting() as (_, way):
        result = RUNNER.invoke(app, ["join", way, "--bot", "--rate", "50"])
    assert result.exit_code == 1
    assert result.stderr == "retick: the host refused: another tick rate: this side runs at 500\n"
