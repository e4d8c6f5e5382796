"""Floats that go on in a line: any bits come back, and a steady motion costs next to nothing."""

import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import DecodeError, SchemaError
from retick.snapshot import (
    Codec,
    Component,
    Field,
    Fixed,
    Group,
    Hold,
    Prior,
    Real,
    Schema,
    SInt,
    Snapshot,
    UInt,
    schema_from_json,
    schema_to_json,
)
from retick.snapshot.compact.prior import generic_prior
from tests.effort import examples
from tests.twin import Twin

COMPONENTS = [
    Component(1, [Field(1, UInt(64)), Field(2, UInt(64)), Field(3, UInt(8))]),
    Component(2, [Field(1, UInt(64))]),
]
REALS = Schema(COMPONENTS, [Group(1, (1,), Real()), Group(1, (2,), Real()), Group(2, (1,), Real())])
HELD = Schema(COMPONENTS, [Group(1, (1,), Hold()), Group(1, (2,), Hold()), Group(2, (1,), Hold())])
BITS = st.integers(0, 2**64 - 1) | st.floats(allow_nan=True).map(lambda value: bits_of(value))
AGES = [(), (1,), (1, 3, 8), (3, 6, 9), (2, 5), (1, 2, 40)]


def bits_of(value: float) -> int:
    return int(struct.unpack("<Q", struct.pack("<d", value))[0])


def moving(schema: Schema, tick: int, speed: float = 1.5, entities: int = 8) -> Snapshot:
    rows = {
        at: {1: (bits_of(at * 40 + speed * at * tick), bits_of(-speed * tick), 7), 2: (bits_of(0.1 * tick),)}
        for at in range(1, entities + 1)
    }
    return Snapshot.of(schema, tick=tick, entities=rows)


@st.composite
def any_world(draw: Any, tick: int) -> Snapshot:
    rows: dict[int, Any] = {}
    for entity in sorted(draw(st.sets(st.integers(1, 4), max_size=4))):
        rows[entity] = {1: (draw(BITS), draw(BITS), draw(st.integers(0, 255)))} | (
            {2: (draw(BITS),)} if entity % 2 else {}
        )
    return Snapshot.of(REALS, tick=tick, entities=rows)


@settings(max_examples=examples(100), deadline=None)
@given(st.data(), st.sampled_from(AGES), st.integers(0, 300), st.booleans())
def test_any_bits_come_back(data: Any, ages: tuple[int, ...], ahead: int, sealed: bool) -> None:
    codec = Codec(REALS, compact=True, sealed=sealed)
    history = [data.draw(any_world(50 - age)) for age in ages]
    base, current = data.draw(any_world(50)), data.draw(any_world(50 + ahead))
    packet = codec.encode_delta(base, current, history=history)
    assert codec.apply_delta(base, packet, history=history) == current


@settings(max_examples=examples(200), deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_decode_or_raise(data: bytes) -> None:
    codec = Codec(REALS, compact=True, sealed=True)
    held = {tick: moving(REALS, tick) for tick in range(1, 21)}
    for form in (b"", b"\x01", b"\x03\x03"):
        try:
            found = codec.decode_payload(held[20], 23, form + data, history=held.values())
        except DecodeError:
            continue
        assert codec.decode_full(codec.encode_full(found)) == found


def cost(schema: Schema, speed: float, *, groups: int = 2) -> float:
    """Bits of the first groups in the last of forty packets, carried."""
    payloads = Codec(schema, compact=True, sealed=True).compact_payloads()
    statistics = payloads.prior_statistics()
    held = {tick: moving(schema, tick, speed) for tick in range(1, 130)}
    costs: list[float] = []
    for tick in range(12, 123, 3):
        costs = [0.0] * (len(payloads.groups) + 1)
        payloads.note_costs(costs)
        history = [held[tick - age] for age in (3, 6, 9)]
        made = payloads.encode(held[tick], held[tick + 6], history, statistics)
        found, learned = payloads.decode(held[tick], tick + 6, made.payload, held.get, statistics)
        assert found == held[tick + 6]
        assert (learned.models, learned.lineage) == (made.statistics.models, made.statistics.lineage)
        statistics = made.statistics
    return sum(costs[:groups])


def test_a_steady_motion_costs_next_to_nothing() -> None:
    # Multiples of 1.5 are exact; of 0.1, each is rounded. There are sixteen numbers.
    assert cost(REALS, 1.5) < 16
    assert cost(REALS, 0.1) < 0.25 * cost(HELD, 0.1)
    assert cost(HELD, 1.5) > 16 * 10


def test_a_jump_after_a_line_costs_as_much_as_without_it() -> None:
    sizes = []
    for schema in (REALS, HELD):
        codec = Codec(schema, compact=True)
        history = [moving(schema, tick) for tick in (29, 27, 22)]
        rows = {at: {1: (bits_of(at * 9.7e200), bits_of(-1e-300 * at), 7), 2: (bits_of(0.0),)} for at in range(1, 9)}
        jumped = Snapshot.of(schema, tick=33, entities=rows)
        sizes.append(len(codec.encode_payload(moving(schema, 30), jumped, history=history)))
    assert sizes[0] < 1.05 * sizes[1]


@pytest.mark.parametrize("codec", [UInt(63), SInt(64), Fixed(min_q=0, max_q=9, scale=1)])
def test_a_real_is_of_64_bits_and_unsigned(codec: Any) -> None:
    with pytest.raises(SchemaError, match="needs an unsigned field of 64 bits"):
        Codec(Schema([Component(1, [Field(1, codec)])], [Group(1, (1,), Real())]), compact=True)
    with pytest.raises(SchemaError, match="one field"):
        Group(1, (1, 2), Real())


def test_groups_of_reals_go_through_json_and_make_another_hash() -> None:
    again = schema_from_json(schema_to_json(REALS))
    assert again.groups == REALS.groups
    hashes = {Codec(schema, compact=True).schema_hash for schema in (REALS, again, HELD)}
    assert len(hashes) == 2


def test_what_reals_have_learned_is_in_a_prior_of_their_own_plan() -> None:
    payloads = Codec(REALS, compact=True).compact_payloads()
    statistics = payloads.prior_statistics()
    for tick in range(10, 60):
        history = [moving(REALS, tick - age) for age in (1, 3, 8)]
        statistics = payloads.encode(moving(REALS, tick), moving(REALS, tick + 6), history, statistics).statistics
    made = Prior.learned(payloads.plan, statistics, before=generic_prior(), own=True)
    trained = Codec(REALS, compact=True, prior=Prior.from_bytes(made.to_bytes()))
    history = [moving(REALS, 90 - age) for age in (1, 3, 8)]
    sizes = [
        len(codec.encode_payload(moving(REALS, 90), moving(REALS, 96), history=history))
        for codec in (trained, Codec(REALS, compact=True))
    ]
    assert sizes[0] < sizes[1]


def story(seed: int) -> list[str]:
    codec = Codec(REALS, compact=True)
    lines = []
    for tick in range(12, 40):
        speed = (seed * tick % 7) * 0.3 if tick % 5 == 0 else seed * 0.7
        history = [moving(REALS, tick - age, speed) for age in (1, 3, 8)]
        current = moving(REALS, tick + 4, speed + (tick % 3) * 1e-9 * (10**seed))
        lines.append(codec.encode_delta(moving(REALS, tick, speed), current, history=history).hex())
        codec.apply_delta(moving(REALS, tick, speed), bytes.fromhex(lines[-1]), history=history)
    return lines


@pytest.mark.compiled_only
@pytest.mark.parametrize("seed", [1, 7, 30, 300])
def test_uncompiled_gives_the_same_bytes(seed: int, twin: Twin) -> None:
    twin.agrees(story, seed)
