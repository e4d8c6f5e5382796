"""How much of the same is tried: less in make test, more in make soak."""

from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import settings

__all__ = ["examples", "first_of"]


def examples(thorough: int) -> int:
    """How many of ``thorough`` examples to try: twice as many for make soak, half for make test, a fifth uncompiled.

    The profile has been chosen when test modules are imported; its own number says which one it is.
    """
    usual = settings.default.max_examples
    return 2 * thorough if usual >= 400 else thorough // 2 if usual >= 25 else thorough // 5


def first_of(values: Iterable[Any], few: int) -> list[Any]:
    """Values for ``parametrize``: the first few are for make test, and the others, more of the same, for make soak."""
    return [pytest.param(value, marks=[pytest.mark.soak] * (at >= few)) for at, value in enumerate(values)]
