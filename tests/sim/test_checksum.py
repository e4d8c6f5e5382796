"""The two checksums, against published values."""

import zlib

from hypothesis import given
from hypothesis import strategies as st

from retick.sim.checksum import crc32, fnv1a


def test_fnv_takes_one_round_a_field() -> None:
    assert fnv1a(()) == 2166136261
    assert fnv1a((1,)) == ((2166136261 ^ 1) * 16777619) & 0xFFFFFFFF
    assert fnv1a((-1,)) == fnv1a((0xFFFFFFFF,))
    assert fnv1a((1, 2)) != fnv1a((2, 1))


@given(st.binary(), st.binary())
def test_crc_is_zlibs_and_continues(head: bytes, tail: bytes) -> None:
    assert crc32(head + tail) == zlib.crc32(head + tail) == crc32(tail, crc32(head))
    assert crc32(b"123456789") == 0xCBF43926
