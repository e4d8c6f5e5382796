"""Compact payloads and what does not belong to their codec: other schemas, other statistics, values out of range."""

from array import array
from typing import Any

import pytest

from retick.errors import DecodeError, EncodeError, UsageError
from retick.snapshot import (
    Angle,
    Codec,
    Component,
    Field,
    Fixed,
    Group,
    Integral,
    Limits,
    Motion,
    Schema,
    Snapshot,
    UInt,
)
from retick.snapshot.compact.coder import Statistics
from tests.twin import Twin

WIDE = Schema([Component(1, [Field(1, UInt(8))]), Component(2, [Field(1, UInt(64))])])
NARROW = Schema([Component(1, [Field(1, UInt(8))])])
TURRET = Schema([Component(1, [Field(1, UInt(8), name="aim")])], [Group(1, (1,), Angle(modulus=200))])


def wide(tick: int) -> Snapshot:
    return Snapshot.of(WIDE, tick=tick, entities={1: {1: (tick,), 2: (tick,)}})


def narrow(tick: int) -> Snapshot:
    return Snapshot.of(NARROW, tick=tick, entities={1: {1: (tick,)}})


def aimed(tick: int, value: int) -> Snapshot:
    return Snapshot.of(TURRET, tick=tick, entities={1: {1: (value,)}})


def test_a_baseline_or_a_history_of_another_schema_is_refused_in_both_directions() -> None:
    codec = Codec(WIDE, compact=True)
    packet = codec.encode_delta(wide(100), wide(101), history=[wide(99)])
    older: list[Any] = [narrow(99), object()]
    for base, history in ((narrow(100), [wide(99)]), *((wide(100), [one]) for one in older)):
        with pytest.raises(UsageError):
            codec.encode_delta(base, wide(101), history=history)
    with pytest.raises(UsageError, match="another schema"):
        codec.apply_delta(narrow(100), packet, history=[wide(99)])
    payloads, payload = codec.compact_payloads(), codec.encode_payload(wide(100), wide(101), history=[wide(99)])
    for one in older:
        with pytest.raises(UsageError):
            payloads.decode(wide(100), 101, payload, lambda _tick, one=one: one)


def test_statistics_of_another_schema_are_refused_in_both_directions() -> None:
    payloads = Codec(WIDE, compact=True).compact_payloads()
    own, other = payloads.prior_statistics(), Codec(NARROW, compact=True).compact_payloads().prior_statistics()
    made = payloads.encode(wide(100), wide(101), (), own)
    with pytest.raises(UsageError, match="statistics"):
        payloads.encode(wide(100), wide(101), (), other)
    with pytest.raises(UsageError, match="statistics"):
        payloads.decode(wide(100), 101, made.payload, lambda _tick: None, other)


def test_statistics_of_other_items_are_refused_and_costs_of_other_groups_too() -> None:
    payloads = Codec(WIDE, compact=True).compact_payloads()
    own = payloads.prior_statistics()
    with pytest.raises(UsageError, match="arrays of"):
        Statistics(array("B", bytes(len(own.models))), own.weights, 0)
    with pytest.raises(UsageError, match="costs are of"):
        payloads.note_costs([])


@pytest.mark.parametrize("sealed", [True, False])
@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_a_payload_may_be_any_buffer(kind: Any, sealed: bool) -> None:
    payloads = Codec(WIDE, compact=True, sealed=sealed).compact_payloads()
    for history in ([], [wide(99), wide(97), wide(92)]):
        held = {snapshot.tick: snapshot for snapshot in history}
        made = payloads.encode(wide(100), wide(101), history)
        assert payloads.decode(wide(100), 101, kind(made.payload), held.get)[0] == wide(101)


def angle_story() -> list[str]:
    """Bodies that no encoder writes, whose residuals of an angle are near the ends of 64 bits."""
    told = []
    schema = Schema([Component(1, [Field(1, Fixed(min_q=-1000, max_q=1006, scale=1), name="yaw")])])
    codec = Codec(schema, compact=True, sealed=True)
    base = Snapshot.of(schema, tick=5, entities={1: {1: (7,)}})
    known = bytes.fromhex("00000613047b2dfffffffb2f")
    for payload in [known, *(b"\0" + bytes((a, b)) + known[3:] for a in range(0, 256, 17) for b in range(0, 256, 51))]:
        try:
            told.append(str(codec.decode_payload(base, 6, payload).to_dict()))
        except DecodeError as error:
            told.append(str(error))
    return told


def test_both_forms_agree_on_angles_that_no_encoder_writes(twin: Twin) -> None:
    twin.agrees(angle_story)


def test_a_value_that_an_angle_cannot_have_is_refused_before_anybody_holds_it() -> None:
    codec = Codec(TURRET, compact=True)
    with pytest.raises(EncodeError, match=r"aim.*: 250 is 250 above .* modulus of 200"):
        codec.encode_delta(aimed(1, 10), aimed(2, 250))
    for value in (0, 199):
        assert codec.apply_delta(aimed(1, 10), codec.encode_delta(aimed(1, 10), aimed(2, value))) == aimed(2, value)


@pytest.mark.parametrize("tick", [-1, 1 << 32])
def test_a_tick_that_no_packet_has_is_a_decode_error(tick: int) -> None:
    codec = Codec(NARROW, compact=True)
    payload = codec.encode_payload(narrow(100), narrow(101))
    with pytest.raises(DecodeError):
        codec.decode_payload(narrow(100), tick, payload)


def test_with_a_budget_more_changes_than_the_limit_come_in_several_packets() -> None:
    codec = Codec(NARROW, compact=True, limits=Limits(max_entities_update=5))
    payloads = codec.compact_payloads()
    held = Snapshot.of(NARROW, tick=1, entities={at: {1: (0,)} for at in range(12)})
    wanted = {at: {1: (at + 1,)} for at in range(12)}
    with pytest.raises(EncodeError):
        payloads.encode(held, Snapshot.of(NARROW, tick=2, entities=wanted))
    for tick, changed in ((2, 5), (3, 10), (4, 12)):
        made = payloads.encode(held, Snapshot.of(NARROW, tick=tick, entities=wanted), most_bytes=1200)
        held, _learned = payloads.decode(held, tick, made.payload, lambda _tick: None)
        assert [held.to_dict()[at] == wanted[at] for at in range(12)].count(True) == changed
    assert not made.cut


@pytest.mark.parametrize("fields", [1, 8, 60])
def test_a_budget_of_the_whole_packet_is_enough_in_either_form(fields: int) -> None:
    schema = Schema([Component(1, [Field(at, UInt(64)) for at in range(1, fields + 1)])])
    base = Snapshot.of(schema, tick=1, entities={at: {1: (0,) * fields} for at in (1, 2, 3)})
    noise = tuple((at * 6364136223846793005 + 1442695040888963407) ** 3 % 2**64 for at in range(fields))
    current = Snapshot.of(schema, tick=2, entities={1: {1: (0,) * fields}, 2: {1: noise}, 3: {1: (0,) * fields}})
    payloads = Codec(schema, compact=True).compact_payloads()
    whole = payloads.encode(base, current)
    assert payloads.encode(base, current, most_bytes=len(whole.payload)).payload == whole.payload
    assert payloads.encode(base, current, most_bytes=len(whole.payload) - 1).cut


def at_the_ends_of_64_bits(sign: int) -> list[str]:
    """Packets of what moves near the largest or the lowest number of 64 bits, and what they decode to."""
    last = (1 << 63) - 1 if sign > 0 else -(1 << 63)
    field = Fixed(min_q=min(last, last - sign * (1 << 39)), max_q=max(last, last - sign * (1 << 39)), scale=1)
    component = Component(1, [Field(1, field, name="x"), Field(2, field, name="y")])
    said = []
    for groups in (
        [],
        [Group(1, (1,), Motion())],
        [Group(1, (1,), Motion()), Group(1, (2,), Integral(of=(1,), rate=2.0))],
    ):
        schema = Schema([component], groups)

        def snapshot(tick: int, off: int, schema: Schema = schema) -> Snapshot:
            rows = {at: {1: (last - sign * (off + at), last - sign * off)} for at in (1, 2, 3)}
            return Snapshot.of(schema, tick=tick, entities=rows)

        codec = Codec(schema, compact=True)
        history = [snapshot(99, 1000), snapshot(97, 3000), snapshot(92, 8000)]
        packet = codec.encode_delta(snapshot(100, 10), snapshot(112, 5), history=history)
        found = codec.apply_delta(snapshot(100, 10), packet, history=history)
        said.append(f"{packet.hex()} {found == snapshot(112, 5)}")
    return said


@pytest.mark.parametrize("sign", [1, -1])
def test_sums_beyond_64_bits_are_the_same_in_both_forms(sign: int, twin: Twin) -> None:
    assert all(line.endswith("True") for line in at_the_ends_of_64_bits(sign))
    twin.agrees(at_the_ends_of_64_bits, sign)
