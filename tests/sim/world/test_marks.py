"""Marks of fields."""

import pytest

from retick.errors import SchemaError
from retick.sim import Most, Range
from retick.sim.kinds import LONGEST


@pytest.mark.parametrize("count", [0, -1, LONGEST + 1, 2.5, "4"])
def test_a_list_holds_a_sensible_number(count: int) -> None:
    with pytest.raises(SchemaError, match="a list holds at most 1 to 65535 items"):
        Most(count)


@pytest.mark.parametrize(
    ("low", "high", "step"), [(1, 1, None), (2, 1, None), (0, float("inf"), None), (0, 1, 0), (0, 1, 2), (0, 1, -1)]
)
def test_a_range_goes_up_in_steps_that_fit(low: float, high: float, step: float | None) -> None:
    with pytest.raises(SchemaError, match="Range"):
        Range(low, high, step=step)


def test_a_range_compares_by_value() -> None:
    assert Range(0, 640, step=0.5) == Range(0, 640, step=0.5) != Range(0, 640)
