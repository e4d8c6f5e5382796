"""Sections that an encoder writes are such as readers with the same limits read."""

import pytest

from retick.errors import EncodeError
from retick.snapshot import Codec, Limits, Snapshot
from tests.snapshot.sdec import schema_named

MIXED = schema_named("neg_mix")


def test_the_strict_encoder_keeps_to_what_readers_take() -> None:
    limits = Limits(max_section_len=100)
    world = Snapshot.of(MIXED, tick=1, entities={at: {1: (True, at)} for at in range(20)})
    assert len(Codec(MIXED, limits=limits, strict=False).encode_full(world)) > 128
    with pytest.raises(EncodeError) as caught:
        Codec(MIXED, limits=limits).encode_full(world)
    assert caught.value.code == "Wire.LimitsExceeded.SectionLength"
