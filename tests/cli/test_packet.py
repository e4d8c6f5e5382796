"""``retick packet``: hex, files, captures, standard input; exit codes 0, 1 and 2."""

import io
import json
import os
import tracemalloc
from pathlib import Path

import pytest
from typer.testing import CliRunner

from retick import replay
from retick.cli.app import app
from retick.snapshot import Codec, Component, Field, Schema, Snapshot, UInt, schema_to_json
from retick.transport import CaptureWriter
from tests.link.test_explain import keys_in, real_datagrams, sealed_datagrams

PINNED = "52424e31 01 00 01000000 01 02000000 0300"


def run(*arguments: str, stdin: bytes | None = None, code: int = 0) -> str:
    result = CliRunner().invoke(app, ["packet", *arguments], input=stdin)
    assert result.exit_code == code, result.output
    return result.output


def capture(datagrams: list[bytes] | None = None) -> bytes:
    file = io.BytesIO()
    writer = CaptureWriter(file)
    for i, data in enumerate(real_datagrams() if datagrams is None else datagrams):
        writer.add(data, ("10.0.0.1", 7777), sent=i % 2 == 0, now=i / 60)
    return file.getvalue()


def test_hex_is_explained_field_by_field() -> None:
    output = run(PINNED)
    assert "RBN1 1 frame from 1, ack 2 (17 bytes)" in output
    assert "0x0003" in output
    assert run(PINNED.replace(" ", ":")) == run("0x" + PINNED.replace(" ", "")) == output


def test_a_datagram_may_have_more_digits_than_a_file_name_can() -> None:
    request = real_datagrams()[0]
    assert len(request) > 255
    assert f"({len(request)} bytes)" in run(request.hex())


def test_a_file_is_read_even_if_its_name_is_hex_digits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cafe").write_bytes(capture())
    assert "link REQUEST" in run("cafe")


def test_json_has_the_same_fields() -> None:
    document = json.loads(run(PINNED, "--json"))
    [found] = document["datagrams"]
    assert found["format"] == "RBN1"
    assert found["fault"] is None
    assert found["fields"][-1] == {"offset": 15, "size": 2, "field": "input 1", "value": "0x0003", "meaning": ""}


def test_files_hold_raw_bytes_hex_lines_or_a_capture(tmp_path: Path) -> None:
    raw, lines, captured = tmp_path / "raw.bin", tmp_path / "lines.txt", tmp_path / "match.rtkc"
    raw.write_bytes(bytes.fromhex(PINNED))
    assert run(str(raw)) == run(PINNED)
    lines.write_text(f"{PINNED}\n\n{PINNED}\n")
    assert "2 datagrams, 34 bytes: 2 RBN1" in run(str(lines))
    captured.write_bytes(capture())
    output = run(str(captured))
    assert "PAYLOAD to" in output
    assert "link CONTROL" in output
    assert "connection id" not in output
    assert "connection id" in run(str(captured), "--full")
    assert len(run(str(captured), "--limit", "3").splitlines()) == 4


def test_a_sealed_capture_is_opened_with_its_key_log(tmp_path: Path) -> None:
    datagrams, log = sealed_datagrams()
    captured, keys = tmp_path / "match.rtkc", tmp_path / "keys.txt"
    captured.write_bytes(capture(datagrams))
    keys.write_text(log)
    assert "RBN1" not in run(str(captured))
    assert "link PAYLOAD, sealed" in run(str(captured))
    output = run(str(captured), "--keylog", str(keys), "--full")
    assert "rbn1 start frame" in output
    assert "application data" in output
    assert not any(key in output for key in keys_in(log))


@pytest.mark.parametrize("words", ["", "# nothing\n"])
def test_a_key_log_that_has_opened_nothing_is_said_in_one_line(tmp_path: Path, words: str) -> None:
    datagrams, log = sealed_datagrams()
    captured, keys = tmp_path / "match.rtkc", tmp_path / "keys.txt"
    captured.write_bytes(capture(datagrams))
    keys.write_text(words)
    result = CliRunner().invoke(app, ["packet", str(captured), "--keylog", str(keys)])
    assert result.stderr == f"retick: {keys} opens no datagram: it is empty, or belongs to another match\n"
    keys.write_text(log)
    assert CliRunner().invoke(app, ["packet", str(captured), "--keylog", str(keys)]).stderr == ""


@pytest.mark.parametrize(("head", "name"), [("0a0d0d0a", "pcapng"), ("d4c3b2a1", "pcap")])
def test_a_capture_of_another_program_is_named_with_what_reads_it(tmp_path: Path, head: str, name: str) -> None:
    file = tmp_path / "match.cap"
    file.write_bytes(bytes.fromhex(head) + bytes(100000))
    result = CliRunner().invoke(app, ["packet", str(file)])
    assert result.exit_code == 2
    assert result.stderr.startswith(f"retick: {file} is a {name} file: Wireshark and tshark read it")


def test_a_key_log_that_is_none_is_said_in_one_line_without_keys(tmp_path: Path) -> None:
    keys = tmp_path / "keys.txt"
    key = "11" * 32
    keys.write_text(f"RETICK1 1 2 {key}\n")
    result = CliRunner().invoke(app, ["packet", PINNED, "--keylog", str(keys)])
    assert result.exit_code == 2
    assert "line 1 does not belong in a key log" in result.stderr
    assert key not in result.stderr
    result = CliRunner().invoke(app, ["packet", PINNED, "--keylog", str(tmp_path / "missing")])
    assert result.exit_code == 2
    assert "missing" in result.stderr


def test_standard_input_is_read() -> None:
    assert run("-", stdin=bytes.fromhex(PINNED)) == run(PINNED)
    assert run("-", stdin=PINNED.encode()) == run(PINNED)


def test_what_is_not_good_ends_with_1_and_says_why(tmp_path: Path) -> None:
    assert "NOT GOOD: Truncated" in run("52424e31", code=1)
    assert "no known first bytes" in run("00", code=1)
    broken = tmp_path / "broken.rtkc"
    broken.write_bytes(capture()[:-1])
    assert "the capture ends here" in run(str(broken), code=1)
    assert json.loads(run(str(broken), "--json", code=1))["fault"]


def test_a_capture_in_which_nothing_passed_says_so(tmp_path: Path) -> None:
    quiet = tmp_path / "quiet.rtkc"
    quiet.write_bytes(capture()[:8])
    assert run(str(quiet)) == "no datagrams\n"


@pytest.mark.parametrize("name", ["match.rtk", "match.rplk"])
def test_a_replay_is_named_as_one_with_the_command_that_reads_it(tmp_path: Path, name: str) -> None:
    replay.save(tmp_path / name, replay.Replay(seed=1, frames=bytes(40)))
    assert "retick replay info" in run(str(tmp_path / name), code=1)


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "a PNG picture, not a datagram"),
        (b"\xff\xd8\xff\xe0\0\x10JFIF", "a JPEG picture, not a datagram"),
        (b"PK\x03\x04\x14\0\0\0", "retick desync explain FILE"),
    ],
)
def test_a_file_of_another_kind_is_refused_and_not_explained(tmp_path: Path, start: bytes, words: str) -> None:
    (tmp_path / "file").write_bytes(start + bytes(64))
    said = run(str(tmp_path / "file"), code=1)
    assert words in said
    assert "offset" not in said


def test_a_file_too_long_for_a_datagram_is_said_to_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"\x90" + bytes(2000))
    assert "NOT GOOD: too long: a datagram has at most 1472 bytes, not 2001" in run(str(tmp_path / "file"), code=1)


@pytest.mark.parametrize("source", ["no such file", "z" * 600, "nul\0"])
def test_misuse_is_said_in_one_line(source: str) -> None:
    result = CliRunner().invoke(app, ["packet", source])
    assert result.exit_code == 2
    assert "neither hex digits nor a file" in result.stderr


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


def test_a_schema_that_is_none_is_misuse(tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    for name in (str(bad), str(tmp_path / "missing.json")):
        result = CliRunner().invoke(app, ["packet", CODEC.encode_full(BASE).hex(), "--schema", name])
        assert result.exit_code == 2


def test_a_capture_of_many_datagrams_is_shown_in_flat_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also one of snapshots, whose fields are added up and not kept."""
    codec = Codec(SCHEMA)
    snapshot = codec.encode_full(Snapshot.of(SCHEMA, tick=7, entities={n: {1: (5, 6)} for n in range(1, 9)}))
    schema = tmp_path / "schema.json"
    schema.write_text(schema_to_json(SCHEMA, names=True))
    peaks = []
    for count in (50, 500):
        path = tmp_path / f"{count}.rtkc"
        with path.open("wb") as file:
            writer = CaptureWriter(file)
            for number in range(count):
                writer.add(snapshot if number % 2 else bytes.fromhex(PINNED), ("::1", 7), sent=True, now=number)
        with open(os.devnull, "w", encoding="utf-8") as nowhere:
            monkeypatch.setattr("sys.stdout", nowhere)
            tracemalloc.start()
            with pytest.raises(SystemExit):
                app(["packet", str(path), "--schema", str(schema)])
            peaks.append(tracemalloc.get_traced_memory()[1] - path.stat().st_size)
            tracemalloc.stop()
            monkeypatch.undo()
    assert peaks[1] < peaks[0] + (1 << 19)


def test_what_is_kept_of_snapshots_for_json_is_bounded_and_the_option_that_raises_it_named(tmp_path: Path) -> None:
    packet = Codec(SCHEMA).encode_full(Snapshot.of(SCHEMA, tick=7, entities={1: {1: (5, 6)}}))
    path = tmp_path / "hex.txt"
    path.write_text(f"{packet.hex()}\n" * 80)
    result = CliRunner().invoke(app, ["packet", str(path), "--json", "--budget", "1"])
    assert result.exit_code == 1
    assert "--budget MIB" in result.stderr
    assert CliRunner().invoke(app, ["packet", str(path), "--json", "--budget", "8"]).exit_code == 0


def test_a_raw_file_that_is_no_datagram_by_its_size_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.bin"
    path.write_bytes(bytes(65536))
    result = CliRunner().invoke(app, ["packet", str(path)])
    assert result.exit_code == 1
    assert "at most 65535 bytes" in result.stderr
