"""``retick bench rollback``, ``chaos`` and ``sessions``: small runs of each, and what they must not hide."""

import json
from dataclasses import replace
from typing import Any

import pytest
from typer.testing import CliRunner

from retick.cli.app import app
from retick.cli.bench import chaos as bench_chaos
from retick.cli.bench import rollback as bench_rollback
from retick.cli.bench import sessions as bench_sessions
from retick.cli.bench.recorded_calls import RecordedCalls
from retick.cli.bench.rollback import UncompiledFighter, measure_rollback
from retick.cli.bench.session_fleet import Fleet
from retick.cli.bench.session_overhead import Overhead, engine_alone, link_alone, measure_overhead, packets_alone
from retick.cli.bench.sessions import Holding
from retick.errors import RetickError
from retick.games.fighter import Fighter
from retick.testing.chaos import Outcome
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions

RUNNER = CliRunner()


def test_rollback_measures_every_figure_beside_the_games_own_share() -> None:
    result = RUNNER.invoke(app, ["bench", "rollback", "--frames", "200", "--rounds", "1", "--json"])
    assert result.exit_code == 0, result.output
    figures = {each["name"]: each for each in json.loads(result.stdout)["figures"]}
    assert [each["steps"] for each in figures.values()] == [8, 3, 9, 9]
    assert all(each["microseconds"] > 0 and each["own"] > 0 for each in figures.values())
    assert figures["sync test, 7 frames"]["bound"] == 0.88


def test_rollback_prints_a_line_for_each_and_the_c_loop() -> None:
    result = RUNNER.invoke(app, ["bench", "rollback", "--frames", "120", "--rounds", "1"])
    assert result.exit_code == 0, result.output
    for words in ("sync test, 7 frames", "8-frame rollback, every tick", "adds to plain Python", "C loop"):
        assert words in result.output


def test_the_uncompiled_fighter_is_the_fighter() -> None:
    plain, game = UncompiledFighter(), Fighter()
    slots, state = plain.initial_state(3), game.initial_state(3)
    for frame in range(60):
        inputs = (frame % 16, (frame * 7) % 16)
        slots, state = plain.step(slots, inputs), game.step(state, inputs)
        assert plain.checksum(slots) == game.checksum(state)


def test_ways_that_end_differently_stop_the_rollback_benchmark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_rollback, "_synctest", lambda sim, rows, distance: 5)
    with pytest.raises(RetickError, match="ends differently"):
        measure_rollback(100, 1)


def test_a_missed_target_is_exit_code_1_when_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(bench_rollback.REFERENCE, "sync test, 7 frames", 0.0)
    tiny = ["bench", "rollback", "--frames", "100", "--rounds", "1"]
    assert RUNNER.invoke(app, tiny).exit_code == 0
    result = RUNNER.invoke(app, [*tiny, "--check"])
    assert result.exit_code == 1
    assert "MISSED" in result.output


def test_chaos_tells_what_happened_in_its_matches() -> None:
    result = RUNNER.invoke(app, ["bench", "chaos", "--matches", "3", "--frames", "180", "--processes", "1"])
    assert result.exit_code == 0, result.output
    for words in ("all 3 matches ended with equal states", "rollbacks", "depths", "hits", "planted and found  1"):
        assert words in result.output


def test_a_failed_match_is_told_with_the_line_that_runs_it_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(job: Any) -> Any:
        return job[0], Outcome(matches=1, frames=600, seconds=9.0), "parted at frame 5" if job[0] == 8 else ""

    monkeypatch.setattr(bench_chaos, "run_seed", failing)
    result = RUNNER.invoke(app, ["bench", "chaos", "--matches", "3", "--seed", "7", "--processes", "1"])
    assert result.exit_code == 1
    assert "seed 8: parted at frame 5" in result.output
    assert "retick bench chaos --matches 1 --players 2 --frames 600 --seed 8" in result.output
    assert "1 of 3 matches failed" in result.output


def test_an_exception_in_a_match_is_a_failure_with_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise ZeroDivisionError("of all things")

    monkeypatch.setattr(bench_chaos, "play", broken)
    assert bench_chaos.run_seed((5, 2, 600, False))[2] == "ZeroDivisionError: of all things"


@pytest.mark.parametrize("wrong", [["--players", "1"], ["--players", "9"], ["--matches", "0"], ["--frames", "10"]])
def test_chaos_that_makes_no_sense_is_misuse(wrong: list[str]) -> None:
    assert RUNNER.invoke(app, ["bench", "chaos", *wrong]).exit_code == 2


@pytest.mark.parametrize("players", [2, 3])
def test_overhead_is_told_by_call_with_the_wires_share(players: int) -> None:
    found = measure_overhead(players, stretches=2)
    assert set(found.by_call) >= {"receive_datagram", "datagrams_to_send", "due", "advance"}
    assert found.total == pytest.approx(sum(found.by_call.values()) - found.steps)
    assert 55 * (players - 1) < found.packets < 70 * (players - 1)
    assert found.octets > 20 * found.packets


def test_noted_calls_do_the_same_work_again_and_others_are_found_out() -> None:
    scripts: list[RecordedCalls] = []

    def scripted(sim: Any, **details: Any) -> Any:
        scripts.append(RecordedCalls(sim, **details))
        return scripts[-1].session

    mesh = Mesh(Fighter, conditions=Conditions.round_trip(0.1, loss=0.1), make_session=scripted)
    mesh.start()
    mesh.play(30)
    for frames in (60, 90):
        for script in scripts:
            script.mark()
        mesh.play(frames)
    for script in scripts:
        script.mark()
        assert script.frames >= 90
        assert len(script.rerun()) == len(script.cost_of_calling()) == 2
        assert script.by_call()["advance"] > 0
    scripts[0].frames += 1
    with pytest.raises(AssertionError, match="same work"):
        scripts[0].rerun()


def test_parts_can_be_run_alone() -> None:
    assert engine_alone(200) > 0
    assert packets_alone(200) > 0
    assert link_alone(200) > 0


def test_two_fleets_over_loopback_find_each_other_and_play() -> None:
    hosts = Fleet(None, 2)
    joiners = Fleet(hosts.addresses, 2)
    try:
        for _ in range(400):
            hosts.run(0.02)
            joiners.run(0.02)
            matches = [member.session.match for member in hosts.members]
            if all(match is not None and match.engine.confirmed_frame > 5 for match in matches):
                break
        assert hosts.running == joiners.running == 2
        hosts.measuring = True
        hosts.run(0.1)
        assert hosts.late
    finally:
        hosts.close()
        joiners.close()


OVERHEAD = Overhead(players=2, total=9.0, by_call={"advance": 9.0}, steps=0.1, packets=61.0, octets=2400.0)
HOLDING = Holding(
    sessions=300, frames=180_000, seconds=10.0, median_ms=0.1, p99_ms=1.0, worst_ms=6.0, busy=0.4, stalls=0, ahead=False
)


@pytest.mark.parametrize(("p99", "code"), [(1.0, 0), (4.5, 1)])
def test_sessions_checks_its_targets_when_asked(monkeypatch: pytest.MonkeyPatch, p99: float, code: int) -> None:
    monkeypatch.setattr(bench_sessions, "measure_overhead", lambda players, **_: replace(OVERHEAD, players=players))
    monkeypatch.setattr(bench_sessions, "hold_sessions", lambda *_: replace(HOLDING, p99_ms=p99))
    for part in ("link_alone", "packets_alone", "engine_alone"):
        monkeypatch.setattr(bench_sessions, part, lambda: 1.0)
    result = RUNNER.invoke(app, ["bench", "sessions", "--check"])
    assert result.exit_code == code, result.output
    assert "the rest: session" in result.output
    assert ("MISSED" in result.output) == bool(code)
