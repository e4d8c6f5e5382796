"""The reference games with everything that a terminal needs: keys, bots, the end of a match, pictures."""

from collections.abc import Sequence
from typing import Any, Protocol

from rich.console import RenderableType

from retick.cli.draw.fighter import Arena
from retick.cli.draw.scramble import ScrambleField
from retick.cli.play.keys import KeyboardButtons
from retick.errors import UsageError
from retick.games.fighter import Button, Fighter, FighterState
from retick.games.scramble import Scramble, ScrambleButton, ScrambleState
from retick.games.scramble.bots import ScrambleBot
from retick.playing.confirmed_match import ConfirmedFight, ConfirmedMatch, outcome
from retick.playing.controllers import BotController, Controller, StyleName

LONGEST = 99 * 60
"""Frames after which an undecided match ends: 99 seconds."""
POINTS_TO_WIN = 30


class TerminalGame(Protocol):
    """One game, as ``retick host``, ``join`` and ``watch`` need it."""

    game: Any
    keys_help: str

    def keys(self) -> KeyboardButtons:
        """Make the controller of the person at this terminal."""

    def bot(self, seed: int, player: int, style: StyleName) -> Controller:
        """Make a bot for one seat."""

    def confirmed(self, seed: int, state: Any = None, frame: int = 0) -> ConfirmedMatch:
        """Make the confirmed match that starts from its seed, or from ``state`` at ``frame``."""

    def outcome(self, confirmed: ConfirmedMatch, names: Sequence[str]) -> str:
        """Who won, or leads, in words."""

    def picture(
        self,
        state: Any,
        previous: Any,
        *,
        names: Sequence[str],
        confirmed: ConfirmedMatch | None,
        title: str,
        footer: str,
    ) -> RenderableType:
        """Draw the match in ``state``; what has moved since ``previous`` may leave a trail."""


class TerminalFighter:
    """The fighter, for two players."""

    keys_help = "a d, arrows: step, hold: run; w: jump; s: stop; j, space: strike; q: leave"

    def __init__(self) -> None:
        self.game = Fighter()

    def keys(self) -> KeyboardButtons:
        left, right, jump, strike = int(Button.LEFT), int(Button.RIGHT), int(Button.JUMP), int(Button.ATTACK)
        return KeyboardButtons(
            axes=({"a": left, "left": left, "d": right, "right": right},),
            moments={"w": jump, "up": jump} | dict.fromkeys(("j", "k", " ", "\n", "\r"), strike),
            stops=frozenset({"s", "down"}),
        )

    def bot(self, seed: int, player: int, style: StyleName) -> Controller:
        return BotController(seed, player, style)

    def confirmed(self, seed: int, state: Any = None, frame: int = 0) -> ConfirmedMatch:
        return ConfirmedFight(seed, longest=LONGEST, state=state, frame=frame)

    def outcome(self, confirmed: ConfirmedMatch, names: Sequence[str]) -> str:
        assert isinstance(confirmed, ConfirmedFight)
        return outcome(confirmed, (names[0], names[1]))

    def picture(
        self,
        state: FighterState,
        previous: FighterState | None,
        *,
        names: Sequence[str],
        confirmed: ConfirmedMatch | None,
        title: str,
        footer: str,
    ) -> RenderableType:
        hits = confirmed.hits if isinstance(confirmed, ConfirmedFight) else None
        both = (names[0], names[1])
        return Arena(state=state, previous=previous, names=both, hits=hits, title=title, footer=footer)


class ConfirmedScramble(ConfirmedMatch):
    """A match of scramble, which is decided when a player has enough points."""

    def decides(self, state: ScrambleState) -> bool:
        return max(body.score for body in state.bodies) >= POINTS_TO_WIN


class _ScrambleBot:
    def __init__(self, seed: int, player: int) -> None:
        self._bot = ScrambleBot.seeded(seed, player)

    def __call__(self, state: ScrambleState, now: float, /) -> int:
        pressed, self._bot = self._bot.decide(state)
        return pressed


class TerminalScramble:
    """Scramble, for two to eight players."""

    keys_help = "wasd, arrows: step, hold: run; x: stop; space: dash; q: leave"

    def __init__(self, players: int) -> None:
        self.game = Scramble(players)

    def keys(self) -> KeyboardButtons:
        left, right, up, down, dash = (int(button) for button in ScrambleButton)
        return KeyboardButtons(
            axes=({"a": left, "left": left, "d": right, "right": right}, {"w": up, "up": up, "s": down, "down": down}),
            moments=dict.fromkeys(("j", " ", "\n", "\r"), dash),
            stops=frozenset({"x"}),
        )

    def bot(self, seed: int, player: int, style: StyleName) -> Controller:
        return _ScrambleBot(seed, player)

    def confirmed(self, seed: int, state: Any = None, frame: int = 0) -> ConfirmedMatch:
        return ConfirmedScramble(self.game, seed, longest=LONGEST, state=state, frame=frame)

    def outcome(self, confirmed: ConfirmedMatch, names: Sequence[str]) -> str:
        scores = [body.score for body in (confirmed.decided or confirmed.state).bodies]
        best = [names[seat] for seat, score in enumerate(scores) if score == max(scores)]
        return f"{' and '.join(best)}, with {max(scores)} points ({', '.join(map(str, scores))})"

    def picture(
        self,
        state: ScrambleState,
        previous: ScrambleState | None,
        *,
        names: Sequence[str],
        confirmed: ConfirmedMatch | None,
        title: str,
        footer: str,
    ) -> RenderableType:
        return ScrambleField(state=state, names=names, title=title, footer=footer)


def terminal_game_for(players: int) -> TerminalGame:
    """The fighter for two players, scramble for more."""
    if players == 2:
        return TerminalFighter()
    if not 2 < players <= 8:
        raise UsageError(f"--players must be 2 (the fighter) or 3 to 8 (scramble), not {players}")
    return TerminalScramble(players)
