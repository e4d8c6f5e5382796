"""``retick snapshot`` and ``python -m benchmarks snapshot --trace`` on a short trace and on a folder of packets."""

import json
import lzma
import re
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from retick.cli.app import app
from retick.cli.snapshot_scoring import read_source, trace_schema
from retick.snapshot import (
    Codec,
    CompactSender,
    Component,
    Field,
    Group,
    Hold,
    Prior,
    Schema,
    Snapshot,
    UInt,
    schema_from_json,
    schema_to_json,
)
from retick.snapshot.compact.prior import empty_prior
from retick.snapshot.layout import DELTA, HEADER, MAGIC
from tests.cli.test_exit_codes import app_of
from tests.snapshot.compact.test_packet import BODY, body

TRACE = Path(__file__).parents[1] / "vectors/compact/cubes30.bin.xz"
ENTITIES = ["--entities", "96"]


def invoked(arguments: Sequence[Any]) -> Result:
    """``retick``, or ``python -m benchmarks`` if that is the first word."""
    line, words = app_of(" ".join(map(str, arguments[:1])))
    return CliRunner().invoke(line, [*words, *map(str, arguments[1:])])


def run(*arguments: Any) -> str:
    result = invoked(arguments)
    assert result.exit_code == 0, result.output
    return result.output


def refused(*arguments: Any) -> str:
    result = invoked(arguments)
    assert result.exit_code == 2, result.output
    return result.stderr


def sizes_in(shown: str, line: str) -> list[float]:
    """The numbers before a line's text."""
    [found] = [one for one in shown.splitlines() if one.endswith(f"  {line}")]
    return [float(number) for number in re.findall(r"\d+\.\d", found)]


def test_a_trace_is_measured_and_compact_beats_plain() -> None:
    found = json.loads(run("benchmarks", "snapshot", "--trace", TRACE, *ENTITIES, "--json"))
    sizes = {one["name"]: one["bytes"] for one in found["scores"]}
    assert sizes["carried"] < 0.5 * sizes["plain v2"]
    assert sizes["stateless"] < 0.5 * sizes["plain v2"]
    assert "carried" in run("benchmarks", "snapshot", "--trace", TRACE, *ENTITIES)


def test_a_file_that_is_no_trace_is_misuse(tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(b"12345")
    (tmp_path / "x.xz").write_bytes(b"12345")
    for name in ("x.bin", "x.xz"):
        result = invoked(["benchmarks", "snapshot", "--trace", str(tmp_path / name)])
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


def test_costs_are_never_negative_and_their_sum_is_what_is_sent(tmp_path: Path) -> None:
    """Noise gains so little that packets are compared with their plain form, and some go that way."""
    noise = Schema([Component(1, [Field(1, UInt(32)), Field(2, UInt(32))])])
    folder, schema = tmp_path / "capture", tmp_path / "schema.json"
    folder.mkdir()
    schema.write_text(schema_to_json(noise))
    draws, codec = Random(2), Codec(noise)
    for tick in range(1, 30):
        # Now and then an entity is missing, and the history has a gap.
        rows = {at: {1: (draws.getrandbits(32), draws.getrandbits(32))} for at in range(10) if (at + tick) % 7}
        if tick % 9:
            (folder / f"{tick:02}").write_bytes(codec.encode_full(Snapshot.of(noise, tick=tick, entities=rows)))
    shown = run("snapshot", "explain", folder, "--schema", schema)
    rows_shown = [[float(number) for number in re.findall(r"-?\d+\.\d", line)] for line in shown.splitlines()[1:]]
    assert all(cost >= 0.0 for row in rows_shown for cost in row)
    assert sum(row[1] for row in rows_shown[:-1]) == pytest.approx(rows_shown[-1][1], abs=0.3)


def said(*arguments: Any) -> str:
    """What a command says beside its result."""
    result = invoked(arguments)
    assert result.exit_code == 0, result.output
    return result.stderr


def test_packets_whose_baselines_are_missing_are_counted(tmp_path: Path) -> None:
    folder, schema = tmp_path / "capture", tmp_path / "schema.json"
    folder.mkdir()
    schema.write_text(schema_to_json(BODY))
    codec = Codec(BODY, version=2)
    (folder / "01").write_bytes(codec.encode_full(body(1, 1)))
    for tick in range(2, 12):
        (folder / f"{tick:02}").write_bytes(codec.encode_delta(body(1, tick - 1), body(1, tick)))
    command = ["snapshot", "explain", folder, "--schema", schema, "--lag", 1]
    assert said(*command) == ""
    (folder / "11").unlink()
    (folder / "09").unlink()
    assert "a packet was left out" in said(*command)
    (folder / "07").unlink()
    assert "2 packets were left out" in said(*command)


def test_a_prior_of_other_groups_is_named(tmp_path: Path) -> None:
    prior, schema = tmp_path / "cubes.prior", tmp_path / "held.json"
    run("snapshot", "train", TRACE, *ENTITIES, "--no-fit", "--out", prior)
    declared = trace_schema()
    held = Schema(declared.components, [Group(owner.id, (item.id,), Hold()) for owner, item in declared.fields])
    schema.write_text(schema_to_json(held, names=True))
    for command in (["snapshot", "explain", TRACE], ["benchmarks", "snapshot", "--json", "--trace", TRACE]):
        assert said(*command, *ENTITIES, "--prior", prior) == ""
        assert f"{prior} was trained with other groups" in said(
            *command, *ENTITIES, "--prior", prior, "--schema", schema
        )


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


def test_train_explain_and_bench_count_the_same_and_say_what(tmp_path: Path) -> None:
    trained = run("snapshot", "train", TRACE, *ENTITIES, "--no-fit", "--out", tmp_path / "cubes.prior")
    carried, stateless = sizes_in(trained, "as declared, with the new prior")
    prior = ["--prior", tmp_path / "cubes.prior"]
    explained = run("snapshot", "explain", TRACE, *ENTITIES, *prior)
    found = json.loads(run("benchmarks", "snapshot", "--trace", TRACE, *ENTITIES, *prior, "--json"))
    sizes = {one["name"]: round(one["bytes"], 1) for one in found["scores"]}
    assert sizes_in(explained, "all") == [sizes["plain v2"], carried]
    assert (carried, stateless) == (sizes["carried"], sizes["stateless"])
    for shown in (trained, explained, found["counted"]):
        assert "bytes a packet: payload without check, without header" in shown


def test_a_fit_that_is_worse_than_the_declaration_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def worse(schema: Schema, *_: Any, **__: Any) -> Schema:
        return Schema(schema.components, [Group(owner.id, (item.id,), Hold()) for owner, item in schema.fields])

    monkeypatch.setattr("retick.cli.snapshot.fit", worse)
    fitted = tmp_path / "fitted.json"
    shown = run("snapshot", "train", TRACE, *ENTITIES, "--out", tmp_path / "cubes.prior", "--schema-out", fitted)
    assert shown.rstrip().endswith("as declared")
    assert schema_from_json(fitted.read_bytes()).groups == trace_schema().groups


def test_a_trace_with_a_value_out_of_range_is_misuse_and_names_file_frame_and_field(tmp_path: Path) -> None:
    data = bytearray(lzma.decompress(TRACE.read_bytes()))
    at = 4 * 8 * (96 * 2 + 5) + 4
    data[at : at + 4] = (-7).to_bytes(4, "little", signed=True)
    path = tmp_path / "bad.bin"
    path.write_bytes(data)
    for command in (["snapshot", "explain", path], ["benchmarks", "snapshot", "--trace", path]):
        message = refused(*command, *ENTITIES)
        assert f"{path}: frame 2: entity 5, component 1, field 2 (cube.orientation_a): -7 does not fit" in message


@pytest.mark.parametrize("option", [["--checked"], ["--entities", "7"], ["--prior", "x"], ["--schema", "x"]])
def test_options_of_a_trace_without_one_are_misuse(option: list[str]) -> None:
    assert "--trace FILE" in refused("benchmarks", "snapshot", *option)


def test_a_file_that_is_no_prior_or_no_schema_is_misuse_and_named(tmp_path: Path) -> None:
    (tmp_path / "bad").write_bytes(b"12345")
    assert str(tmp_path / "bad") in refused("snapshot", "explain", TRACE, *ENTITIES, "--prior", tmp_path / "bad")
    assert str(tmp_path / "bad") in refused("snapshot", "explain", tmp_path, "--schema", tmp_path / "bad")


def test_compact_packets_of_another_prior_are_read_with_it_and_else_the_need_is_named(tmp_path: Path) -> None:
    codec = Codec(BODY, compact=True, prior=empty_prior(), sealed=True)
    folder, schema, prior = tmp_path / "capture", tmp_path / "schema.json", tmp_path / "game.prior"
    folder.mkdir()
    (folder / "1").write_bytes(codec.encode_full(body(1, 1)))
    (folder / "2").write_bytes(codec.encode_delta(body(1, 1), body(1, 2)))
    schema.write_text(schema_to_json(BODY))
    prior.write_bytes(empty_prior().to_bytes())
    command = ["snapshot", "explain", folder, "--schema", schema, "--lag", 1]
    assert "--prior for compact packets" in refused(*command)
    assert "1 packets" in run(*command, "--prior", prior)
    (folder / "1").unlink()
    assert "no full snapshot" in refused(*command, "--prior", prior)


def test_carried_packets_in_a_folder_are_refused_in_words(tmp_path: Path) -> None:
    codec = Codec(BODY, compact=True)
    sender = CompactSender(codec)
    sender.encode(body(1, 1))
    sender.acknowledge(1)
    tick, baseline, payload = sender.encode(body(1, 2))
    (tmp_path / "1").write_bytes(codec.encode_full(body(1, 1)))
    header = HEADER.pack(MAGIC, 3, DELTA, codec.schema_hash, tick, baseline, len(payload))
    (tmp_path / "2").write_bytes(header + payload)
    (tmp_path / "schema.json").write_text(schema_to_json(BODY))
    message = refused("snapshot", "explain", tmp_path, "--schema", tmp_path / "schema.json", "--lag", 1)
    assert "a packet with carried statistics, which only its own receiver can read" in message


def test_a_folder_needs_its_schema_and_enough_snapshots(tmp_path: Path) -> None:
    assert CliRunner().invoke(app, ["snapshot", "explain", str(tmp_path)]).exit_code == 2
    (tmp_path / "schema.json").write_text(schema_to_json(BODY))
    (tmp_path / "one.bin").write_bytes(Codec(BODY).encode_full(body(1, 1)))
    result = CliRunner().invoke(app, ["snapshot", "explain", str(tmp_path), "--schema", str(tmp_path / "schema.json")])
    assert result.exit_code == 2


def test_a_trace_takes_other_groups_and_refuses_other_fields_and_folders(tmp_path: Path) -> None:
    fitted, other = tmp_path / "fitted.json", tmp_path / "other.json"
    fitted.write_text(schema_to_json(Schema(trace_schema().components)), encoding="utf-8")
    other.write_text(schema_to_json(BODY), encoding="utf-8")
    for command in (["snapshot", "explain", TRACE], ["benchmarks", "snapshot", "--trace", TRACE]):
        assert run(*command, *ENTITIES) != run(*command, *ENTITIES, "--schema", fitted)
        assert "does not have the fields of traces" in refused(*command, *ENTITIES, "--schema", other)
    assert "takes a file" in refused("benchmarks", "snapshot", "--trace", tmp_path)
    assert "no targets" in refused("benchmarks", "snapshot", "--trace", TRACE, *ENTITIES, "--check")


def test_a_packed_trace_unpacks_to_no_more_than_a_file_of_its_size_may(tmp_path: Path) -> None:
    packer = lzma.LZMACompressor(preset=0)
    parts = [packer.compress(bytes(1 << 20)) for _ in range(64)]
    (tmp_path / "bomb.bin.xz").write_bytes(b"".join([*parts, packer.flush()]))
    result = CliRunner().invoke(app, ["snapshot", "explain", str(tmp_path / "bomb.bin.xz")])
    assert result.exit_code == 2
    assert "it unpacks to more than the 1" in result.stderr
