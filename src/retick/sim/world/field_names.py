"""Every value of a world with its name, for reports: an item is named by its id, since its index shifts."""

from collections.abc import Iterator
from typing import Any

from retick.sim.world.declaration import CACHE, ITEMS, LINK, PART, VALUES, Member, members_of
from retick.sim.world.forms import Form

__all__ = ["thing_fields"]


def thing_fields(thing: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Pairs of name and value, in the order of declaration; names begin with ``prefix``."""
    for member in members_of(type(thing)):
        if member.holds != CACHE:
            yield from _fields_of(member, getattr(thing, member.name), prefix + member.name)


def _fields_of(member: Member, value: Any, name: str) -> Iterator[tuple[str, Any]]:
    if member.holds == ITEMS:
        yield name, tuple(item.id for item in value)
        for item in value:
            yield from thing_fields(item, f"{name}[id {item.id}].")
    elif member.holds == VALUES:
        yield f"{name}.length", len(value)
        for index, each in enumerate(value):
            yield from _values_of(member, each, f"{name}[{index}]")
    elif member.holds == PART and value is not None:
        yield from thing_fields(value, f"{name}.")
    elif member.holds == LINK:
        yield name, None if value is None else value.id
    else:
        yield from _values_of(member, value, name)


def _values_of(member: Member, value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """One value; of a vector or a rectangle, each of its numbers."""
    if isinstance(member.form, Form) and value is not None:
        for part, number in zip(member.form.names, value, strict=True):
            yield f"{name}.{part}", number
    else:
        yield name, value
