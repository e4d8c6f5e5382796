"""``python -m benchmarks sessions``: its targets."""

from dataclasses import replace

import pytest
from benchmarks.__main__ import app
from benchmarks.commands import sessions as bench_sessions
from benchmarks.commands.session_overhead import Overhead
from benchmarks.commands.session_traffic import Traffic
from benchmarks.commands.sessions import Holding
from typer.testing import CliRunner

RUNNER = CliRunner()
OVERHEAD = Overhead(
    players=2,
    sealed=False,
    total=1.5,
    interleaved=1.7,
    driver=0.9,
    by_call={"advance": 1.6},
    steps=0.1,
    packets=61.0,
    octets=1300.0,
)
TRAFFIC = Traffic(name="idle", packets=61.0, octets=1200.0, most=2400.0)
HOLDING = Holding(
    sessions=300, frames=180_000, seconds=10.0, median_ms=0.1, p99_ms=1.0, worst_ms=6.0, busy=0.4, stalls=0, ahead=False
)


@pytest.mark.parametrize(("p99", "octets", "code"), [(1.0, 1200.0, 0), (4.5, 1200.0, 1), (1.0, 2500.0, 1)])
def test_sessions_checks_its_targets_when_asked(
    monkeypatch: pytest.MonkeyPatch, p99: float, octets: float, code: int
) -> None:
    monkeypatch.setattr(bench_sessions, "measure_traffic", lambda: [replace(TRAFFIC, octets=octets)])
    monkeypatch.setattr(bench_sessions, "c_loop_ns", lambda: None)

    def measured(players: int, *, sealed: bool, **_: object) -> Overhead:
        return replace(OVERHEAD, players=players, sealed=sealed)

    monkeypatch.setattr(bench_sessions, "measure_overhead", measured)
    monkeypatch.setattr(bench_sessions, "hold_sessions", lambda *_: replace(HOLDING, p99_ms=p99))
    for part in ("link_alone", "packets_alone", "engine_alone"):
        monkeypatch.setattr(bench_sessions, part, lambda: 1.0)
    result = RUNNER.invoke(app, ["sessions", "--check"])
    assert result.exit_code == code, result.output
    assert "the rest: session" in result.output
    assert "interleaved" in result.output
    assert "driver loop: recorded calls" in result.output
    assert "plain links" in result.output
    assert "sealed links" in result.output
    assert ("MISSED" in result.output) == bool(code)
