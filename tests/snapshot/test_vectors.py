"""Byte for byte and error for error what the published vectors say, in both wire versions."""

from typing import Any

import pytest

from retick.errors import DecodeError, EncodeError
from retick.snapshot import Codec, Snapshot
from tests.snapshot.sdec import (
    cases,
    codec_for,
    entity_pairs,
    load,
    result_is,
    run_decode,
    same,
    schema_named,
    snapshot_of,
)


def by_name(case: Any) -> str:
    return str(case.get("name", ""))


@pytest.mark.parametrize("case", cases("full"), ids=by_name)
def test_full_packets(case: Any) -> None:
    schema = schema_named(case["schema"])
    snapshot = snapshot_of(schema, case["snapshot"])
    for version in (0, 2):
        for strict in (True, False):
            codec = Codec(schema, version=version, strict=strict)
            packet = bytes.fromhex(case["packets"][f"v{version}"])
            assert codec.encode_full(snapshot) == packet
            assert same(codec.decode_full(packet), case["decoded"] or case["snapshot"])


@pytest.mark.parametrize("case", cases("delta"), ids=by_name)
def test_delta_packets(case: Any) -> None:
    schema = schema_named(case["schema"])
    base, current = snapshot_of(schema, case["baseline"]), snapshot_of(schema, case["current"])
    modes = {"v0": (0, False), "v2_auto": (2, False), "v2_client": (2, True), "v2_tag4": (2, None)}
    for name, entry in case["packets"].items():
        version, packed = modes[name]
        packet = bytes.fromhex(entry["hex"])
        for strict in (True, False):
            codec = Codec(schema, version=version, strict=strict)
            if packed is not None:
                assert codec.encode_delta(base, current, packed=packed) == packet, name
            if "decode_error" in entry:
                with pytest.raises(DecodeError) as caught:
                    codec.apply_delta(base, packet)
                assert caught.value.code == entry["decode_error"]["path"]
            else:
                assert same(codec.apply_delta(base, packet), case["applied"] or case["current"]), name
    assert same(base, case["baseline"])


def listed_updates(case: Any) -> Any:
    return {u["id"]: {c["id"]: [tuple(f) for f in c["fields"]] for c in u["components"]} for u in case["updates"]}


def encode_changes(codec: Codec, case: Any) -> bytes:
    return codec.encode_changes(
        tick=case["tick"],
        baseline_tick=case["baseline_tick"],
        destroys=case["destroys"],
        creates=dict(entity_pairs(case["creates"])),
        updates=listed_updates(case),
    )


@pytest.mark.parametrize("case", cases("changes"), ids=by_name)
def test_change_lists(case: Any) -> None:
    codec = codec_for(case, 2, strict=True)
    packet = bytes.fromhex(case["packet"])
    assert encode_changes(codec, case) == packet
    base = snapshot_of(codec.schema, case["baseline"])
    if case.get("apply_error"):
        with pytest.raises(DecodeError) as caught:
            codec.apply_delta(base, packet)
        assert caught.value.code == case["apply_error"]["path"]
    else:
        assert same(codec.apply_delta(base, packet), case["applied"])


@pytest.mark.parametrize("case", cases("session"), ids=lambda case: case["schema"])
def test_sessions(case: Any) -> None:
    codec = codec_for(case, 2, strict=True)
    init = case["init"]
    packet = bytes.fromhex(init["packet"])
    assert codec.encode_session_init(tick=init["tick"], session_id=init["session_id"]) == packet
    state = codec.decode_session_init(packet)
    assert (state.last_tick, state.session_id) == (init["state"]["last_tick"], init["state"]["session_id"])
    full = codec.decode_full(bytes.fromhex(case["full"]["packet"]))
    held: dict[int, Snapshot] = {full.tick: full}
    for frame in case["frames"]:
        data = bytes.fromhex(frame["frame"])
        base = held[frame["baseline_tick"]]
        last_tick = frame["last_tick_before"]
        current = snapshot_of(codec.schema, frame["current"])
        assert codec.encode_frame(base, current, last_tick=last_tick) == data
        header = codec.decode_frame_header(data, last_tick=last_tick)
        assert (header.tick, header.baseline_tick) == (frame["header"]["tick"], frame["header"]["baseline_tick"])
        assert header.payload_len == frame["header"]["payload_len"]
        applied = codec.apply_frame(base, data, last_tick=last_tick)
        assert same(applied, frame["applied"] or frame["current"])
        held[applied.tick] = applied


# Where the reference counts from another place, or reports a number that the packet does not hold.
COUNTED_OTHERWISE = {
    "Wire.SectionFraming.Truncated",
    "Wire.InvalidBaselineTick",
    "InvalidMask.ComponentMask.InvalidComponentId",
}


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("case", cases("negative"), ids=by_name)
def test_refused_packets(case: Any, strict: bool) -> None:
    with pytest.raises(DecodeError) as caught:
        run_decode(codec_for(case, strict=strict), case, bytes.fromhex(case["packet"]))
    assert caught.value.code == case["error"]["path"]
    if case["error"]["path"] not in COUNTED_OTHERWISE:
        shared = caught.value.details.keys() & case["error"]["fields"].keys()
        assert shared or not case["error"]["fields"]
        assert {name: caught.value.details[name] for name in shared} == {
            name: case["error"]["fields"][name] for name in shared
        }


# What a strict reader says of the packets that sdec takes although no correct encoder makes them.
REFUSED_WHEN_STRICT = {
    "quirk_nonzero_padding_bits_ignored": "Bitstream.NonZeroPadding",
    "quirk_overlong_count_varint": "Bitstream.InvalidVarint",
    "quirk_overlong_section_len": "Wire.SectionFraming.InvalidVarint",
    "quirk_section_len_overflow_bits_dropped": "Wire.SectionFraming.InvalidVarint",
    "quirk_varuint_field_overflow_truncates": "Bitstream.InvalidVarint",
    "quirk_frame_trailing_bytes_ignored": "Wire.TrailingBytes",
}


@pytest.mark.parametrize("case", cases("quirks"), ids=by_name)
def test_quirks(case: Any) -> None:
    packet = bytes.fromhex(case["packet"])
    assert result_is(run_decode(codec_for(case), case, packet), case["ok"])
    code = REFUSED_WHEN_STRICT.get(case["name"].partition("/")[2])
    strict = codec_for(case, strict=True)
    if code is None:
        assert result_is(run_decode(strict, case, packet), case["ok"])
    else:
        with pytest.raises(DecodeError) as caught:
            run_decode(strict, case, packet)
        assert caught.value.code == code


def run_encode(codec: Codec, case: Any) -> bytes:
    if case["op"] == "encode_full":
        return codec.encode_full(snapshot_of(codec.schema, case["snapshot"]))
    if case["op"] == "encode_changes":
        return encode_changes(codec, case)
    base, current = snapshot_of(codec.schema, case["baseline"]), snapshot_of(codec.schema, case["current"])
    if case["op"] == "encode_delta":
        return codec.encode_delta(base, current.copy(tick=case["tick"]), baseline_tick=case["baseline_tick"])
    return codec.encode_frame(base, current.copy(tick=case["tick"]), last_tick=case["session_last_tick"])


@pytest.mark.parametrize("case", cases("encode_errors"), ids=by_name)
def test_refused_inputs(case: Any) -> None:
    with pytest.raises(EncodeError) as caught:
        run_encode(codec_for(case), case)
    assert caught.value.code == case["error"]["path"]


def test_mutated_packets_get_the_reference_verdict() -> None:
    bases = load("mutations")["bases"]
    codecs = {name: codec_for(base) for name, base in bases.items()}
    for case in cases("mutations"):
        base = bases[case["base"]]
        packet = bytes.fromhex(case["packet"])
        if "error" in case:
            with pytest.raises(DecodeError) as caught:
                run_decode(codecs[case["base"]], base, packet)
            assert caught.value.code == case["error"], case
        else:
            assert same(run_decode(codecs[case["base"]], base, packet), case["ok"]), case


def test_a_strict_reader_refuses_at_least_what_a_lenient_one_refuses() -> None:
    bases = load("mutations")["bases"]
    for case in cases("mutations"):
        base = bases[case["base"]]
        try:
            result = run_decode(codec_for(base, strict=True), base, bytes.fromhex(case["packet"]))
        except DecodeError:
            continue
        assert same(result, case["ok"])
