"""The usual packet: without its short way every packet, result and error is the same."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import RetickError
from retick.snapshot import Codec, Limits, Snapshot
from retick.snapshot.compact.coder import Statistics
from retick.snapshot.compact.packet import PayloadCodec
from tests.effort import examples
from tests.snapshot.compact.test_packet import BODY, body

AGES = (1, 3, 8)


class Never:
    """In place of the short way: it takes no packet."""

    def encode(self, *_arguments: Any) -> None:
        return None

    def decode(self, *_arguments: Any) -> None:
        return None


class Counted:
    """The short way, and how many packets it took."""

    def __init__(self, usual: Any) -> None:
        self.usual = usual
        self.taken = 0

    def encode(self, *arguments: Any) -> Any:
        return self._count(self.usual.encode(*arguments))

    def decode(self, *arguments: Any) -> Any:
        return self._count(self.usual.decode(*arguments))

    def _count(self, found: Any) -> Any:
        self.taken += found is not None
        return found


def both(**options: Any) -> tuple[PayloadCodec, PayloadCodec, Counted]:
    """A codec, one without the short way, and what counts its use."""
    short, long = (Codec(BODY, compact=True, **options).compact_payloads() for _ in range(2))
    counted = Counted(short._usual)
    short._usual, long._usual = counted, Never()
    return short, long, counted


def told(call: Callable[[], Any]) -> Any:
    """What a call gives, or the words of its error."""
    try:
        found = call()
    except RetickError as error:
        return type(error), str(error)
    if isinstance(found, tuple):
        snapshot, statistics = found
        return snapshot, numbers(statistics)
    return found.payload, found.cut, numbers(found.statistics)


def numbers(statistics: Statistics) -> tuple[Any, ...]:
    return statistics.models, statistics.weights, statistics.lineage


def calm(tick: int) -> Snapshot:
    """A world that moves evenly, so that compact packets are worth their while."""
    turn = (3, 256 + tick % 50, 256, 256)
    rows = {at: {1: (at * tick % 400, tick, at, 1, tick % 256, *turn, False, at)} for at in range(1, 9)}
    return Snapshot.of(BODY, tick=tick, entities=rows)


def history_of(seed: int, tick: int, ages: tuple[int, ...] = AGES) -> list[Snapshot]:
    return [body(seed, tick - age) for age in ages]


@pytest.mark.parametrize("sealed", [True, False])
@pytest.mark.parametrize("carried", [True, False])
@pytest.mark.parametrize("ages", [AGES, (3, 6, 9)])
def test_a_match_is_the_same_without_it(sealed: bool, carried: bool, ages: tuple[int, ...]) -> None:
    short, long, counted = both(sealed=sealed)
    statistics = short.prior_statistics() if carried else None
    held = {tick: calm(tick) for tick in range(1, 80)}
    for tick in range(20, 60):
        history = [held[tick - age] for age in ages]
        made = short.encode(held[tick], held[tick + 6], history, statistics)
        other = long.encode(held[tick], held[tick + 6], history, statistics)
        assert (made.payload, numbers(made.statistics)) == (other.payload, numbers(other.statistics))
        found, learned = short.decode(held[tick], tick + 6, made.payload, held.get, statistics)
        assert found == held[tick + 6]
        assert numbers(learned) == numbers(made.statistics)
        assert numbers(long.decode(held[tick], tick + 6, made.payload, held.get, statistics)[1]) == numbers(learned)
        if carried:
            statistics = made.statistics
    assert counted.taken == 80


@settings(max_examples=examples(200), deadline=None)
@given(
    st.integers(1, 40),
    st.integers(9, 30),
    st.integers(-3, 300),
    st.sampled_from([(), (1,), (1, 3, 8), (1, 3), (2, 3, 8), (1, 3, 9), (2, 4, 6), (3, 6, 9)]),
    st.sampled_from([None, 0, 40, 2000]),
    st.sampled_from([b"", b"mine"]),
    st.sampled_from(
        [Limits(), Limits(max_entities_update=3), Limits(max_section_bytes=30), Limits(max_section_len=20)]
    ),
    st.booleans(),
)
def test_an_encoder_does_and_refuses_the_same_without_it(
    seed: int,
    tick: int,
    ahead: int,
    ages: tuple[int, ...],
    most: int | None,
    structure: bytes,
    limits: Limits,
    carried: bool,
) -> None:
    short, long, _counted = both(limits=limits, sealed=seed % 2 == 0)
    statistics = short.prior_statistics() if carried else None
    current = body(seed, max(0, tick + ahead), 4 + seed % 3)
    arguments = body(seed, tick), current, history_of(seed, tick, ages), statistics, most, structure
    assert told(lambda: short.encode(*arguments)) == told(lambda: long.encode(*arguments))


@settings(max_examples=examples(300), deadline=None)
@given(st.data(), st.booleans(), st.booleans())
def test_a_decoder_does_and_refuses_the_same_without_it(data: Any, sealed: bool, carried: bool) -> None:
    short, long, _counted = both(sealed=sealed)
    statistics = short.prior_statistics() if carried else None
    ages = data.draw(st.sampled_from([AGES, (3, 6, 9)]))
    structure = data.draw(st.sampled_from([b"", b"mine"]))
    history = history_of(4, 20, ages)
    payload = bytearray(long.encode(body(4, 20), body(4, 26), history, statistics, structure=structure).payload)
    at = data.draw(st.integers(0, len(payload) - 1))
    payload[at] ^= data.draw(st.sampled_from([0, 1, 8, 64, 255]))
    del payload[data.draw(st.integers(0, len(payload))) :]
    packet = bytes(payload) + data.draw(st.binary(max_size=3))
    missing = data.draw(st.sampled_from([0, 12, 14, 17, 19]))
    held = {tick: body(4, tick) for tick in range(1, 30) if tick != missing}
    tick = data.draw(st.sampled_from([26, 27, 1 << 32]))
    given_statistics = data.draw(st.sampled_from([statistics, None]))
    arguments = body(4, 20), tick, packet, held.get, given_statistics, lambda _structure: body(4, 20)
    assert told(lambda: short.decode(*arguments)) == told(lambda: long.decode(*arguments))
