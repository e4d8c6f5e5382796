"""Packets taken apart: every bit accounted for, and the same content as the vectors list."""

from typing import Any

import pytest

from retick.errors import DecodeError
from retick.snapshot import Bool, Codec, Component, Field, Limits, Schema, Snapshot, UInt
from retick.snapshot.inspect import component_costs, inspect_frame, inspect_packet, is_snapshot, total_costs
from tests.snapshot.sdec import cases, codec_for, load, schema_named


def listed(part: Any) -> dict[int, dict[int, list[Any]]]:
    """Entity to component to pairs of index and value, as the vectors list a delta; repeated entities join."""
    found: dict[int, dict[int, list[Any]]] = {}
    for entity in part.entities:
        held = found.setdefault(entity.id, {})
        for field in entity.fields:
            held.setdefault(field.component, []).append([field.index, field.value])
    return found


@pytest.mark.parametrize("case", cases("delta")[::2], ids=lambda case: case["name"])
def test_deltas_hold_what_the_vectors_list(case: Any) -> None:
    schema, delta = schema_named(case["schema"]), case["delta"]
    for entry in case["packets"].values():
        if "decode_error" in entry:
            continue
        packet = bytes.fromhex(entry["hex"])
        report = inspect_packet(packet, schema)
        assert (report.tick, report.baseline_tick, report.kind) == (delta["tick"], delta["baseline_tick"], "delta")
        parts = {part.tag: part for part in report.sections}
        assert sum(report.costs.values()) == 8 * len(packet)
        ids = {tag: [entity.id for entity in part.entities] for tag, part in parts.items()}
        assert ids.get(2, []) == delta["destroys"]
        assert ids.get(1, []) == [created["id"] for created in delta["creates"]]
        updates = next((part for tag, part in parts.items() if tag >= 3), None)
        expected = {
            u["id"]: {c["id"]: [list(pair) for pair in c["fields"]] for c in u["components"]} for u in delta["updates"]
        }
        assert (listed(updates) if updates else {}) == expected


def test_bit_offsets_lead_to_the_values() -> None:
    schema = schema_named("all_codecs")
    case = next(case for case in cases("full") if case["name"] == "all_codecs/full_n")
    packet = bytes.fromhex(case["packets"]["v0"])
    bits = "".join(f"{byte:08b}" for byte in packet)
    for entity in inspect_packet(packet, schema).sections[0].entities:
        assert int.from_bytes(packet[entity.bit // 8 : entity.bit // 8 + 4], "little") == entity.id
        for part in entity.fields:
            codec = schema.components[0].fields[part.index].codec
            if codec.kind in ("uint", "bool"):
                assert int(bits[part.bit : part.bit + part.bits] or "0", 2) == part.value


def test_costs_are_listed_by_name_and_by_component() -> None:
    schema = Schema(
        [
            Component(1, [Field(1, UInt(10), name="x"), Field(2, UInt(20), name="y")], name="position"),
            Component(2, [Field(1, Bool())]),
        ]
    )
    packet = Codec(schema).encode_full(
        Snapshot.of(schema, tick=1, entities={1: {1: (1, 2), 2: (True,)}, 2: {1: (3, 4)}})
    )
    report = inspect_packet(packet, schema)
    costs = dict(total_costs([report, report]))
    assert (costs["position.x"], costs["position.y"], costs["2.1"]) == (40, 80, 2)
    assert component_costs([report]) == [("position", 60), ("2", 1)]
    assert sum(costs.values()) == 16 * len(packet)


def test_without_the_schema_sections_are_listed() -> None:
    case = cases("full")[0]
    packet = bytes.fromhex(case["packets"]["v2"])
    assert is_snapshot(packet)
    for schema in (None, schema_named("bool1")):
        report = inspect_packet(packet, schema)
        assert not report.understood
        assert [(part.name, part.count, part.size) for part in report.sections] == [("EntityCreate", None, 9)]
        assert sum(report.costs.values()) == 8 * len(packet)


def test_compact_frames_and_session_init_are_taken_apart() -> None:
    case = cases("session")[1]
    schema = schema_named(case["schema"])
    init = inspect_packet(bytes.fromhex(case["init"]["packet"]), schema)
    assert (init.kind, init.sections[0].name, init.costs["(session)"]) == ("session init", "SessionInit", 72)
    for frame in case["frames"]:
        data = bytes.fromhex(frame["frame"])
        report = inspect_frame(data, schema, last_tick=frame["last_tick_before"])
        assert (report.tick, report.schema_hash) == (frame["tick"], None)
        assert sum(report.costs.values()) == 8 * len(data)


def inspectable(case: Any) -> bool:
    """Faults that lie in the packet alone, not in what it is used for or in another schema, version or limit."""
    foreign = {"SchemaMismatch", "Wire.UnsupportedVersion"}
    used_wrongly = any(word in case["name"] for word in ("given_to", "session_bit_alone"))
    return case["op"] == "decode_full" and not used_wrongly and case["error"]["path"] not in foreign


@pytest.mark.parametrize("case", [c for c in cases("negative") if inspectable(c)], ids=lambda case: case["name"])
def test_refused_packets_are_refused_here_too(case: Any) -> None:
    limits = Limits(**case["limits"]) if case.get("limits") else None
    with pytest.raises(DecodeError) as caught:
        inspect_packet(bytes.fromhex(case["packet"]), schema_named(case["schema"]), limits=limits)
    assert caught.value.code == case["error"]["path"]


def test_a_session_packet_with_other_sections_is_refused_whatever_they_hold() -> None:
    schema = Schema([Component(1, [Field(1, UInt(8))])])
    good = Codec(schema, version=2).encode_session_init(tick=5)
    for section in (b"\x05\x04\x01\x01\x09\x01", b"\x01\x01\xff", b"\x04\x01\x7f", b"\x02\x01\x00"):
        packet = good[:24] + len(section).to_bytes(4, "little") + section
        with pytest.raises(DecodeError) as caught:
            inspect_packet(packet, schema)
        assert caught.value.code.startswith("UnexpectedSection.")


def test_a_full_snapshot_in_a_compact_frame_is_refused_as_the_decoder_does() -> None:
    schema = Schema([Component(1, [Field(1, UInt(8))])])
    for known in (schema, None):
        with pytest.raises(DecodeError) as caught:
            inspect_frame(b"\x01\x01\x00\x00", known, last_tick=3)
        assert caught.value.code == "Wire.InvalidBaselineTick"


def test_bytes_after_a_frame_are_counted_apart_when_not_strict() -> None:
    schema = Schema([Component(1, [Field(1, UInt(8))])])
    base, current = (Snapshot.of(schema, tick=tick, entities={1: {1: (tick,)}}) for tick in (1, 2))
    frame = Codec(schema, version=2).encode_frame(base, current, last_tick=1)
    alone = inspect_frame(frame, schema, last_tick=1)
    longer = inspect_frame(frame + b"zzz", schema, last_tick=1, strict=False)
    assert longer.costs == alone.costs | {"(trailing)": 24}
    assert longer.sections == alone.sections
    assert sum(longer.costs.values()) == 8 * longer.size


def test_mutated_packets_are_taken_apart_or_refused_like_the_decoder() -> None:
    bases = load("mutations")["bases"]
    for case in cases("mutations")[::3]:
        base = bases[case["base"]]
        if base["op"] != "decode_full":
            continue
        packet = bytes.fromhex(case["packet"])
        codec = codec_for(base)
        if "error" not in case:
            report = inspect_packet(packet, codec.schema, strict=False)
            assert sum(report.costs.values()) == 8 * len(packet)
        elif case["error"] != "SchemaMismatch":
            with pytest.raises(DecodeError) as caught:
                inspect_packet(packet, codec.schema, strict=False)
            assert caught.value.code == case["error"]
