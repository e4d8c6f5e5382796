"""Round-trip time and loss by themselves."""

from hypothesis import given
from hypothesis import strategies as st

from retick.link.connection import LossMeter, RoundTrip


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
