"""The fields of a state and the constants of the fighter, as the page shows them."""

from collections.abc import Iterable
from typing import Any, Final

from retick.games.fighter import Fighter, rules
from retick.sim.fields import canonical_text

RULES: Final[dict[str, int]] = {
    name.lower(): value for name, value in vars(rules).items() if name.isupper() and type(value) is int
}
"""The constants of docs/reference/fighter.md by their lower-case names: ``player_width``, ``hitbox_height``, ..."""


def is_fighter(game: object) -> bool:
    """Whether states of this game can be drawn as fighters."""
    return isinstance(game, Fighter)


def fields_by_name(game: Any, state: Any) -> dict[str, Any]:
    """Every value of a state by its name, such as ``p1.x``."""
    return dict(game.fields(state))


MOST_FIELDS = 2000
LONGEST_VALUE = 200
"""Characters after which names and values are cut."""


def shown_value(value: Any) -> str:
    """Write an integer in digits, and everything else as reports do."""
    if isinstance(value, int) and not isinstance(value, bool):
        if value.bit_length() > 512:
            return f"an integer of {value.bit_length()} bits"
        return str(int(value))
    text = canonical_text(value)
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"


def shown_fields(fields: Iterable[tuple[str, Any]]) -> tuple[list[tuple[str, str]], int]:
    """Names and values of the first fields, and the number of further ones."""
    shown: list[tuple[str, str]] = []
    more = 0
    for name, value in fields:
        if len(shown) < MOST_FIELDS:
            shown.append((str(name)[:LONGEST_VALUE], shown_value(value)))
        else:
            more += 1
    return shown, more
