from hypothesis import given
from hypothesis import strategies as st

from retick.netrunner.delta import acked_input, split_acked_input


@given(st.integers(0, 2**32 - 1), st.binary(max_size=20))
def test_acks_ride_on_inputs(tick: int, bundle: bytes) -> None:
    assert split_acked_input(acked_input(tick, bundle)) == (tick, bundle)
