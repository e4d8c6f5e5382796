"""What a player has in a world: every field of the things that are theirs, by its name, as in reports."""

from typing import Any

from retick.sim.world.declaration import ITEMS, PART, members_of
from retick.sim.world.field_names import thing_fields

__all__ = ["possessions"]


def possessions(thing: Any, player: int, prefix: str = "") -> dict[str, Any]:
    """``{"raiders[id 3].score": 7, ...}``; ``thing`` is the world, or something in it."""
    found: dict[str, Any] = {}
    for member in members_of(type(thing)):
        value: Any = getattr(thing, member.name) if member.holds in (ITEMS, PART) else None
        if member.holds == PART and value is not None:
            found |= possessions(value, player, f"{prefix}{member.name}.")
        elif member.holds == ITEMS:
            for item in value:
                name = f"{prefix}{member.name}[id {item.id}]."
                found |= dict(thing_fields(item, name)) if _owner(item) == player else possessions(item, player, name)
    return found


def _owner(thing: Any) -> int | None:
    for member in members_of(type(thing)):
        if member.is_player:
            owner: int = getattr(thing, member.name)
            return owner
    return None
