"""How many examples a property gets that needs more of them than others: less in make test, more in make soak."""

from hypothesis import settings

__all__ = ["examples"]


def examples(thorough: int) -> int:
    """Of ``thorough`` examples: twice as many for make soak, half of them for make test, a fifth uncompiled.

    The profile has been chosen when test modules are imported; its own number says which one it is.
    """
    usual = settings.default.max_examples
    return 2 * thorough if usual >= 400 else thorough // 2 if usual >= 25 else thorough // 5
