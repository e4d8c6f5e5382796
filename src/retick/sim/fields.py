"""The fields of states: values as text that is the same in every process, and what differs between states.

Theory of operation. A game names the values of a state with ``fields(state)``: pairs of a name and a value. Reports,
recordings and audits compare such states, often from different processes. Two values are *the same* if they are equal
integers, or if their canonical texts are equal. The text of a float is exact, so NaN is the same as NaN, and 0.0 is
not the same as -0.0. A set has no order of its own, and its order differs from process to process: its text is sorted.
A dict keeps its order, because a step that walks over it sees that order.
"""

import dataclasses
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from retick.errors import UsageError

ABSENT: Final = "absent"
"""Shown in place of a value where a state does not have the field."""
DEEPEST_OBJECT = 4
"""Levels of objects without a ``repr`` of their own that are shown by their attributes, one inside the other."""

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


class FieldDifference(NamedTuple):
    """One field that differs between two states."""

    name: str
    ours: Any
    theirs: Any

    def __str__(self) -> str:
        return f"{self.name}: {self.ours} here, {self.theirs} there"


def wrong_names(owner: str, missing: Sequence[str], unknown: Sequence[str]) -> UsageError:
    """The error for values given by field name, of which some are missing or unknown."""
    wrong = [f"{what} fields {names}" for what, names in (("missing", missing), ("unknown", unknown)) if names]
    return UsageError(f"{owner}: {', '.join(wrong)}")


def field_differences(
    ours: Iterable[tuple[str, Any]], theirs: Iterable[tuple[str, Any]]
) -> tuple[FieldDifference, ...]:
    """The fields that differ between two states, in their order; ABSENT where a state does not have the field."""
    here, there = dict(ours), dict(theirs)
    return tuple(
        FieldDifference(name, here.get(name, ABSENT), there.get(name, ABSENT))
        for name in differing_fields((here, there))
    )


def differing_fields(states: Sequence[Mapping[str, Any]], incomplete: Collection[int] = ()) -> list[str]:
    """The names of the fields that are not the same in all states, in the order in which they first appear.

    A field that only some states have differs. ``incomplete`` holds the indices of states that show only some of
    their fields: a field that such a state does not show is unknown there, and no difference.
    """
    names = dict.fromkeys(name for state in states for name in state)
    return [name for name in names if _differs(name, states, incomplete)]


def _differs(name: str, states: Sequence[Mapping[str, Any]], incomplete: Collection[int]) -> bool:
    shown = [state[name] for state in states if name in state]
    if any(name not in state and index not in incomplete for index, state in enumerate(states)):
        return True
    return any(not same_value(shown[0], value) for value in shown[1:])


def same_value(first: Any, second: Any) -> bool:
    """Whether two values of a field are the same: equal integers, or values with equal canonical texts."""
    if isinstance(first, int) and isinstance(second, int):
        return first == second
    return first is second or canonical_text(first) == canonical_text(second)


def canonical_text(value: Any) -> str:
    """``value`` as text that equal values share in every process: sets sorted at every depth, and no addresses.

    Otherwise it reads like ``repr``. A dataclass shows all of its fields, and an object without a ``repr`` of its own
    shows its attributes by name.
    """
    return _text(value, ())


def _text(value: Any, inside: tuple[Any, ...]) -> str:
    """The text of ``value``, which is a part of the values ``inside``, outermost first."""
    if isinstance(value, bool | int | float | str | bytes):
        return repr(value)
    if any(value is outer for outer in inside):
        return "..."
    parts = _attributes(value)
    if parts is not None:
        return _object_text(value, parts, inside)
    inside = (*inside, value)
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(_text(part, inside) for part in value))}}}" if value else "set()"
    if isinstance(value, dict):
        pairs = (f"{_text(key, inside)}: {_text(part, inside)}" for key, part in value.items())
        return _named(value, dict, f"{{{', '.join(pairs)}}}")
    if isinstance(value, list):
        return _named(value, list, f"[{', '.join(_text(part, inside) for part in value)}]")
    if isinstance(value, tuple):
        comma = "," if len(value) == 1 else ""
        return _named(value, tuple, f"({', '.join(_text(part, inside) for part in value)}{comma})")
    return _ADDRESS.sub("", repr(value))


def _named(value: Any, plain: type, text: str) -> str:
    """The text of a container, after the name of its type if that is a subclass."""
    return text if type(value) is plain else f"{type(value).__qualname__}({text})"


def _attributes(value: Any) -> dict[str, Any] | None:
    """The attributes of a value that is shown by their names; None for every other value."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name, ABSENT) for field in dataclasses.fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return dict(zip(value._fields, value, strict=False))
    if not _is_bare(value):
        return None
    state = object.__getstate__(value)  # attributes; with slots, a pair: those in __dict__ and those in slots
    found = [part for part in (state if isinstance(state, tuple) else (state,)) if part is not None]
    return dict(sorted((name, part) for group in found for name, part in group.items()))


def _is_bare(value: Any) -> bool:
    """Whether a value has no ``repr`` of its own."""
    kind: Any = type(value)
    return kind.__repr__ is object.__repr__


def _object_text(value: Any, parts: Mapping[str, Any], inside: tuple[Any, ...]) -> str:
    name = type(value).__qualname__
    # Objects may reach one another in many ways: without this limit the text could grow without bound.
    if sum(_is_bare(outer) for outer in inside) >= DEEPEST_OBJECT:
        return f"{name}(...)"
    inside = (*inside, value)
    return f"{name}({', '.join(f'{key}={_text(part, inside)}' for key, part in parts.items())})"
