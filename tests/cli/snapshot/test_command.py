"""``retick snapshot`` and ``retick bench snapshot --trace`` on a short trace and on a folder of packets."""

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from retick.cli.app import app
from retick.cli.snapshot.sources import read_source
from retick.snapshot import Codec, Prior, Snapshot, schema_from_json, schema_to_json
from tests.snapshot.compact.test_packet import BODY, body

TRACE = Path(__file__).parents[2] / "vectors/compact/cubes30.bin.xz"
ENTITIES = ["--entities", "96"]


def run(*arguments: Any) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.output


def test_a_trace_is_measured_and_compact_beats_plain() -> None:
    found = json.loads(run("bench", "snapshot", "--trace", TRACE, *ENTITIES, "--json"))
    sizes = {one["name"]: one["bytes"] for one in found["scores"]}
    assert sizes["carried"] < 0.5 * sizes["plain v2"]
    assert sizes["stateless"] < 0.5 * sizes["plain v2"]
    assert "carried" in run("bench", "snapshot", "--trace", TRACE, *ENTITIES)


def test_a_file_that_is_no_trace_is_misuse(tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(b"12345")
    (tmp_path / "x.xz").write_bytes(b"12345")
    for name in ("x.bin", "x.xz"):
        result = CliRunner().invoke(app, ["bench", "snapshot", "--trace", str(tmp_path / name)])
        assert result.exit_code == 2


def test_costs_are_shown_by_group() -> None:
    shown = run("snapshot", "explain", TRACE, *ENTITIES)
    assert "cube.position_z, cube.position_x, cube.position_y (Motion)" in shown
    assert "which entities have changed" in shown


def test_a_folder_of_packets_trains_a_prior_that_a_codec_takes(tmp_path: Path) -> None:
    folder = tmp_path / "capture"
    folder.mkdir()
    codec = Codec(BODY, version=2)
    for tick in range(1, 40):
        full = tick == 1
        data = codec.encode_full(body(1, 1)) if full else codec.encode_delta(body(1, tick - 1), body(1, tick))
        (folder / f"{tick:03}.bin").write_bytes(data)
    (folder / "notes.txt").write_text("not a packet")
    schema, out, fitted = tmp_path / "schema.json", tmp_path / "game.prior", tmp_path / "fitted.json"
    schema.write_text(schema_to_json(BODY, names=True))
    run("snapshot", "train", folder, "--schema", schema, "--out", out, "--schema-out", fitted, "--lag", 2)
    prior = Prior.from_bytes(out.read_bytes())
    trained = Codec(schema_from_json(fitted.read_bytes()), compact=True, prior=prior)
    assert trained.apply_delta(body(1, 3), trained.encode_delta(body(1, 3), body(1, 4))) == body(1, 4)
    assert "all" in run("snapshot", "explain", folder, "--schema", schema, "--prior", out, "--lag", 2)


def test_a_folder_may_hold_compact_packets_too(tmp_path: Path) -> None:
    codec = Codec(BODY, compact=True)
    made: list[Snapshot] = []
    for tick in range(1, 30):
        older = [made[-1 - age] for age in (1, 3, 8)] if tick > 9 else []
        current = body(1, tick)
        data = codec.encode_delta(made[-1], current, history=older) if made else codec.encode_full(current)
        (tmp_path / f"{tick:03}.bin").write_bytes(data)
        made.append(current)
    schema = tmp_path / "schema.json"
    schema.write_text(schema_to_json(BODY, names=True))
    assert read_source(tmp_path, schema).snapshots == made


def test_a_folder_needs_its_schema_and_enough_snapshots(tmp_path: Path) -> None:
    assert CliRunner().invoke(app, ["snapshot", "explain", str(tmp_path)]).exit_code == 2
    (tmp_path / "schema.json").write_text(schema_to_json(BODY))
    (tmp_path / "one.bin").write_bytes(Codec(BODY).encode_full(body(1, 1)))
    result = CliRunner().invoke(app, ["snapshot", "explain", str(tmp_path), "--schema", str(tmp_path / "schema.json")])
    assert result.exit_code == 2
