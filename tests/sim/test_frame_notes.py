"""Notes on what a game raises."""

import pytest

from retick.sim.contract import located


def test_an_error_gets_the_frame_and_its_inputs_once() -> None:
    with pytest.raises(KeyError) as caught, located(9, 1, [9]), located(5, 1, [2, 0]):
        raise KeyError
    assert caught.value.__notes__ == ["in frame 5 of the run with seed 1, with the inputs (2, 0)"]


def test_an_error_before_the_first_frame_is_of_the_initial_state() -> None:
    with pytest.raises(KeyError) as caught, located(-1, 7):
        raise KeyError
    assert caught.value.__notes__ == ["in the initial state of seed 7"]
