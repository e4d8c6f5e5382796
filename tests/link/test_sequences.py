"""Sequence numbers and acknowledgements by themselves: which sequences were seen, delays, envelopes."""

from hypothesis import example, given
from hypothesis import strategies as st

from retick.link import layout, packets
from retick.link.connection import Sequences
from retick.link.layout import (
    SEEN_WINDOW,
)
from retick.link.reasons import DROPS


class SeenModel:
    """What a sequences should take, with unbounded numbers in a set."""

    def __init__(self) -> None:
        self.newest = 0
        self.seen = {-behind for behind in range(SEEN_WINDOW)}

    def take(self, number: int) -> str:
        if number > self.newest:
            self.newest = number
        elif self.newest - number >= SEEN_WINDOW:
            return "stale"
        elif number in self.seen:
            return "duplicate"
        self.seen.add(number)
        return "new"


steps = st.one_of(
    st.integers(-280, 280),
    st.sampled_from(
        [-256, -255, -193, -192, -191, -128, -65, -64, -63, 0, 1, 63, 64, 65, 127, 128, 192, 255, 256, 257, 0x7FFF]
    ),
)


@given(st.lists(steps, max_size=60), st.sampled_from([0, 0x7FC0, 0xFFC0]))
@example([1, 63, -63, -62, 64, -64, -256, -255, 255, -255, 129, -130, -192, -193], 0)
@example([1, 1, 62, -63, -63], 0)
def test_the_window_takes_each_sequence_once_as_a_set_would(moves: list[int], start: int) -> None:
    dropped = dict.fromkeys(DROPS, 0)
    sequences, model = Sequences(dropped), SeenModel()
    taken = 0
    # Up to where the numbers of this run begin, in steps that the protocol can follow.
    for number in range(0x4000, start, 0x4000):
        assert model.take(number) == "new"
        assert sequences.note(number, 10, 1.0)
        taken += 1
    for move in [start - model.newest, *moves]:
        number = model.newest + move
        assert sequences.number_of(number & 0xFFFF) == number
        expected = model.take(number)
        before = dict(dropped)
        assert sequences.is_new(number & 0xFFFF) == (expected == "new")
        dropped.update(before)
        assert sequences.note(number & 0xFFFF, 10, 1.0) == (expected == "new")
        if expected == "new":
            taken += 1
            assert dropped == before
        else:
            assert dropped == {**before, expected: before[expected] + 1}
    assert sequences.received == taken
    assert sequences.bytes_received == 10 * taken
    assert sequences.newest == model.newest & 0xFFFF


@given(st.lists(st.integers(0, 0xFFFF), max_size=40))
def test_any_sequence_leaves_the_window_within_256_bits_and_the_newest_seen(numbers: list[int]) -> None:
    sequences = Sequences(dict.fromkeys(DROPS, 0))
    for sequence in numbers:
        sequences.note(sequence, 9, 0.0)
        assert sequences._seen & 1
        for word in (sequences._seen, sequences._seen_64, sequences._seen_128, sequences._seen_192):
            assert 0 <= word < 1 << 64


def test_payloads_leave_in_envelopes_with_hold_and_sequence() -> None:
    sequences = Sequences(dict.fromkeys(DROPS, 0))
    out: list[tuple[bytes, object]] = []
    sequences.wrap([b"a"], 0xFEDCBA98, 1.0, "there", None, out)
    sequences.note(0x1234, 20, 1.0)
    for now in (1.0, 1.0310, 1.0315, 0.9996, 0.5, 1e300, float("nan")):
        sequences.wrap([b"a", b"bc"], 0xFEDCBA98, now, "there", None, out)
    kinds = [0xBF] + [kind for kind in (0x80, 0x80 | 61, 0xBF, 0x80, 0xBF, 0xBF, 0xBF) for _ in range(2)]
    assert {address for _, address in out} == {"there"}
    assert [data[0] for data, _ in out] == kinds
    for number, (data, _) in enumerate(out):
        ack = 0x34 if number else 0
        assert packets.ENVELOPE.unpack_from(data) == (kinds[number], 0xFEDCBA98, number + 1, ack)
        assert data[8:] == (b"bc" if number and number % 2 == 0 else b"a")
    assert sequences.sent == len(out)
    assert sequences.bytes_sent == sum(len(data) for data, _ in out)


def test_the_hold_of_a_report_is_bounded() -> None:
    sequences = Sequences(dict.fromkeys(DROPS, 0))
    assert sequences.ack_delay(5.0) == layout.CONTROL_DELAY_NONE
    sequences.note(1, 20, 1.0)
    assert [sequences.ack_delay(now) for now in (1.0, 1.5, 0.0, 5.09, 5.1, 1e300)] == [0, 8000, 0, 65440, 65535, 65535]


@given(st.integers(-(1 << 31), (1 << 31) - 1))
@example(-1)
def test_an_acknowledgement_is_a_low_byte_whatever_else_is_with_it(ack: int) -> None:
    sequences = Sequences(dict.fromkeys(DROPS, 0))
    for now in range(256):
        sequences.number(0, float(now))
    sequences.receive_ack(ack, 0.0, 1000.0)
    sent_at = float(((ack & 0xFF) - 1) % 256)
    assert sequences.round_trip.latest == 1000.0 - sent_at
