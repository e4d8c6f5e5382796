"""The reference games as ``host``, ``join`` and ``watch`` see them: who plays, when it is over, how it looks."""

from collections.abc import Sequence
from typing import Any, Protocol

from rich.console import RenderableType

from retick.cli.draw.arena import Arena
from retick.cli.draw.scramble import ScrambleField
from retick.cli.play.brains import BotBrain, Brain, StyleName
from retick.cli.play.held_buttons import HeldKeys
from retick.cli.play.referee import FighterReferee, Referee, outcome
from retick.errors import UsageError
from retick.games.fighter import Button, Fighter, FighterState
from retick.games.scramble import Button as ScrambleButton
from retick.games.scramble import Scramble, ScrambleState
from retick.games.scramble.bots import Bot as ScrambleBot

__all__ = ["Contest", "FighterContest", "ScrambleContest", "contest_for"]

LONGEST = 99 * 60
"""Frames of a match that nothing decides: the arcade's 99 seconds."""
POINTS_TO_WIN = 30


class Contest(Protocol):
    """One game with everything that a terminal needs around it."""

    game: Any
    keys_help: str

    def keys(self) -> HeldKeys: ...

    def bot(self, seed: int, player: int, style: StyleName) -> Brain: ...

    def referee(self, seed: int, state: Any = None, frame: int = 0) -> Referee: ...

    def outcome(self, referee: Referee, names: Sequence[str]) -> str: ...

    def picture(
        self, state: Any, previous: Any, *, names: Sequence[str], referee: Referee | None, title: str, footer: str
    ) -> RenderableType: ...


class FighterContest:
    """The fighter, for two."""

    keys_help = "a d, arrows: step, hold: run; w: jump; s: stop; j, space: strike; q: leave"

    def __init__(self) -> None:
        self.game = Fighter()

    def keys(self) -> HeldKeys:
        left, right, jump, strike = int(Button.LEFT), int(Button.RIGHT), int(Button.JUMP), int(Button.ATTACK)
        return HeldKeys(
            axes=({"a": left, "left": left, "d": right, "right": right},),
            moments={"w": jump, "up": jump} | dict.fromkeys(("j", "k", " ", "\n", "\r"), strike),
            stops=frozenset({"s", "down"}),
        )

    def bot(self, seed: int, player: int, style: StyleName) -> Brain:
        return BotBrain(seed, player, style)

    def referee(self, seed: int, state: Any = None, frame: int = 0) -> Referee:
        return FighterReferee(seed, longest=LONGEST, state=state, frame=frame)

    def outcome(self, referee: Referee, names: Sequence[str]) -> str:
        assert isinstance(referee, FighterReferee)
        return outcome(referee, (names[0], names[1]))

    def picture(
        self,
        state: FighterState,
        previous: FighterState | None,
        *,
        names: Sequence[str],
        referee: Referee | None,
        title: str,
        footer: str,
    ) -> RenderableType:
        hits = referee.hits if isinstance(referee, FighterReferee) else None
        both = (names[0], names[1])
        return Arena(state=state, previous=previous, names=both, hits=hits, title=title, footer=footer)


class ScrambleReferee(Referee):
    """A scramble is decided when somebody has enough points."""

    def decides(self, state: ScrambleState) -> bool:
        return max(body.score for body in state.bodies) >= POINTS_TO_WIN


class _ScrambleBrain:
    def __init__(self, seed: int, player: int) -> None:
        self._bot = ScrambleBot.seeded(seed, player)

    def __call__(self, state: ScrambleState, now: float, /) -> int:
        pressed, self._bot = self._bot.decide(state)
        return pressed


class ScrambleContest:
    """Scramble, for two to eight."""

    keys_help = "wasd, arrows: step, hold: run; x: stop; space: dash; q: leave"

    def __init__(self, players: int) -> None:
        self.game = Scramble(players)

    def keys(self) -> HeldKeys:
        left, right, up, down, dash = (int(button) for button in ScrambleButton)
        return HeldKeys(
            axes=({"a": left, "left": left, "d": right, "right": right}, {"w": up, "up": up, "s": down, "down": down}),
            moments=dict.fromkeys(("j", " ", "\n", "\r"), dash),
            stops=frozenset({"x"}),
        )

    def bot(self, seed: int, player: int, style: StyleName) -> Brain:
        return _ScrambleBrain(seed, player)

    def referee(self, seed: int, state: Any = None, frame: int = 0) -> Referee:
        return ScrambleReferee(self.game, seed, longest=LONGEST, state=state, frame=frame)

    def outcome(self, referee: Referee, names: Sequence[str]) -> str:
        scores = [body.score for body in (referee.decided or referee.state).bodies]
        best = [names[seat] for seat, score in enumerate(scores) if score == max(scores)]
        return f"{' and '.join(best)}, with {max(scores)} points ({', '.join(map(str, scores))})"

    def picture(
        self,
        state: ScrambleState,
        previous: ScrambleState | None,
        *,
        names: Sequence[str],
        referee: Referee | None,
        title: str,
        footer: str,
    ) -> RenderableType:
        return ScrambleField(state=state, names=names, title=title, footer=footer)


def contest_for(players: int) -> Contest:
    """The fighter for two; scramble for more."""
    if players == 2:
        return FighterContest()
    if not 2 < players <= 8:
        raise UsageError(f"--players is 2 (the fighter) to 8 (scramble), not {players}")
    return ScrambleContest(players)
