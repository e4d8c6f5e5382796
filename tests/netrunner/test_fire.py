"""The packets about shooting, to the byte."""

import struct
from math import inf

import pytest

from retick.errors import (
    InvalidValue,
)
from retick.netrunner.packets import NOBODY, Fire, FireResult, FireVisual
from tests.netrunner.worked_examples import NET


def test_the_fire_packets_lie_as_specified() -> None:
    fire = NET.encode_fire(Fire(1, 2, 3, -4, (0.0, 0.0, -1.0)))
    assert fire.hex() == "04010000000200000003000000fcffffff0000000000000000000080bf"
    result = NET.encode_fire(FireResult(2, NOBODY, 600))
    assert result.hex() == "0502000000ffffffff58020000"
    visual = FireVisual(2, 600, (0.0, 1.5, 0.0), 0.5, 0.25, True, (1.0, 2.0, 3.0))
    data = NET.encode_fire(visual)
    assert data.hex() == ("060200000058020000000000000000c03f000000000000003f0000803e010000803f0000004000004040")
    assert NET.decode_fire(data) == visual
    with pytest.raises(InvalidValue, match="finite"):
        NET.decode_fire(data[:-4] + struct.pack("<f", inf))
