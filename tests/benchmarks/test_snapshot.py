"""``python -m benchmarks snapshot``: the bytes are proven before anything is timed, and misses are told."""

import json

import pytest
from benchmarks.__main__ import app
from benchmarks.commands import snapshot as bench_snapshot
from benchmarks.commands.snapshot import DIGESTS, Line, prove
from typer.testing import CliRunner

from retick.errors import RetickError
from tests.snapshot.sdec import cases, schema_named


def test_the_digests_are_the_published_ones() -> None:
    assert schema_named("player") == bench_snapshot.PLAYER
    published = {(c["wire_version"], c["op"], c["case"], c["n"]): c["packet_blake3_16"] for c in cases("bench_digests")}
    ours = {
        (*key, count): digest
        for key, digests in DIGESTS.items()
        for count, digest in zip(bench_snapshot.COUNTS, digests, strict=True)
    }
    assert ours == published
    assert prove() == 40


def test_other_bytes_stop_the_benchmark(monkeypatch: pytest.MonkeyPatch) -> None:
    key = (0, "encode_full", "-")
    monkeypatch.setitem(DIGESTS, key, ("0" * 16,) * 4)
    with pytest.raises(RetickError, match="other bytes than published"):
        prove()


LINES = [
    Line(name="encode all", entities=64, microseconds=2.0, best=1.9, target=3.9),
    Line(name="decode full", entities=64, microseconds=9.0, best=8.9, target=1.85),
]


def test_the_table_tells_misses_and_check_fails_on_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_snapshot, "measure_snapshot", lambda _rounds, _tell, *, slow: LINES)
    monkeypatch.setattr(bench_snapshot, "c_loop_ns", lambda: 7.5)
    result = CliRunner().invoke(app, ["snapshot", "--check"])
    assert result.exit_code == 1
    assert "missed" in result.output
    assert "the fighter's C loop takes 7.5 ns a step here; targets are scaled by it" in " ".join(result.output.split())
    assert "40 packets have the published digests" in result.output
    document = json.loads(CliRunner().invoke(app, ["snapshot", "--json"]).output)
    assert [line["kept"] for line in document["lines"]] == [True, False]


def test_every_workload_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_snapshot, "COUNTS", (16,))
    monkeypatch.setattr(bench_snapshot, "RECEIVERS", 2)
    told: list[str] = []
    lines = bench_snapshot.measure_snapshot(1, told.append)
    assert [line.name for line in lines] == [*bench_snapshot.TARGETS, "interest", "2 receivers"]
    assert all(line.microseconds >= line.best > 0 for line in lines)
    assert told == ["16 entities", "interest", "2 receivers"]


def test_rounds_must_be_positive() -> None:
    result = CliRunner().invoke(app, ["snapshot", "--rounds", "0"])
    assert result.exit_code == 2


def test_without_numpy_columns_are_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_snapshot, "find_spec", lambda _name: None)
    calls = bench_snapshot._calls(bench_snapshot.Codec(bench_snapshot.PLAYER), 16)
    packets = {name: call() for name, call in calls.items() if name.endswith("encode tenth")}
    monkeypatch.undo()
    again = bench_snapshot._calls(bench_snapshot.Codec(bench_snapshot.PLAYER), 16)
    assert {name: again[name]() for name in packets} == packets
    assert len(set(packets.values())) == 1


def test_no_figure_of_another_machine_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_snapshot, "measure_snapshot", lambda _rounds, _tell, *, slow: LINES)
    result = CliRunner().invoke(app, ["snapshot"])
    assert "Rust" not in result.output
    assert "faster" not in result.output
