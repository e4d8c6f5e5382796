"""Errors of applying come after every error of decoding."""

import pytest

from retick.errors import DecodeError
from retick.snapshot import Codec, Snapshot
from tests.snapshot.sdec import schema_named

MIXED = schema_named("neg_mix")

BASE = Snapshot.of(
    MIXED, tick=50, entities={5: {1: (True, 5), 2: (300, -5, 7), 7: (False,)}, 9: {1: (False, 0)}, 300: {2: (0, 5, -8)}}
)


def test_what_was_never_an_error_of_decoding_stays_one_of_applying() -> None:
    """A packet whose update names a missing entity and then breaks off: the break is what counts."""
    codec = Codec(MIXED)
    current = Snapshot.of(MIXED, tick=60, entities={6: {1: (True, 1)}, 9: {1: (True, 0)}})
    start = Snapshot.of(MIXED, tick=50, entities={6: {1: (True, 0)}, 9: {1: (False, 0)}})
    packet = codec.encode_delta(start, current)
    with pytest.raises(DecodeError) as caught:
        codec.apply_delta(BASE, packet)
    assert caught.value.code == "EntityNotFound"
    cut = bytearray(packet[:-1])
    cut[24] -= 1
    cut[29] -= 1
    with pytest.raises(DecodeError) as caught:
        codec.apply_delta(BASE, bytes(cut))
    assert caught.value.code == "InvalidMask.ComponentMask.NotEnoughBits"
