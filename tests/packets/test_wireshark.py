"""The dissector in a real tshark: its fields are those of the library's own decoding."""

import io
import os
import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from retick.link.layout import CONTROL, ENVELOPE_SIZE, PAYLOAD, REQUEST
from retick.netrunner.delta import acked_input
from retick.packets.formats import Explainer, explain_datagram
from retick.packets.pcapng import Exporter
from retick.packets.wireshark import dissector
from retick.snapshot.inspect import SnapshotExplainer
from retick.transport.capture import CaptureWriter, Recorded, read_capture
from retick.wire import rbn1
from tests.link.test_explain import real_datagrams, sealed_datagrams
from tests.netrunner.test_explain import PACKETS_SENT
from tests.packets.test_explain import SAID, SENT
from tests.packets.test_formats import as_message, in_a_link, match_capture
from tests.programs import path_of

SLOW = rbn1.InputPacket(90_000, 89_998, (3, 0x10203040) * 9 + (4, 0x10203041) * 9, 5, 9, None, None, 4, 2)
WIDE = rbn1.InputPacket(9, 8, (1, 2, 3, 4, 5, 6), 5, 9, rbn1.TimeSync(1, -1), rbn1.LossStats(1, 1), 3, 3)


HEADERS = 28
"""Bytes of IPv4 and UDP."""
AS_ONE = {"server held back", "server viewed back", "server count and inputs, in bits"}
"""Fields of no fixed size, which the dissector shows as one; and so it does with a session's message."""


class Tshark:
    """Reads files with the dissector; what it complains about fails the test."""

    def __init__(self, folder: Path) -> None:
        self._program = path_of("tshark")
        self._folder = folder
        (folder / "retick.lua").write_text(dissector(), encoding="utf-8")

    def write(self, records: list[Recorded]) -> None:
        (self._folder / "match.pcapng").write_bytes(b"".join(Exporter().blocks(records)))

    def run(self, *arguments: str) -> str:
        done = subprocess.run(
            [
                self._program, "-X", f"lua_script:{self._folder / 'retick.lua'}", "-r",
                str(self._folder / "match.pcapng"), "-o", "ip.check_checksum:TRUE", "-o", "udp.check_checksum:TRUE",
                *arguments,
            ],
            capture_output=True, text=True, timeout=120, env={**os.environ, "HOME": str(self._folder)}, check=True,
        )  # fmt: skip
        lines = [line for line in done.stderr.splitlines() if line and "Running as user" not in line]
        assert lines == []
        return done.stdout

    def columns(self, *fields: str, only: str = "frame") -> list[list[str]]:
        """A row for each packet, a column for each field; several values of one have commas between them."""
        wanted = [word for field in fields for word in ("-e", field)]
        return [line.split("\t") for line in self.run("-Y", only, "-T", "fields", *wanted).splitlines()]


@pytest.fixture
def tshark(tmp_path: Path) -> Tshark:
    return Tshark(tmp_path)


def numbers(text: str) -> list[int]:
    return [int(part, 0) for part in text.split(",") if part]


def test_a_match_is_read_as_the_library_reads_it(tshark: Tshark) -> None:
    records = list(read_capture(match_capture()))
    tshark.write(records)
    fields = (
        "retick.kind", "retick.link.sequence", "retick.link.connection_id", "retick.rbn1.start_frame",
        "retick.rbn1.ack_frame", "retick.inputs", "retick.frame", "retick.input", "retick.rbn1.checksum",
        "udp.payload", "retick.cut_short", "_ws.malformed", "udp.checksum.status", "ip.checksum.status",
        "frame.time_epoch", "frame.packet_flags_direction",
    )  # fmt: skip
    rows = tshark.columns(*fields)
    assert len(rows) == len(records)
    carried = 0
    for record, row in zip(records, rows, strict=True):
        found = dict(zip(fields, row, strict=True))
        assert bytes.fromhex(found["udp.payload"]) == record.data
        assert found["retick.cut_short"] == found["_ws.malformed"] == ""
        assert (found["udp.checksum.status"], found["ip.checksum.status"]) == ("1", "1")
        assert float(found["frame.time_epoch"]) == pytest.approx(record.time, abs=2e-6)
        assert numbers(found["frame.packet_flags_direction"]) == [2 if record.sent else 1]
        explained = {line.field: line.value for line in explain_datagram(record.data).rows}
        assert explain_datagram(record.data).format == f"link {found['retick.kind']}"
        if "sequence" in explained:
            assert found["retick.link.sequence"] == explained["sequence"]
        if "connection id" in explained:
            assert int(found["retick.link.connection_id"], 0) == int(explained["connection id"], 16)
        if PAYLOAD <= record.data[0] < CONTROL:
            packet = rbn1.decode(record.data[ENVELOPE_SIZE:], rbn1.ALL_EXTENSIONS)
            carried += 1
            frames = range(packet.start_frame, packet.start_frame + len(packet.inputs))
            assert numbers(found["retick.rbn1.start_frame"]) == [packet.start_frame]
            assert numbers(found["retick.rbn1.ack_frame"]) == [packet.ack_frame]
            assert numbers(found["retick.inputs"]) == [len(packet.inputs)]
            assert numbers(found["retick.frame"]) == list(frames)
            assert numbers(found["retick.input"]) == list(packet.inputs)
            assert numbers(found["retick.rbn1.checksum"]) == ([] if packet.checksum is None else [packet.checksum])
    assert carried > 60


def test_datagrams_are_found_by_frame_inputs_and_kind(tshark: Tshark) -> None:
    records = list(read_capture(match_capture()))
    tshark.write(records)
    packets = {
        number: rbn1.decode(record.data[ENVELOPE_SIZE:], rbn1.ALL_EXTENSIONS)
        for number, record in enumerate(records, 1)
        if PAYLOAD <= record.data[0] < CONTROL
    }

    def matching(wanted: str) -> list[int]:
        return [int(number) for (number,) in tshark.columns("frame.number", only=wanted)]

    assert matching("retick.frame == 20") == [
        number
        for number, packet in packets.items()
        if packet.start_frame <= 20 < packet.start_frame + len(packet.inputs)
    ]
    assert matching("retick.inputs > 2") == [number for number, packet in packets.items() if len(packet.inputs) > 2]
    kinds = [number for number, record in enumerate(records, 1) if record.data[0] == CONTROL]
    assert matching('retick.kind == "CONTROL"') == kinds != []
    assert len(matching('retick.message == "START"')) == 1


def test_every_field_of_a_table_is_read(tshark: Tshark) -> None:
    """All kinds of link datagrams, and what servers send: each field stands where the explainer says."""
    datagrams = [
        *real_datagrams(), *map(in_a_link, (*PACKETS_SENT[:2], *SENT)), *map(as_message, (*PACKETS_SENT[2:], *SAID)),
        rbn1.encode(WIDE, 7), in_a_link(rbn1.encode(SLOW, rbn1.ALL_EXTENSIONS)),
        in_a_link(acked_input(7, PACKETS_SENT[0])),
    ]  # fmt: skip
    tshark.write([Recorded(0.0, True, "192.0.2.7:7777", data) for data in datagrams])
    packets = ET.fromstring(tshark.run("-T", "pdml")).findall("packet")
    assert len(packets) == len(datagrams)
    for data, packet in zip(datagrams, packets, strict=True):
        fields = [field for field in packet.iter("field") if field.get("name", "").startswith("retick.")]
        assert fields, data.hex()
        assert "cut_short" not in {field.get("name", "").rpartition(".")[2] for field in fields}
        places = {(int(field.get("pos", "0")) - HEADERS, int(field.get("size", "0"))) for field in fields}
        for row in explain_datagram(data).rows:
            if row.size and row.field not in AS_ONE and not row.field.startswith("session "):
                assert (row.offset, row.size) in places, row
    values = tshark.run("-T", "json", "--no-duplicate-keys")
    for wanted in (
        '"retick.netrunner.locomotion"', '"retick.netrunner.move_speed": "9"', '"retick.content": "world snapshot"',
        '"retick.message": "ROOM_OVER"', '"retick.link.game_id": "duel"', '"retick.rbn1.time_sync_lead": "-1"',
    ):  # fmt: skip
        assert wanted in values, wanted


def test_packed_inputs_are_unpacked(tshark: Tshark) -> None:
    packets = [SLOW, rbn1.InputPacket(9, 8, (0,) * 32, input_size=8), rbn1.InputPacket(70_000, 69_990, (1, 1, 1, 513))]
    payloads = [rbn1.encode(packet, rbn1.ALL_EXTENSIONS) for packet in packets]
    assert [data[0] >> 4 for data in payloads] == [10, 10, 10]
    datagrams = [*real_datagrams(), *map(in_a_link, payloads)]
    tshark.write([Recorded(0.0, True, "192.0.2.7:7777", data) for data in datagrams])
    rows = tshark.columns("retick.rbn1.ack_frame", "retick.input", "retick.content", "retick.cut_short")[-3:]
    assert [numbers(row[0]) for row in rows] == [[packet.ack_frame] for packet in packets]
    assert [numbers(row[1]) for row in rows] == [list(packet.inputs) for packet in packets]
    assert {tuple(row[2:]) for row in rows} == {("RBN1", "")}


def test_sealed_datagrams_are_shown_as_such_from_the_handshake_on(tshark: Tshark) -> None:
    datagrams, _ = sealed_datagrams()
    tshark.write([Recorded(0.0, True, "192.0.2.7:7777", data) for data in datagrams])
    packets = ET.fromstring(tshark.run("-2", "-T", "pdml")).findall("packet")
    explain = Explainer(SnapshotExplainer(keep_all=False)).explain
    for data, packet in zip(datagrams, packets, strict=True):
        fields = [field for field in packet.iter("field") if field.get("name", "").startswith("retick.")]
        names = {field.get("name", "") for field in fields}
        assert "retick.cut_short" not in names
        assert ("retick.tag" in names) == (data[0] < REQUEST)
        assert not names & {"retick.content", "retick.payload", "retick.link.received", "retick.link.reason"}
        places = {(int(field.get("pos", "0")) - HEADERS, int(field.get("size", "0"))) for field in fields}
        for row in explain(data).rows:
            assert (row.offset, row.size) in places, row
    assert len(tshark.columns("frame.number", only="retick.sealed")) > 5
    assert tshark.columns("retick.link.pattern", only='retick.kind == "HELLO"') == [["0"]]


def test_bytes_of_strangers_and_cut_datagrams_break_nothing(tshark: Tshark) -> None:
    strangers = [b"", b"\x00" * 40, b"\xc0" + bytes(30), b"\x90", b"GET / HTTP/1.1\r\n", b"RBN1", b"\xe0RTL"]
    cut = [
        data[:size] for data in (*real_datagrams(), *sealed_datagrams()[0]) for size in range(1, min(len(data), 40), 3)
    ]
    tshark.write([Recorded(0.0, True, "192.0.2.7:7777", data) for data in (*real_datagrams()[:1], *strangers, *cut)])
    text = tshark.run("-V")
    assert "Lua Error" not in text
    assert "Dissector bug" not in text


def test_a_capture_that_is_written_and_read_keeps_its_bytes() -> None:
    file = io.BytesIO()
    CaptureWriter(file).add(b"data", ("192.0.2.7", 7777), sent=True, now=3.0)
    assert b"".join(Exporter().blocks(read_capture(file.getvalue()))).count(b"data") == 1
