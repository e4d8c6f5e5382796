import struct
from math import inf

from retick.wire.binary32 import LARGEST, round32


def test_rounding_to_binary32_stays_finite() -> None:
    assert round32(1e300) == LARGEST
    assert round32(-1e300) == -LARGEST
    assert round32(0.1) == struct.unpack("<f", struct.pack("<f", 0.1))[0]
    assert round32(inf) == inf
