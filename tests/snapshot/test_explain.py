"""Snapshot packets in words: one packet, compact frames of a session, packets that are bad, and sums over many."""

import json

import pytest

from retick.snapshot import Codec, Component, Field, Schema, Snapshot, UInt
from retick.snapshot.inspect import SnapshotExplainer
from retick.snapshot.layout import HEADER, MAGIC
from tests.snapshot.compact.test_packet import BODY, body

SCHEMA = Schema(
    [
        Component(1, [Field(1, UInt(10), name="x"), Field(2, UInt(30), name="y")], name="position"),
        Component(2, [Field(1, UInt(4), name="hp")], name="health"),
    ]
)
CODEC = Codec(SCHEMA, version=2)
BASE = Snapshot.of(SCHEMA, tick=1, entities={1: {1: (1, 2), 2: (3,)}, 7: {1: (4, 5)}})
NEXT = Snapshot.of(SCHEMA, tick=2, entities={1: {1: (1, 9), 2: (3,)}, 7: {1: (4, 5)}})


def test_entities_and_fields_are_shown_with_bit_offsets_and_costs() -> None:
    explainer = SnapshotExplainer(SCHEMA)
    explanation = explainer.explain(CODEC.encode_full(BASE))
    assert explanation.fault is None
    assert explanation.summary == "snapshot full v2 tick 1: EntityCreate 2"
    assert any("284     10      position.x = 1" in line for line in explainer.detail_lines())
    assert any("all of position" in line for line in explainer.cost_lines())


def test_many_lines_are_cut_with_a_word() -> None:
    explainer = SnapshotExplainer(SCHEMA)
    explainer.explain(CODEC.encode_full(BASE))
    whole = explainer.detail_lines()
    assert explainer.detail_lines(limit=2) == [*whole[:2], f"  and {len(whole) - 2} more lines: --json has them all"]


def test_costs_are_summed_over_packets_and_account_for_every_bit() -> None:
    explainer = SnapshotExplainer(SCHEMA)
    packets = [CODEC.encode_full(BASE), CODEC.encode_delta(BASE, NEXT)]
    for packet in packets:
        explainer.explain(packet)
    assert sum(explainer.to_json()["costs"].values()) == 8 * sum(map(len, packets))
    assert explainer.cost_lines()[0].endswith(f"of 2 snapshot packets, {sum(map(len, packets))} bytes")


def test_without_a_schema_there_are_sections_and_a_hint() -> None:
    explainer = SnapshotExplainer()
    assert "EntityCreate" in explainer.explain(CODEC.encode_full(BASE)).summary
    assert explainer.detail_lines() == []
    assert explainer.cost_lines() == ["entities and fields are shown with the packet's schema: --schema FILE"]


def test_compact_frames_need_the_session_tick() -> None:
    frame = CODEC.encode_frame(BASE, NEXT, last_tick=1)
    assert not SnapshotExplainer(SCHEMA).recognises(frame)
    session = SnapshotExplainer(SCHEMA, last_tick=1)
    assert session.recognises(frame)
    assert session.explain(frame).summary.startswith("compact snapshot delta v2 tick 2 from 1")
    assert session.explain(bytes.fromhex("02ffff")).fault


def compact_packets() -> dict[str, bytes]:
    codec, sealed = Codec(BODY, compact=True), Codec(BODY, compact=True, sealed=True)
    older = [body(1, tick) for tick in (29, 27, 22)]
    base, current = body(1, 30), body(1, 32)
    born = Snapshot.of(BODY, tick=32, entities={**current.to_dict(), 9: current.to_dict()[1]})
    empty = Snapshot.of(BODY, tick=32, entities={})
    cut = codec.compact_payloads().encode(base, current, older, most_bytes=40).payload
    header = HEADER.pack(MAGIC, 3, 2, codec.schema_hash, 32, 30, len(cut))
    return {
        "full": codec.encode_full(base),
        "usual": codec.encode_delta(base, current, history=older),
        "sealed": sealed.encode_delta(base, current, history=older),
        "listed": codec.encode_delta(base, current, history=older[1:]),
        "no history": codec.encode_delta(base, current),
        "structure": codec.encode_delta(base, born, history=older),
        "emptied": codec.encode_delta(base, empty),
        "unchanged": codec.encode_delta(base, base.copy(tick=31)),
        "plain": codec.encode_delta(base, body(77, 32)),
        "cut": header + cut,
    }


@pytest.mark.parametrize(("name", "data"), compact_packets().items())
@pytest.mark.parametrize("schema", [None, BODY, SCHEMA])
def test_compact_packets_are_explained_from_end_to_end_without_state(
    name: str, data: bytes, schema: Schema | None
) -> None:
    explainer = SnapshotExplainer(schema)
    found = explainer.explain(data)
    assert found.fault is None
    at = 0
    for row in found.rows:
        assert row.offset == at
        at += row.size
    assert at == len(data)
    rows = {row.field: row for row in found.rows}
    assert rows["version"].value == "3"
    if name != "full":
        assert ("check" in rows) == (name != "sealed")
        assert name == "sealed" or rows["check"].meaning.startswith("right")
        assert {"listed": "ages", "cut": "cut", "structure": "structure bytes"}.get(name, "form") in rows
        assert ("usual history" in rows["form"].meaning) == (name in ("usual", "sealed", "structure", "cut"))
    report = explainer.newest
    assert report is not None
    assert sum(report.costs.values()) == 8 * len(data)
    assert report.understood == (schema is BODY)
    json.dumps(explainer.to_json())


def test_entities_of_a_compact_structure_are_shown_where_they_stand() -> None:
    explainer = SnapshotExplainer(BODY)
    data = compact_packets()["structure"]
    explainer.explain(data)
    assert explainer.newest is not None
    (section,) = explainer.newest.sections
    assert [entity.id for entity in section.entities] == [9]
    assert data[section.offset] == section.tag
    assert any("entity 9" in line for line in explainer.detail_lines())
    assert any("(compact body)" in line for line in explainer.cost_lines())


def test_a_compact_packet_that_is_bad_says_why() -> None:
    data = bytearray(compact_packets()["no history"])
    data[28] |= 3
    assert (SnapshotExplainer().explain(bytes(data)).fault or "").startswith("Compact.Head")
    assert SnapshotExplainer().explain(bytes(data[:-1])).fault
    assert SnapshotExplainer().explain(bytes(data[:30])).fault


def test_a_bad_packet_has_its_code_and_is_not_in_the_sums() -> None:
    packet = bytearray(CODEC.encode_full(BASE))
    packet[30] = 200
    explainer = SnapshotExplainer(SCHEMA)
    assert (explainer.explain(bytes(packet)).fault or "").startswith("Bitstream.")
    assert explainer.cost_lines() == []
