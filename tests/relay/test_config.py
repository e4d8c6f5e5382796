"""Settings of a relay."""

from dataclasses import fields

import pytest

from retick.errors import UsageError
from retick.relay import RelayConfig


@pytest.mark.parametrize("name", [field.name for field in fields(RelayConfig)])
def test_a_limit_of_nothing_is_refused(name: str) -> None:
    for value in (0, -1, float("nan")):
        with pytest.raises(UsageError, match=f"{name} must be above 0"):
            RelayConfig(**{name: value})
