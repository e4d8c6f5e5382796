"""``retick relay`` as people run it: two meet, the process dies and comes back, SIGTERM ends it."""

import signal
import sys
import urllib.request
from pathlib import Path

import pytest
from typer.testing import CliRunner

from retick.cli.app import app
from retick.cli.exit_codes import MISUSE
from retick.relay import Entered, FrameReceived, MemberState, RelayBack
from tests.serving.relaying import Person, Relaying, talk_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGTERM that a process could handle")


def test_two_meet_and_a_relay_that_was_killed_has_them_back(tmp_path: Path) -> None:
    relay = Relaying(tmp_path)
    people = [Person(relay.address), Person(relay.address)]
    ann, bob = people
    try:
        ann.member.open(2)
        talk_until(people, lambda: ann.member.state is MemberState.INSIDE)
        bob.member.join(ann.member.code)
        talk_until(people, lambda: bob.member.present == {0, 1} == ann.member.present)
        assert any(isinstance(event, Entered) for event in bob.events)
        relay.process.kill()
        relay.finish()
        relay = Relaying(tmp_path, port=relay.address[1])
        # It may start before anybody has noticed that it was away.
        bob.events.clear()

        def again() -> bool:
            ann.member.send(1, b"are you there?")
            return any(isinstance(event, FrameReceived) for event in bob.events)

        talk_until(people, again)
        assert ann.member.state is bob.member.state is MemberState.INSIDE
        assert sum(isinstance(event, RelayBack) for event in ann.events) <= 1
        relay.process.send_signal(signal.SIGTERM)
        lines = relay.finish()
    finally:
        relay.process.kill()
        relay.guard.cancel()
        for person in people:
            person.close()
    assert relay.process.returncode == 0
    assert {line["event"] for line in lines} == {"room_opened", "member_entered", "stopped"}
    assert "127.0.0.1" not in str(lines), "the log has no addresses of members"


def test_the_page_of_metrics_and_the_end_by_seconds(tmp_path: Path) -> None:
    relay = Relaying(tmp_path, "--metrics", "0", "--seconds", "2")
    try:
        url = relay.line()["url"]
        with urllib.request.urlopen(url, timeout=10) as answer:
            text = answer.read().decode()
        with urllib.request.urlopen(url.replace("/metrics", "/readyz"), timeout=10) as answer:
            assert answer.status == 200
    finally:
        lines = relay.finish()
    assert "retick_relay_rooms 0.0" in text
    assert [line["event"] for line in lines] == ["stopped"]
    assert relay.process.returncode == 0


@pytest.mark.parametrize(
    "words",
    [
        ["--rooms", "0"],
        ["--rooms-per-address", "0"],
        ["--members", "-1"],
        ["--member-bytes", "0"],
        ["--total-bytes", "0"],
        ["--seconds", "0"],
        ["--seconds", "nan"],
        ["--metrics", "nowhere"],
        ["--port", "65535"],
        ["--port", "70000"],
        ["--second-port", "70000", "--port", "0"],
    ],
)
def test_wrong_values_are_one_line(words: list[str]) -> None:
    result = CliRunner().invoke(app, ["relay", *words])
    assert result.exit_code == MISUSE
    assert result.stderr.count("\n") == 1


def test_without_a_key_it_says_what_that_means() -> None:
    result = CliRunner().invoke(app, ["relay", "--port", "0", "--host", "127.0.0.1", "--seconds", "0.01"])
    assert result.exit_code == 0
    assert "cannot come back after a restart" in result.output
