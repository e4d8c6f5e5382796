"""Laws of compact deltas: round trips with any history, bounds, and the same bytes compiled and uncompiled."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retick.errors import BaselineMissing, DecodeError, EncodeError, UsageError
from retick.snapshot import (
    Angle,
    Bool,
    Codec,
    Component,
    Field,
    Fixed,
    Group,
    Integral,
    Limits,
    Motion,
    Rotation,
    Schema,
    SInt,
    Snapshot,
    UInt,
)
from tests.effort import examples
from tests.snapshot.worlds import schemas, successors, worlds
from tests.twin import Twin

LAW = settings(
    max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
BODY = Schema(
    [
        Component(
            1,
            [
                *(Field(at, Fixed(min_q=-500, max_q=500, scale=10), name=name) for at, name in ((1, "x"), (2, "y"))),
                *(Field(at, SInt(9), name=name) for at, name in ((3, "vx"), (4, "vy"))),
                Field(5, UInt(8), name="yaw"),
                Field(6, UInt(2)),
                *(Field(at, UInt(9)) for at in (7, 8, 9)),
                Field(10, Bool()),
                Field(11, UInt(64)),
            ],
        )
    ],
    [
        Group(1, (3, 4), Motion(damping=0.9, acceleration=(0.0, -3.0))),
        Group(1, (1, 2), Integral(of=(3, 4), rate=0.1)),
        Group(1, (5,), Angle()),
        Group(1, (6, 7, 8, 9), Rotation(damping=0.99)),
    ],
)


def body(seed: int, tick: int, entities: int = 5) -> Snapshot:
    """A world of all kinds of groups; every value is in its range, some move evenly and some jump."""
    found = {}
    for identity in range(1, entities + 1):
        way = (seed * 7 + identity * 13) % 11 - 5
        jump = (seed * tick * identity * 2654435761) % 2**32
        place = (way * tick % 500, -way * tick % 300, way * 3 % 250, (way * tick + jump % 3) % 255)
        turn = (jump % 4 if jump % 5 == 0 else 3, 256 + way * tick % 200, 256 - tick % 90, 256 + jump % 4)
        found[identity] = {1: (*place, (way * tick) % 256, *turn, jump % 7 == 0, jump * jump % 2**64)}
    return Snapshot.of(BODY, tick=tick, entities=found)


@LAW
@given(st.data(), schemas(thresholds=False))
def test_a_delta_makes_the_current_state_whatever_the_history_is(data: Any, schema: Schema) -> None:
    codec = Codec(schema, compact=True)
    base = data.draw(worlds(schema, 30))
    before = base.to_dict()
    ages = data.draw(st.sets(st.integers(1, 29), max_size=3))
    history = [data.draw(successors(base, 30 - age)) for age in sorted(ages)]
    current = data.draw(successors(base, 31 + data.draw(st.integers(0, 40))))
    packet = codec.encode_delta(base, current, history=history)
    assert codec.apply_delta(base, packet, history=history) == current
    assert base.to_dict() == before


@LAW
@given(st.data(), schemas())
def test_with_thresholds_the_result_is_that_of_the_plain_body(data: Any, schema: Schema) -> None:
    base = data.draw(worlds(schema, 3))
    current = data.draw(successors(base, 4))
    compact, plain = Codec(schema, compact=True), Codec(schema, version=2)
    found = compact.apply_delta(base, compact.encode_delta(base, current))
    assert found == plain.apply_delta(base, plain.encode_delta(base, current))


@given(st.data(), schemas())
@LAW
def test_a_full_packet_round_trips(data: Any, schema: Schema) -> None:
    codec = Codec(schema, compact=True)
    world = data.draw(worlds(schema, 7))
    assert codec.decode_full(codec.encode_full(world)) == world


@pytest.mark.parametrize("lag", [1, 2, 6])
def test_every_kind_of_group_round_trips_along_a_history(lag: int) -> None:
    codec = Codec(BODY, compact=True)
    for tick in range(20, 40):
        base, current = body(3, tick), body(3, tick + lag)
        history = [body(3, tick - age) for age in (1, 3, 8)]
        assert codec.apply_delta(base, codec.encode_delta(base, current, history=history), history=history) == current


@LAW
@given(st.binary(max_size=80), st.booleans())
def test_any_bytes_decode_or_raise_and_the_baseline_stays(data: bytes, sealed: bool) -> None:
    codec = Codec(BODY, compact=True, sealed=sealed)
    base = body(1, 20)
    before = base.to_dict()
    try:
        found = codec.decode_payload(base, 21, data, history=[body(1, tick) for tick in range(1, 20)])
    except DecodeError as error:
        assert error.code  # noqa: PT017 - either outcome is right
    else:
        assert len(found) <= 4096
        codec.encode_full(found)  # every value is in its range
    assert base.to_dict() == before


@LAW
@given(st.integers(0, 10_000), st.integers(1, 255))
def test_a_changed_byte_is_noticed_by_the_check(at: int, flip: int) -> None:
    codec = Codec(BODY, compact=True)
    base = body(1, 20)
    payload = bytearray(codec.encode_payload(base, body(1, 26)))
    payload[at % len(payload)] ^= flip
    with pytest.raises(DecodeError):
        codec.decode_payload(base, 26, bytes(payload))


def test_a_sealed_codec_saves_the_check_and_an_unsealed_one_wants_it() -> None:
    base, current = body(1, 20), body(1, 26)
    checked = Codec(BODY, compact=True).encode_payload(base, current)
    sealed = Codec(BODY, compact=True, sealed=True).encode_payload(base, current)
    assert len(sealed) == len(checked) - 4
    with pytest.raises(DecodeError, match="no check"):
        Codec(BODY, compact=True).decode_payload(base, 26, sealed)


@pytest.mark.parametrize("most", [60, 90, 120, 200])
def test_a_budget_is_kept_and_what_was_left_out_comes_later(most: int) -> None:
    payloads = Codec(BODY, compact=True).compact_payloads()
    base, current = body(1, 20, 30), body(1, 26, 30)
    whole = payloads.encode(base, current)
    assert not whole.cut
    assert len(whole.payload) > 200
    held, rounds = base, 0
    while held.to_dict() != current.to_dict():
        made = payloads.encode(held, current.copy(tick=26 + rounds), most_bytes=most)
        assert len(made.payload) <= most
        after, _learned = payloads.decode(held, 26 + rounds, made.payload, lambda _tick: None)
        assert after.to_dict() != held.to_dict()
        held, rounds = after, rounds + 1
    assert rounds > 1


@pytest.mark.parametrize("first", range(20, 38))
def test_a_budget_one_byte_short_leaves_out_the_last_change_only(first: int) -> None:
    payloads = Codec(BODY, compact=True).compact_payloads()
    base, moved = body(1, 20, 40), body(1, 26, 40).to_dict()
    entities = base.to_dict()
    changed = list(moved)[first : first + 2]
    entities.update({identity: moved[identity] for identity in changed})
    current = Snapshot.of(BODY, tick=26, entities=entities)
    most = len(payloads.encode(base, current).payload) - 1
    made = payloads.encode(base, current, most_bytes=most)
    assert len(made.payload) <= most
    after, _learned = payloads.decode(base, 26, made.payload, lambda _tick: None)
    assert after.to_dict() == {**entities, changed[1]: base.to_dict()[changed[1]]}


def test_a_budget_for_nothing_is_refused() -> None:
    payloads = Codec(BODY, compact=True).compact_payloads()
    with pytest.raises(EncodeError):
        payloads.encode(body(1, 20), body(1, 26, 9), most_bytes=20)


def test_random_values_cost_no_more_than_the_plain_body() -> None:
    schema = Schema([Component(1, [Field(at, UInt(64)) for at in range(1, 9)])])
    base = Snapshot.of(schema, tick=1, entities={at: {1: (0,) * 8} for at in range(50)})
    noise = [
        [(at * 6364136223846793005 + field * 1442695040888963407) ** 3 % 2**64 for field in range(8)]
        for at in range(50)
    ]
    current = Snapshot.of(schema, tick=2, entities={at: {1: tuple(row)} for at, row in enumerate(noise)})
    compact = Codec(schema, compact=True, sealed=True).encode_payload(base, current)
    assert len(compact) <= len(Codec(schema, version=2).encode_payload(base, current)) + 1


def test_a_history_frame_that_is_not_held_asks_for_a_full_snapshot() -> None:
    codec = Codec(BODY, compact=True)
    payload = codec.encode_payload(body(1, 20), body(1, 26), history=[body(1, 19)])
    with pytest.raises(BaselineMissing) as caught:
        codec.decode_payload(body(1, 20), 26, payload)
    assert caught.value.tick == 19


def test_other_groups_or_another_prior_are_another_schema() -> None:
    plain = Schema(BODY.components)
    packet = Codec(BODY, compact=True).encode_delta(body(1, 20), body(1, 21))
    with pytest.raises(DecodeError) as caught:
        Codec(plain, compact=True).apply_delta(body(1, 20), packet)
    assert caught.value.code == "SchemaMismatch"


def test_limits_are_kept_in_both_directions() -> None:
    base, current = body(1, 20, 9), body(1, 26, 9)
    payload = Codec(BODY, compact=True).encode_payload(base, current)
    small = Codec(BODY, compact=True, limits=Limits(max_entities_update=3))
    with pytest.raises(EncodeError):
        small.encode_payload(base, current)
    for limits in (
        Limits(max_entities_update=3),
        Limits(max_total_entities_after_apply=8),
        Limits(max_section_bytes=len(payload) - 1),
    ):
        with pytest.raises(DecodeError) as caught:
            Codec(BODY, compact=True, limits=limits).decode_payload(base, 26, payload)
        assert caught.value.code.startswith("LimitsExceeded.")


def test_spacings_of_frames_fill_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("retick.snapshot.compact.packet.MOST_FACTORS", 3)
    codec = Codec(BODY, compact=True)
    for ahead in range(1, 9):
        packet = codec.encode_delta(body(1, 20), body(1, 20 + ahead), history=[body(1, 20 - ahead)])
        found = codec.apply_delta(body(1, 20), packet, history=[body(1, 20 - ahead)])
        assert found == body(1, 20 + ahead)
    assert len(codec.compact_payloads()._factors) <= 3


def test_history_that_no_packet_can_name_is_refused() -> None:
    codec = Codec(BODY, compact=True)
    for ticks in ([1], [98, 99], [99, 98, 97, 96], [100], [101]):
        with pytest.raises(UsageError, match="history"):
            codec.encode_delta(body(1, 100), body(1, 101), history=[body(1, tick) for tick in ticks])


def test_a_value_that_its_field_cannot_hold_is_refused() -> None:
    schema = Schema([Component(1, [Field(1, UInt(4))])])
    base = Snapshot.of(schema, tick=1, entities={1: {1: (3,)}})
    with pytest.raises(EncodeError, match="does not fit"):
        Codec(schema, compact=True).encode_delta(base, Snapshot.of(schema, tick=2, entities={1: {1: (16,)}}))


def test_what_compact_codecs_do_not_do_is_said() -> None:
    codec = Codec(BODY, compact=True)
    for call in (
        lambda: codec.encode_session_init(tick=1),
        lambda: codec.encode_full_into(body(1, 1), bytearray(999)),
        lambda: Codec(BODY, version=2, compact=True),
        lambda: Codec(BODY, sealed=True),
        lambda: Codec(BODY).compact_payloads(),
    ):
        with pytest.raises(UsageError):
            call()


def story_of_a_match(seed: int) -> list[str]:
    codec = Codec(BODY, compact=True)
    payloads = codec.compact_payloads()
    told, statistics = [], payloads.prior_statistics()
    for tick in range(20, 30):
        history = [body(seed, tick - age) for age in (1, 3, 8)]
        made = payloads.encode(body(seed, tick), body(seed, tick + 6), history, statistics)
        statistics = made.statistics
        told.append(made.payload.hex())
        try:
            codec.decode_payload(body(seed, tick), tick + 6, made.payload[:-3], history=history)
        except DecodeError as error:
            told.append(str(error))
    return [*told, f"{statistics.lineage:08x}"]


@pytest.mark.parametrize("seed", [1, 5])
def test_uncompiled_gives_the_same_bytes_and_errors(seed: int, twin: Twin) -> None:
    twin.agrees(story_of_a_match, seed)
