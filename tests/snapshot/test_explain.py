"""Snapshot packets in words: one packet, compact frames of a session, packets that are bad, and sums over many."""

from retick.snapshot import Codec, Component, Field, Schema, Snapshot, UInt
from retick.snapshot.explain import SnapshotExplainer

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


def test_a_bad_packet_has_its_code_and_is_not_in_the_sums() -> None:
    packet = bytearray(CODEC.encode_full(BASE))
    packet[30] = 200
    explainer = SnapshotExplainer(SCHEMA)
    assert (explainer.explain(bytes(packet)).fault or "").startswith("Bitstream.")
    assert explainer.cost_lines() == []
