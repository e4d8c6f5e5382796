"""The counters of a connection by themselves: which sequences were seen, round trip, loss, envelopes."""

from pathlib import Path
from types import ModuleType

from hypothesis import example, given
from hypothesis import strategies as st

from retick.link import control, terms
from retick.link.estimate import LossMeter, RoundTrip
from retick.link.flow import Flow
from retick.link.reasons import DROPS

WINDOW = 128


class SeenModel:
    """What a flow should take, with unbounded numbers in a set."""

    def __init__(self) -> None:
        self.newest = 0
        self.seen = {-behind for behind in range(WINDOW)}

    def take(self, number: int) -> str:
        if number > self.newest:
            self.newest = number
        elif self.newest - number >= WINDOW:
            return "stale"
        elif number in self.seen:
            return "duplicate"
        self.seen.add(number)
        return "new"


steps = st.one_of(
    st.integers(-140, 140),
    st.sampled_from([-128, -127, -65, -64, -63, 0, 1, 62, 63, 64, 65, 126, 127, 128, 129, 0x7FFF]),
)


@given(st.lists(steps, max_size=60), st.sampled_from([0, 0x7FC0, 0xFFC0]))
@example([1, 63, -63, -62, 64, -64, -128, -127, 127, -127], 0)
@example([1, 1, 62, -63, -63], 0)
def test_the_window_takes_each_sequence_once_as_a_set_would(moves: list[int], start: int) -> None:
    dropped = dict.fromkeys(DROPS, 0)
    flow, model = Flow(dropped), SeenModel()
    taken = 0
    # Up to where the numbers of this run begin, in steps that the protocol can follow.
    for number in range(0x4000, start, 0x4000):
        assert model.take(number) == "new"
        assert flow.note(number, 10, 1.0)
        taken += 1
    for move in [start - model.newest, *moves]:
        number = model.newest + move
        expected = model.take(number)
        before = dict(dropped)
        assert flow.note(number & 0xFFFF, 10, 1.0) == (expected == "new")
        if expected == "new":
            taken += 1
            assert dropped == before
        else:
            assert dropped == {**before, expected: before[expected] + 1}
    assert flow.received == taken
    assert flow.bytes_received == 10 * taken
    assert flow.newest == model.newest & 0xFFFF


@given(st.lists(st.integers(0, 0xFFFF), max_size=40))
def test_any_sequence_leaves_the_window_within_128_bits_and_the_newest_seen(sequences: list[int]) -> None:
    flow = Flow(dict.fromkeys(DROPS, 0))
    for sequence in sequences:
        flow.note(sequence, 9, 0.0)
        assert flow._seen & 1
        assert 0 <= flow._seen < 1 << 64
        assert 0 <= flow._seen_before < 1 << 64
        assert not flow.is_newer(flow.newest)


def test_payloads_leave_in_envelopes_with_hold_and_sequence() -> None:
    flow = Flow(dict.fromkeys(DROPS, 0))
    out: list[tuple[bytes, object]] = []
    flow.wrap([b"a"], 0xFEDCBA98, 1.0, "there", out)
    flow.note(0x1234, 20, 1.0)
    for now in (1.0, 1.0310, 1.0315, 0.9996, 0.5, 1e300, float("nan")):
        flow.wrap([b"a", b"bc"], 0xFEDCBA98, now, "there", out)
    kinds = [0xBF] + [kind for kind in (0x80, 0x80 | 61, 0xBF, 0x80, 0xBF, 0xBF, 0xBF) for _ in range(2)]
    assert {address for _, address in out} == {"there"}
    assert [data[0] for data, _ in out] == kinds
    for number, (data, _) in enumerate(out):
        ack = 0x34 if number else 0
        assert control.ENVELOPE.unpack_from(data) == (kinds[number], 0xFEDCBA98, number + 1, ack)
        assert data[8:] == (b"bc" if number and number % 2 == 0 else b"a")
    assert flow.sent == len(out)
    assert flow.bytes_sent == sum(len(data) for data, _ in out)


def test_the_hold_of_a_report_is_bounded() -> None:
    flow = Flow(dict.fromkeys(DROPS, 0))
    assert flow.hold(5.0) == control.HOLD_NONE
    flow.note(1, 20, 1.0)
    assert [flow.hold(now) for now in (1.0, 1.5, 0.0, 5.09, 5.1, 1e300)] == [0, 8000, 0, 65440, 65535, 65535]


def test_loss_is_a_share_and_not_a_whole_number() -> None:
    meter = LossMeter()
    meter.update(15, 0)
    assert not meter.sampled
    meter.update(16, 12)
    assert meter.rate == 0.25
    meter.update(32, 28)
    assert meter.rate == 0.25 * 0.75
    meter.update(48, 100)
    assert meter.rate == 0.25 * 0.75 * 0.75


@given(st.lists(st.floats(-1.0, 5.0), min_size=1, max_size=30))
def test_the_round_trip_stays_between_its_samples(samples: list[float]) -> None:
    measured = RoundTrip()
    assert measured.retransmit_after == 0.5
    for sample in samples:
        measured.add(sample)
    bounded = [max(sample, 0.0) for sample in samples]
    assert measured.samples == len(samples)
    assert measured.latest == bounded[-1]
    assert measured.least == min(bounded)
    assert min(bounded) - 1e-12 <= measured.mean <= max(bounded) + 1e-12
    assert measured.retransmit_after >= max(0.05, measured.mean)


def declared_beside(module: ModuleType) -> dict[str, int]:
    lines = Path(str(module.__file__)).with_suffix(".pxd").read_text(encoding="utf-8").splitlines()
    return {name.strip(): int(value, 0) for name, value in (line.split(" = ") for line in lines if " = " in line)}


def test_the_kernels_know_the_same_numbers() -> None:
    numbers = declared_beside(control)
    assert numbers == {name: getattr(control, name) for name in numbers}
    assert len(numbers) == 9
    assert declared_beside(terms) == {state.name: state.value for state in terms.State}


@given(st.integers(-(1 << 31), (1 << 31) - 1))
def test_an_acknowledgement_is_a_low_byte_whatever_else_is_with_it(ack: int) -> None:
    flow = Flow(dict.fromkeys(DROPS, 0))
    for now in range(256):
        flow.number(0, float(now))
    flow.take_ack(ack, 0.0, 1000.0)
    sent_at = float(((ack & 0xFF) - 1) % 256)
    assert flow.round_trip.latest == 1000.0 - sent_at
