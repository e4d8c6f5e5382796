"""The games of the play room: the fighter, or a game of the user, behind one protocol."""

from typing import Any, Protocol

from retick.games.fighter import Button, Fighter, rules
from retick.playing.confirmed_match import ConfirmedFight, ConfirmedMatch, outcome
from retick.playing.controllers import BotController, Controller, StyleName
from retick.rollback import RollbackSession
from retick.studio.shown import RULES, fields_by_name

LONGEST = 99 * rules.TICKS_PER_SECOND
"""Frames after which an undecided fight ends."""


class ShownGame(Protocol):
    """One game, as the room needs it."""

    styles: tuple[str, ...]
    """Names of the bots' styles."""

    def make(self) -> Any:
        """Make a new game."""

    def hello(self) -> dict[str, Any]:
        """The field ``game`` of the hello message."""

    def bot(self, sim: Any, seed: int, player: int, style: str) -> Controller:
        """Make a bot for a seat."""

    def confirmed(self, sim: Any, seed: int, state: Any, frame: int) -> ConfirmedMatch:
        """Make the confirmed match that begins here."""

    def outcome(self, confirmed: ConfirmedMatch, names: list[str]) -> str:
        """Who won, in words."""

    has_table: bool
    has_jpeg: bool

    def values(self, session: RollbackSession) -> Any:
        """The present state in a frame message; None if the page shows it in another way."""

    def ghost(self, sim: Any, state: Any) -> Any:
        """A confirmed state in a frame message; None if the page does not show it."""

    def table(self, session: RollbackSession) -> dict[str, Any]:
        """The fields of a ``table`` message; called only with ``has_table``."""

    def jpeg(self, session: RollbackSession) -> bytes:
        """A picture; called only with ``has_jpeg``."""


class ShownFighter:
    """The fighter, for two players."""

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
