import struct
from math import inf, nan

import pytest

from retick.errors import UsageError
from retick.wire.values import LARGEST, round32, within_bounds


def test_rounding_to_binary32_stays_finite() -> None:
    assert round32(1e300) == LARGEST
    assert round32(-1e300) == -LARGEST
    assert round32(0.1) == struct.unpack("<f", struct.pack("<f", 0.1))[0]
    assert round32(inf) == inf


def test_numbers_are_bounded_whole_or_rounded() -> None:
    assert within_bounds("x", (0, 10), 7.0) == 7
    assert isinstance(within_bounds("x", (0, 10), 7.0), int)
    assert within_bounds("x", (0.0, 10.0), 0.1) == round32(0.1)
    for bounds, wrong in (((0, 10), 1.5), ((0, 10), 11), ((0.0, 1.0), nan), ((0, 10), True), ((0, 10), "1")):
        with pytest.raises(UsageError, match="x must be a"):
            within_bounds("x", bounds, wrong)  # type: ignore[arg-type]  # wrong on purpose
