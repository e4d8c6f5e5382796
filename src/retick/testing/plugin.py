"""The pytest plugin that installing Retick brings: fixtures for testing one's own game.

It is loaded in every pytest run of an environment that has Retick, and so imports nothing until it is used.
"""

from typing import Any

import pytest

__all__ = ["assert_deterministic"]


@pytest.fixture(name="assert_deterministic")
def assert_deterministic() -> Any:
    """The function of that name in ``retick.testing.determinism``."""
    from retick.testing import determinism

    return determinism.assert_deterministic
