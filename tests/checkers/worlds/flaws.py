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
    checked = kinds.FloatKind.checked

    def lenient(self: Any, value: Any, where: str) -> Any:
        return float(value) if isinstance(value, float) else checked(self, value, where)

    kinds.FloatKind.checked = lenient  # type: ignore[method-assign]  # the point of it


def keeps_integers() -> None:
    """A float field keeps an integer as it is, until it is loaded."""
    write = storage.write

    def kept(cell: Any, field: Any, value: Any) -> Any:
        result = write(cell, field, value)
        if field.code == storage.DOUBLE and type(value) is int:
            field.show(cell, value)
        return result

    storage.write = kept


def is_shared() -> None:
    """A vector that is assigned is not copied."""
    storage.copied = lambda shape: shape


def loads_positive_zeros() -> None:
    """A load loses the sign of zero."""
    read = saved.Unpacking.read_run

    def unsigned(self: Any, step: Any, first: int) -> Any:
        result = read(self, step, first)
        words = self.copy.words
        words[first : first + step.count] = [
            0.0 if raw == 0 and type(raw) is float else raw for raw in words[first : first + step.count]
        ]
        return result

    saved.Unpacking.read_run = unsigned  # type: ignore[method-assign]  # the point of it


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
    refusal = kinds.WholeKind.refusal

    def nameless(self: Any, value: Any, where: str) -> Any:
        return refusal(self, value, where.partition(".")[0])

    kinds.WholeKind.refusal = nameless  # type: ignore[method-assign]  # the point of it


def advises_otherwise() -> None:
    """The advice on an undeclared name is another one."""
    storage.advice_on_value = lambda value: ": declare it"


def remembers_none() -> None:
    """An optional field that becomes None keeps its number, and is saved with it."""
    write = storage.write_scalar

    def kept(cell: Any, field: Any, value: Any) -> Any:
        if value is None and field.optional:
            cell._row[field.slot + 1] = 1
            return field.show(cell, None)
        return write(cell, field, value)

    storage.write_scalar = kept


def is_deleted() -> None:
    """``del thing.field`` sets the field to its first value."""
    delete = storage.Cell.__delattr__

    def deleted(self: Any, name: str) -> None:
        field = self._plan.by_name.get(name)
        if field is None:
            delete(self, name)
        elif field.code <= storage.LINK:
            self._row[field.slot] = type(self._row[field.slot])(0)

    storage.Cell.__delattr__ = deleted  # type: ignore[method-assign]  # the point of it


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
