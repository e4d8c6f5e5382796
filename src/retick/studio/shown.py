"""What a page needs to draw the fighter: a state's fields by name, and the game's constants."""

from collections.abc import Iterable
from typing import Any, Final

from retick.games.fighter import Fighter, rules
from retick.sim.fields import canonical_text

RULES: Final[dict[str, int]] = {
    name.lower(): value for name, value in vars(rules).items() if name.isupper() and type(value) is int
}
"""Constants of docs/reference/fighter.md by their names in small letters: ``player_width``, ``hitbox_height``, ..."""


def is_fighter(game: object) -> bool:
    """Whether states of this game can be drawn as fighters."""
    return isinstance(game, Fighter)


def fields_by_name(game: Any, state: Any) -> dict[str, Any]:
    """Every value of a state by its name, such as ``p1.x``."""
    return dict(game.fields(state))


# Fields of a state as short texts for the page.

MOST_FIELDS = 2000
LONGEST_VALUE = 200
"""Characters of a name and of a value: the rest is cut."""


def shown_value(value: Any) -> str:
    """An integer as its digits, everything else as reports show it."""
    if isinstance(value, int) and not isinstance(value, bool):
        if value.bit_length() > 512:
            return f"an integer of {value.bit_length()} bits"
        return str(int(value))
    text = canonical_text(value)
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"


def shown_fields(fields: Iterable[tuple[str, Any]]) -> tuple[list[tuple[str, str]], int]:
    """Name and value of the first fields, and how many more there are."""
    shown: list[tuple[str, str]] = []
    more = 0
    for name, value in fields:
        if len(shown) < MOST_FIELDS:
            shown.append((str(name)[:LONGEST_VALUE], shown_value(value)))
        else:
            more += 1
    return shown, more
