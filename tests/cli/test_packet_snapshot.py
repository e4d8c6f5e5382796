"""``retick packet`` on snapshots: one packet, a folder, a session's frames; with and without their schema."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from retick.cli.app import app
from retick.snapshot import Codec, Component, Field, Schema, Snapshot, UInt, schema_to_json

SCHEMA = Schema(
    [
        Component(1, [Field(1, UInt(10), name="x"), Field(2, UInt(30), name="y")], name="position"),
        Component(2, [Field(1, UInt(4), name="hp")], name="health"),
    ]
)
CODEC = Codec(SCHEMA, version=2)
BASE = Snapshot.of(SCHEMA, tick=1, entities={1: {1: (1, 2), 2: (3,)}, 7: {1: (4, 5)}})
NEXT = Snapshot.of(SCHEMA, tick=2, entities={1: {1: (1, 9), 2: (3,)}, 7: {1: (4, 5)}})


@pytest.fixture
def schema_file(tmp_path: Path) -> str:
    path = tmp_path / "schema.json"
    path.write_text(schema_to_json(SCHEMA, names=True))
    return str(path)


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["packet", *arguments])
    assert result.exit_code == code, result.output
    return result.output


def test_entities_and_fields_are_shown_with_bit_offsets_and_costs(schema_file: str) -> None:
    output = run(CODEC.encode_full(BASE).hex(), "--schema", schema_file)
    assert "snapshot full v2 tick 1: EntityCreate 2" in output
    assert "284     10      position.x = 1" in output
    assert "all of position" in output
    assert "%" in output


def test_without_a_schema_it_says_how_to_see_more() -> None:
    output = run(CODEC.encode_full(BASE).hex())
    assert "EntityCreate" in output
    assert "--schema FILE" in output
    assert "position" not in output


def test_json_has_every_part(schema_file: str) -> None:
    packet = CODEC.encode_delta(BASE, NEXT)
    document = json.loads(run(packet.hex(), "--schema", schema_file, "--json"))
    [report] = document["snapshots"]["packets"]
    assert (report["kind"], report["tick"], report["baseline_tick"]) == ("delta", 2, 1)
    [entity] = report["sections"][0]["entities"]
    assert [(part["label"], part["value"], part["bits"]) for part in entity["fields"]] == [("position.y", 9, 30)]
    assert sum(document["snapshots"]["costs"].values()) == 8 * len(packet)
    assert document["snapshots"]["component_costs"] == {"position": 30}


def test_a_folder_is_summed_up(tmp_path: Path, schema_file: str) -> None:
    folder = tmp_path / "packets"
    folder.mkdir()
    (folder / "1.bin").write_bytes(CODEC.encode_full(BASE))
    (folder / "2.bin").write_bytes(CODEC.encode_delta(BASE, NEXT))
    output = run(str(folder), "--schema", schema_file)
    assert "1.bin  snapshot full" in output
    assert "of 2 snapshot packets" in output
    assert "position.y" in output


def test_compact_frames_need_the_session_tick(schema_file: str) -> None:
    frame = CODEC.encode_frame(BASE, NEXT, last_tick=1)
    assert "compact snapshot delta v2 tick 2 from 1" in run(frame.hex(), "--last-tick", "1", "--schema", schema_file)
    run(frame.hex(), code=1)
    run("02ffff", "--last-tick", "1", code=1)


def test_a_bad_packet_is_told_with_its_code(schema_file: str) -> None:
    packet = bytearray(CODEC.encode_full(BASE))
    packet[30] = 200
    assert "Bitstream." in run(bytes(packet).hex(), "--schema", schema_file, code=1)


def test_a_schema_that_is_none_is_misuse(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    for name in (str(bad), str(tmp_path / "missing.json")):
        result = CliRunner().invoke(app, ["packet", CODEC.encode_full(BASE).hex(), "--schema", name])
        assert result.exit_code == 2
