"""What the room plays: the fighter, or a game of the user. One shape for both."""

from typing import Any, Protocol

from retick.games.fighter import Button, Fighter, rules
from retick.playing.confirmed_match import ConfirmedFight, ConfirmedMatch, outcome
from retick.playing.controllers import BotController, Controller, StyleName
from retick.rollback import RollbackSession
from retick.studio.shown import RULES, fields_by_name

LONGEST = 99 * rules.TICKS_PER_SECOND
"""Frames of a fight that nothing decides."""


class ShownGame(Protocol):
    """One game, as the room needs it."""

    styles: tuple[str, ...]
    """Of bots."""

    def make(self) -> Any:
        """A new game."""

    def hello(self) -> dict[str, Any]:
        """``game`` of the hello message."""

    def bot(self, sim: Any, seed: int, player: int, style: str) -> Controller:
        """Presses for a seat."""

    def confirmed(self, sim: Any, seed: int, state: Any, frame: int) -> ConfirmedMatch:
        """A match that begins; it knows when it is decided."""

    def outcome(self, confirmed: ConfirmedMatch, names: list[str]) -> str:
        """Who won, in words."""

    has_table: bool
    has_jpeg: bool

    def values(self, session: RollbackSession) -> Any:
        """What a frame message has of the present state; None if that is not how it is shown."""

    def ghost(self, sim: Any, state: Any) -> Any:
        """The same of a final state."""

    def table(self, session: RollbackSession) -> dict[str, Any]:
        """A ``table`` message, of a game that has one."""

    def jpeg(self, session: RollbackSession) -> bytes:
        """A picture, of a game that has one."""


class ShownFighter:
    """The fighter, for two."""

    styles = tuple(style.value for style in StyleName)
    has_table = has_jpeg = False

    def make(self) -> Fighter:
        return Fighter()

    def hello(self) -> dict[str, Any]:
        game = Fighter()
        first = fields_by_name(game, game.initial_state(1))
        left, right, jump, attack = (int(button) for button in Button)
        return {
            "kind": "fighter",
            "title": "Fighter",
            "fields": list(first),
            "first": list(first.values()),
            "rules": RULES,
            "pictures": "state",
            "size": None,
            "buttons": [
                {"bit": left, "label": "left", "keys": ["ArrowLeft", "KeyA"]},
                {"bit": right, "label": "right", "keys": ["ArrowRight", "KeyD"]},
                {"bit": jump, "label": "jump", "keys": ["ArrowUp", "KeyW"]},
                {"bit": attack, "label": "attack", "keys": ["Space", "KeyJ"]},
            ],
        }

    def bot(self, sim: Any, seed: int, player: int, style: str) -> Controller:
        return BotController(seed, player, StyleName(style))

    def confirmed(self, sim: Any, seed: int, state: Any, frame: int) -> ConfirmedMatch:
        return ConfirmedFight(seed, longest=LONGEST, state=state, frame=frame)

    def outcome(self, confirmed: ConfirmedMatch, names: list[str]) -> str:
        assert isinstance(confirmed, ConfirmedFight)
        said = outcome(confirmed, (names[0], names[1]))
        return said.replace("You wins", "You win").replace("You leads", "You lead")

    def values(self, session: RollbackSession) -> list[int]:
        return self.ghost(session.sim, session.state)

    def ghost(self, sim: Any, state: Any) -> list[int]:
        return list(fields_by_name(sim, state).values())

    def table(self, session: RollbackSession) -> dict[str, Any]:
        raise NotImplementedError("the page draws the fighter itself")

    def jpeg(self, session: RollbackSession) -> bytes:
        raise NotImplementedError("the page draws the fighter itself")
