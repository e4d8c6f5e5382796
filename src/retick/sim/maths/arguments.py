"""What the functions accept, and how they refuse the rest: with the same words compiled and not.

A NaN is never accepted and never returned: its sign and its other bits differ between processors, so it must not
get into a state.
"""

from typing import Any, NoReturn

__all__ = ["as_float", "overflow", "refuse"]


def as_float(value: Any, function: str) -> float:
    """A real number as a float; a TypeError for what is none."""
    if isinstance(value, (int, float)):
        return float(value)
    raise TypeError(f"{function}() takes a float or an int, not {value!r}")


def refuse(function: str, *values: float) -> NoReturn:
    """Raise the ValueError of an argument for which the function has no value."""
    raise ValueError(f"{function}({', '.join(map(repr, values))}) has no value")


def overflow(function: str, *values: float) -> NoReturn:
    """Raise the OverflowError of a result that is too large for a float."""
    raise OverflowError(f"{function}({', '.join(map(repr, values))}) is too large for a float")
