"""Every value of a world with its name, for reports: an item is named by its id, since its index shifts."""

from collections.abc import Iterator
from typing import Any

from retick.sim.world.declaration import CACHE, ITEMS, LINK, PART, VALUES, Member, members_of

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
            yield f"{name}[{index}]", each
    elif member.holds == PART and value is not None:
        yield from thing_fields(value, f"{name}.")
    elif member.holds == LINK:
        yield name, None if value is None else value.id
    else:
        yield name, value
