"""Bodies: any two sets of entities, any declaration, any bytes."""

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from retick.authority import compact
from retick.authority.compact import decode_body
from retick.authority.deltas import carried_on, encode_body
from retick.authority.holding import Restorer
from retick.authority.layout import WorldLayout, layout_of
from retick.authority.rows import Rows
from retick.authority.views import Receiver, Stage
from retick.errors import DecodeError, InvalidValue, LimitExceeded, TrailingData, Truncated
from retick.sim.world.saved import unpack_world
from tests.authority.declarations import filled, worlds
from tests.authority.worlds import Court, Server
from tests.effort import examples

COURT = layout_of(Court)
SLOW = settings(max_examples=examples(60), suppress_health_check=list(HealthCheck), deadline=None)


@st.composite
def rows(draw: st.DrawFn, tick: int = 1) -> Rows:
    """Entities of a court with any numbers."""
    held = {}
    for entity in draw(st.lists(st.integers(0, 40) | st.integers(0, 0xFFFFFFFF), max_size=6)):
        kind = draw(st.integers(0, len(COURT.components) - 1))
        held[entity] = (
            kind,
            [
                draw(st.sampled_from([made.default, 0, made.span]) | st.integers(0, made.span))
                for made in COURT.components[kind].fields
            ],
        )
    return Rows.of(tick, held)


@given(rows(), rows(), rows(), st.integers(0, 3))
@settings(max_examples=examples(150), suppress_health_check=list(HealthCheck))
def test_a_body_makes_the_rows_of_the_base_whatever_they_are(a: Rows, b: Rows, c: Rows, ahead: int) -> None:
    for base, target in ((Rows.none(), a), (a, b), (a, a), (b, Rows.none())):
        assert decode_body(base, 1, encode_body(base, target, COURT), COURT).same_as(target)
    later = Rows(4, b.ids, b.kinds, b.starts, b.values)
    base = carried_on(later, a, 4 + ahead, COURT)
    assert decode_body(base, 4 + ahead, encode_body(base, c, COURT), COURT).same_as(c)


def mutated(draw: Any, body: bytes) -> bytes:
    data = bytearray(body)
    for _ in range(draw(st.integers(0, 3))):
        if data:
            data[draw(st.integers(0, len(data) - 1))] ^= 1 << draw(st.integers(0, 7))
    return bytes(data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) else data)


@given(rows(), rows(), st.binary(max_size=30), st.data())
@settings(max_examples=examples(150), suppress_health_check=list(HealthCheck))
def test_any_bytes_are_a_body_in_its_one_form_or_a_decode_error(
    base: Rows, target: Rows, data: bytes, draw: st.DataObject
) -> None:
    before = (bytes(base.ids), bytes(base.values))
    for body in (data, mutated(draw.draw, encode_body(base, target, COURT))):
        try:
            found = decode_body(base, 9, body, COURT)
        except DecodeError:
            pass
        else:
            again = encode_body(base, found, COURT)
            # One that is destroyed and created again as the same has a shorter form, which is read all the same.
            assert decode_body(base, 9, again, COURT).same_as(found)
            assert len(again) <= len(body)
    assert before == (bytes(base.ids), bytes(base.values))


def seen_rows(layout: WorldLayout, world: Any, seat: int = 0) -> Rows:
    stage = Stage(layout, world)
    stage.survey(1, [3, None])
    return Receiver(stage, seat, budget=60000).rows()[0]


@given(worlds(), st.data())
@SLOW
def test_of_any_declaration_a_client_has_the_world_rounded_and_what_it_has_is_sent_the_same(
    kind: Any, data: st.DataObject
) -> None:
    layout = WorldLayout(kind)
    server = kind()
    filled(data.draw, server)
    sent = seen_rows(layout, server)
    got = decode_body(Rows.none(), 1, encode_body(Rows.none(), sent, layout), layout)
    assert got.same_as(sent)
    client = kind()
    client.load(Restorer(layout).saved(got))
    again = seen_rows(layout, client)
    for (entity, which, left), (_, _, right) in zip(sent.entities(), again.entities(), strict=True):
        assert list(left) == list(right), (entity, layout.components[which].fields)


@given(worlds(), st.data())
@SLOW
def test_of_any_declaration_any_bytes_make_a_world_or_a_decode_error_and_then_nothing_changes(
    kind: Any, data: st.DataObject
) -> None:
    layout = WorldLayout(kind)
    server = kind()
    filled(data.draw, server)
    sent = seen_rows(layout, server)
    body = mutated(data.draw, encode_body(Rows.none(), sent, layout))
    client = kind()
    before = client.save()
    try:
        client.load(Restorer(layout).saved(decode_body(Rows.none(), 1, body, layout)))
    except DecodeError:
        assert client.save() == before
    else:
        unpack_world(client.save(), kind._declared, kind._stamp)


def body_of(bits: str) -> bytes:
    """Bits of a body, by hand; blanks are for readers."""
    text = bits.replace(" ", "")
    text += "0" * (-len(text) % 8)
    return bytes(int(text[at : at + 8], 2) for at in range(0, len(text), 8))


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"", Truncated),
        (body_of("1 1"), Truncated),
        (bytes(6), InvalidValue),  # a gamma without end
        (body_of("010"), LimitExceeded),  # one entity of the base is touched, and there is none
        (body_of("1 010 1 111") + bytes(2), InvalidValue),  # no such component
        (body_of("1 010 010 000 1 1"), InvalidValue),  # an item's id in the list of those below the next one
        (body_of("1 010 1 000 00000000001111110"), InvalidValue),  # more fields than there are
        (body_of("1 1 1") + b"\0", TrailingData),
        (body_of("1 1 1 1"), InvalidValue),  # padding
    ],
)
def test_wrong_bodies_are_refused(body: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        decode_body(Rows.none(), 1, body, COURT)


def test_the_empty_body_is_three_ones() -> None:
    assert encode_body(Rows.none(), Rows.none(), COURT) == body_of("111")
    assert len(decode_body(Rows.none(), 1, body_of("111"), COURT)) == 0


def test_no_more_entities_are_made_than_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    server = Server(Court())
    for _ in range(8):
        server.advance((0, 14, 15))
    sent = server.clients[0].receiver.rows()[0]
    body = encode_body(Rows.none(), sent, COURT)
    monkeypatch.setattr(compact, "MOST_ENTITIES", len(sent))
    assert len(decode_body(Rows.none(), 1, body, COURT)) == len(sent)
    monkeypatch.setattr(compact, "MOST_ENTITIES", len(sent) - 1)
    with pytest.raises(LimitExceeded):
        decode_body(Rows.none(), 1, body, COURT)
