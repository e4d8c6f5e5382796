import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.netrunner.client.prediction import FadingOffset, Reconciliation, ViewSmoothing


def moved(dx: float, dy: float, dz: float) -> Reconciliation:
    flat = (dx * dx + dz * dz) ** 0.5
    return Reconciliation(dx, dy, dz, flat, flat, abs(dy), (flat * flat + dy * dy) ** 0.5)


def test_half_a_metre_fades_as_the_protocol_says() -> None:
    offset = FadingOffset()
    offset.push(0.5, 0.0, 0.0, 0.1)
    found = [offset.advance(1 / 60)[0] for _ in range(6)]
    assert found == pytest.approx([0.47777, 0.427996, 0.368071, 0.307743, 0.252053, 0.203214], abs=1e-5)


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(-3, 3), st.floats(0.005, 0.2))
def test_every_offset_ends_at_zero_and_never_grows_past_its_bound(x: float, y: float, z: float, seconds: float) -> None:
    offset = FadingOffset()
    offset.push(x, y, z, seconds)
    lengths = [sum(part * part for part in offset.advance(1 / 60)) ** 0.5 for _ in range(300)]
    assert max(lengths) <= 2.0 + 1e-9
    assert lengths[-1] == 0.0


def test_a_large_correction_is_shown_at_once() -> None:
    smoothing = ViewSmoothing(100, 1.5)
    smoothing.correct(moved(0.4, 0.2, 0.0))
    assert smoothing.correct(moved(1.6, 0.0, 0.0))
    assert smoothing.advance(1 / 60) == (0.0, 0.0, 0.0)


def test_up_and_down_fade_faster_and_snap_earlier() -> None:
    smoothing = ViewSmoothing(100, 1.5)
    assert not smoothing.correct(moved(0.4, 0.4, 0.0))
    x, y, _ = smoothing.advance(1 / 60)
    assert 0 < y < x
    smoothing.correct(moved(0.0, 0.6, 0.0))
    x, y, _ = smoothing.advance(1 / 60)
    assert y == 0.0
    assert x > 0
