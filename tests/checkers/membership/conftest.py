"""The model copies sessions, and compiled ones cannot be copied: these tests need RETICK_PURE=1."""

import pytest

from retick import is_compiled


def pytest_runtest_setup(item: pytest.Item) -> None:
    if is_compiled() and "any_form" not in getattr(item, "fixturenames", ()):
        pytest.skip("the model runs uncompiled only")


@pytest.fixture
def any_form() -> None:
    """For a test that runs in both forms."""
