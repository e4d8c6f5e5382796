"""The relay's benchmark measures what it says, in small; figures are not asserted."""

import pytest
from benchmarks.__main__ import app
from benchmarks.commands.relay import relay
from benchmarks.commands.relay.delay import Delay, measure_delay
from benchmarks.commands.relay.flood import Flood, measure_flood
from benchmarks.commands.relay.throughput import Throughput, measure_throughput
from typer.testing import CliRunner

from retick.cli.exit_codes import NO


def test_what_is_sent_through_the_relay_arrives() -> None:
    found = measure_throughput(rooms=20, rounds=3)
    assert found.rooms == 20
    assert found.lost == 0
    assert found.relay > 0 < found.bare


def test_delays_are_of_datagrams_that_went_through_another_process() -> None:
    found = measure_delay(rate=500, rooms=10, seconds=0.2)
    assert found.sent > 0
    assert len(found.relayed) <= found.sent
    assert found.direct
    assert found.added(0.5) > 0


def test_a_flood_leaves_nothing_behind_and_gets_less_than_it_sends() -> None:
    found = measure_flood(20_000)
    assert found.grown < 200_000
    assert found.sent < found.received


def test_a_bound_that_is_missed_is_no_with_check(monkeypatch: pytest.MonkeyPatch) -> None:
    good = Throughput(relay=90_000.0, bare=100_000.0, rooms=1000, lost=0)
    delay = Delay(20_000.0, 1000, relayed=[0.0002] * 100, direct=[0.0001] * 100, sent=100)
    flood = Flood(requests=10, grown=0, sent=1, received=2)
    monkeypatch.setattr(relay, "measure_delay", lambda **_: delay)
    monkeypatch.setattr(relay, "measure_flood", lambda _: flood)
    for found, code in ((good, 0), (Throughput(relay=39_000.0, bare=50_000.0, rooms=1, lost=0), NO)):
        monkeypatch.setattr(relay, "measure_throughput", lambda found=found, **_: found)
        result = CliRunner().invoke(app, ["relay", "--check"])
        assert result.exit_code == code
        assert ("MISSED" in result.output) == bool(code)
