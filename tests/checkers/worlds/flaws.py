# mypy: disable-error-code="attr-defined"
"""Flaws to plant into the uncompiled kernels, each as a function; ``player`` calls the one that is named to it.

They are what a new storage of things gets wrong most easily.
"""

from typing import Any

from retick.sim import kinds
from retick.sim.world import saved, storage, world

__all__ = [
    "advises_otherwise",
    "finds_those_that_left",
    "forgets_who_left",
    "is_deleted",
    "is_shared",
    "keeps_integers",
    "loads_positive_zeros",
    "names_no_field",
    "remembers_none",
    "takes_nan",
    "writes_when_shut",
]


def takes_nan() -> None:
    """A float field takes NaN."""
    checked = kinds._real

    def lenient(value: Any) -> Any:
        return float(value) if isinstance(value, float) else checked(value)

    kinds._real = lenient


def keeps_integers() -> None:
    """A float field keeps an integer as it is, until it is loaded."""
    write = storage.FieldAttribute.write

    def kept(self: Any, cell: Any, value: Any) -> Any:
        result = write(self, cell, value)
        if self.code == storage.DOUBLE and type(value) is int:
            cell._row[self.slot] = value
        return result

    storage.FieldAttribute.write = kept  # type: ignore[method-assign]  # the point of it


def is_shared() -> None:
    """A vector that is assigned is not copied."""
    storage.copied = lambda shape: shape


def loads_positive_zeros() -> None:
    """A load loses the sign of zero."""
    load = saved.WorldReader.load_run

    def unsigned(self: Any, step: Any, cell: Any) -> Any:
        result = load(self, step, cell)
        row = cell._row
        row[step.first : step.first + step.count] = [
            0.0 if raw == 0 and type(raw) is float else raw for raw in row[step.first : step.first + step.count]
        ]
        return result

    saved.WorldReader.load_run = unsigned  # type: ignore[method-assign]  # the point of it


def finds_those_that_left() -> None:
    """A reference goes on naming a thing that has left its list."""
    found: dict[tuple[int, int], Any] = {}
    linked = storage.FieldAttribute.linked

    def kept(self: Any, cell: Any) -> Any:
        number = cell._row[self.slot]
        it = linked(self, cell)
        if it is not None:
            found[id(cell), number] = it
        return found.get((id(cell), number)) if number else None

    storage.FieldAttribute.linked = kept  # type: ignore[method-assign]  # the point of it


def forgets_who_left() -> None:
    """A thing that is taken out of its place cannot be put elsewhere."""

    def leave(cell: Any) -> int:
        if cell._settled:
            storage.unsettle(cell)
        return 0

    storage.leave = saved.leave = leave


def names_no_field() -> None:
    """An error of an integer does not say which field it is."""
    refusal = kinds.Kind.refusal

    def nameless(self: Any, value: Any, where: str) -> Any:
        return refusal(self, value, where.partition(".")[0])

    kinds.Kind.refusal = nameless  # type: ignore[method-assign]  # the point of it


def advises_otherwise() -> None:
    """The advice on an undeclared name is another one."""
    storage.advice_on_value = lambda value: ": declare it"


def remembers_none() -> None:
    """An optional field that becomes None keeps its number, and is saved with it."""
    write = storage.FieldAttribute.write

    def kept(self: Any, cell: Any, value: Any) -> Any:
        if value is None and self.optional:
            cell._row[self.slot + 1] = 1
            return 0
        return write(self, cell, value)

    storage.FieldAttribute.write = kept  # type: ignore[method-assign]  # the point of it


def is_deleted() -> None:
    """``del thing.field`` sets the field to its first value."""

    def deleted(self: Any, thing: Any) -> None:
        if self.code <= storage.LINK:
            thing._row[self.slot] = type(thing._row[self.slot])(0)

    storage.FieldAttribute.__delete__ = deleted  # type: ignore[method-assign]  # the point of it


def writes_when_shut() -> None:
    """Things that enter a read-only world can be written."""
    shut = storage.shut

    def only_the_world(cell: Any) -> Any:
        result = shut(cell)
        for field in cell._plan.fields:
            if field.code == storage.ITEMS:
                for item in cell._parts[field.part]:
                    item._open = item._slots
        return result

    storage.shut = only_the_world
    from retick.sim.world import hosting

    hosting.shut = only_the_world
    assert world.World is not None
