"""Deltas from explicit change lists."""

from typing import Any

import pytest

from retick.errors import EncodeError
from retick.snapshot import Codec, Limits
from tests.snapshot.sdec import schema_named

MIXED = schema_named("neg_mix")


def test_strict_change_lists_keep_to_it_too() -> None:
    limits = Limits(max_section_len=100)
    creates = {at: {1: (True, at)} for at in range(20)}
    lists: list[Any] = [
        {"creates": creates},
        {"destroys": list(range(30))},
        {"updates": {at: {1: [(0, True), (1, 5)]} for at in range(40)}},
    ]
    for changes in lists:
        loose = Codec(MIXED, version=2, limits=limits, strict=False)
        assert len(loose.encode_changes(tick=2, baseline_tick=1, **changes)) > 128
        with pytest.raises(EncodeError) as caught:
            Codec(MIXED, version=2, limits=limits).encode_changes(tick=2, baseline_tick=1, **changes)
        assert caught.value.code == "Wire.LimitsExceeded.SectionLength"
