"""What chaos plays: the reference games, their bots, and how to see that something happens in them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from retick.games.fighter import Fighter, FighterState
from retick.games.fighter import bots as fighter_bots
from retick.games.scramble import Scramble, ScrambleState
from retick.games.scramble import bots as scramble_bots
from retick.sim.contract import input_size_of

__all__ = [
    "Arena",
    "Tampered",
    "arena_for",
    "fighter_arena",
    "scramble_arena",
]


# A game that goes wrong on purpose: a check that does not find it proves nothing.


class Tampered:
    """Wraps a game: if ``when(before)`` is true, a step gives ``change(after)`` instead of ``after``.

    States are the game's own, so that they pack, compare and show like those of an honest peer.
    """

    def __init__(self, game: Any, *, when: Callable[[Any], bool], change: Callable[[Any], Any]) -> None:
        self._game = game
        self._when = when
        self._change = change
        self.num_players: int = game.num_players
        self.input_size = input_size_of(game)
        self.changes = 0
        """How often it went wrong, resimulated frames included."""

    def step(self, state: Any, inputs: Sequence[int]) -> Any:
        after = self._game.step(state, inputs)
        if not self._when(state):
            return after
        self.changes += 1
        return self._change(after)

    def __getattr__(self, name: str) -> Any:
        """Everything else is the game's: its name, its first state, its checksum and fields."""
        if name == "run":
            raise AttributeError("a tampered game has no run(): it is stepped frame by frame")
        return getattr(self._game, name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arena:
    """A game, who plays it, and how to see that something happens."""

    game: Callable[[], Any]
    """Class or factory."""
    bot: Callable[[int, int], Callable[[Any], int]]
    """Given a seed and a seat: what presses the buttons, asked once a frame with the state."""
    hits: Callable[[Any, Any], int]
    """How much happened between two successive states: 0 for a whole match means that nobody played."""
    tampered: Callable[[int], Any]
    """Given a frame: the game, but its state is changed there and stays different."""
    tampered_field: str | None = None
    """The name of the one field that a tampered game must change, as the game's ``fields`` gives it; None: whatever it
    changes in a straight run, one field or several."""


class _Remembering:
    """Keeps a bot, which is a value, from one decision to the next."""

    def __init__(self, bot: Any) -> None:
        self._bot = bot

    def __call__(self, state: Any) -> int:
        buttons, self._bot = self._bot.decide(state)
        return int(buttons)


def _at_frame(frame: int, state: Any) -> bool:
    return bool(state.frame == frame)


def _with_another_generator(state: Any) -> Any:
    """Both games hash this field, and it never returns to its old value."""
    return state.replace(rng=state.rng ^ 0x40000000 or 1)


def _tampered(game: Callable[[], Any], frame: int) -> Tampered:
    return Tampered(game(), when=partial(_at_frame, frame), change=_with_another_generator)


def _fighter_bot(seed: int, player: int) -> _Remembering:
    styles = fighter_bots.STYLES
    return _Remembering(fighter_bots.Bot.seeded(seed, player, styles[(seed + player) % len(styles)]))


def _fighter_hits(before: FighterState, after: FighterState) -> int:
    first = after.p1.hitstun_frames > before.p1.hitstun_frames
    return first + (after.p2.hitstun_frames > before.p2.hitstun_frames)


def fighter_arena() -> Arena:
    return Arena(game=Fighter, bot=_fighter_bot, hits=_fighter_hits, tampered=partial(_tampered, Fighter))


def _scramble_bot(seed: int, player: int) -> _Remembering:
    return _Remembering(scramble_bots.ScrambleBot.seeded(seed, player))


def _scramble_hits(before: ScrambleState, after: ScrambleState) -> int:
    return sum(new.stun > old.stun for old, new in zip(before.bodies, after.bodies, strict=True))


def scramble_arena(players: int) -> Arena:
    game = partial(Scramble, players)
    return Arena(game=game, bot=_scramble_bot, hits=_scramble_hits, tampered=partial(_tampered, game))


def arena_for(players: int) -> Arena:
    """The fighter for two, scramble for more."""
    return fighter_arena() if players == 2 else scramble_arena(players)
