"""Limits, and what else a codec is made of, are checked when they are given."""

import pytest

from retick.errors import UsageError
from retick.snapshot import (
    Codec,
    Limits,
    Schema,
)


def test_limits_and_versions_are_checked() -> None:
    with pytest.raises(UsageError):
        Limits(max_sections=-1)
    with pytest.raises(UsageError):
        Codec(Schema([]), version=1)
