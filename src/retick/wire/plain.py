"""Figures as plain data: what JSON, a data frame or a plot takes."""

# retick: floats -- measurements for people; nothing is simulated from them

from dataclasses import fields, is_dataclass
from math import isfinite
from typing import Any

__all__ = ["Plain", "plain"]


def plain(value: Any) -> Any:
    """``value`` as numbers, texts, None, lists and dicts with texts as keys; a float that is not finite is None."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return value if isfinite(value) else None
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if is_dataclass(value):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {name: plain(one) for name, one in zip(value._fields, value, strict=True)}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(one) for one in value]
    return str(value)


class Plain:
    """Base class of figures: dataclasses that can be had as plain data."""

    __slots__ = ()

    def as_dict(self) -> dict[str, Any]:
        """A copy of every field by its name, ready for JSON: see :func:`plain`."""
        found: dict[str, Any] = plain(self)
        return found
