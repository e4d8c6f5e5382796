"""What a page needs to draw the fighter: a state's fields by name, and the game's constants."""

from typing import Any, Final

from retick.games.fighter import Fighter, rules

__all__ = ["RULES", "fields_by_name", "is_fighter"]

RULES: Final[dict[str, int]] = {
    name.lower(): value for name, value in vars(rules).items() if name.isupper() and type(value) is int
}
"""Constants of docs/games/fighter.md by their names in small letters: ``player_width``, ``hitbox_height``, ..."""


def is_fighter(game: object) -> bool:
    """Whether states of this game can be drawn as fighters."""
    return isinstance(game, Fighter)


def fields_by_name(game: Any, state: Any) -> dict[str, Any]:
    """Every value of a state by its name, such as ``p1.x``."""
    return dict(game.fields(state))
