"""Scripted fighters: they advance, attack, retreat and jump, each in its own style.

A bot is a value, as a state is: ``decide`` looks at a state and returns the buttons and the bot for the next frame. So
a bot can be saved and rolled back together with the match. Equal bots that see equal states press equal buttons, on
every machine.

Theory of operation. A bot follows one plan at a time for a random number of frames: it holds its place, advances,
retreats, leaps in, or winds up an attack. When the other comes within reach, holding and advancing become a wind-up. An
attack has no start-up time in this game, so the length of the wind-up, the bot's reflex, decides who hits first. When a
plan ends or an attack was made, the style's odds choose the next plan; after a hit a bot retreats. Bots, like the
match, go on at 0 hp.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple, Self

from retick.errors import UsageError
from retick.games.fighter.game import Fighter, FighterState, PlayerState
from retick.games.fighter.rules import (
    HITBOX_HEIGHT,
    HITBOX_WIDTH,
    MAX_X,
    MIN_X,
    MOVE_SPEED,
    PLAYER_HEIGHT,
    PLAYER_WIDTH,
    Button,
)
from retick.sim.checksum import fnv1a
from retick.sim.prng import XorShift32, check_seed

# Plain ints: an IntFlag costs thirty times as much to combine.
LEFT: Final = int(Button.LEFT)
RIGHT: Final = int(Button.RIGHT)
JUMP: Final = int(Button.JUMP)
ATTACK: Final = int(Button.ATTACK)

REACH: Final = PLAYER_WIDTH + HITBOX_WIDTH
"""An attack hits if the other is nearer than this in the direction faced, and not at the same x."""
CLOSE: Final = REACH - 2 * MOVE_SPEED
"""At a smaller distance than this a bot does not advance, so that it does not run through the other."""
FAR: Final = 4 * REACH
"""At a greater distance than this a bot does not retreat."""

HOLD, ADVANCE, RETREAT, LEAP, WIND_UP = range(5)
ADVANCE_LENGTH: Final = (40, 41)
LEAP_LENGTH: Final = (25, 26)
"""A leap lasts as long as a jump: a range of frames."""
OPENING: Final = 8
"""How many frames longer the other's cooldown must be than the bot's own before it charges."""
FRAME_MASK: Final = 0xFFFFFFFF


class Style(NamedTuple):
    """How a bot fights. A range of frames is the least length, and one more than the greatest."""

    name: str
    odds: tuple[int, int, int, int]
    """Weights of the next plan: hold, advance, retreat, leap."""
    patience: tuple[int, int]
    """How long the bot holds its place, a range of frames."""
    ground: tuple[int, int]
    """How long the bot retreats, a range of frames."""
    reflex: tuple[int, int]
    """How long the bot winds up once the other is within reach, a range of frames."""
    punishes: bool
    """Whether the bot advances when the other has attacked and cannot attack again yet."""


RUSHER: Final = Style("rusher", (3, 5, 2, 1), (15, 40), (8, 16), (5, 22), punishes=False)
COUNTER: Final = Style("counter", (4, 2, 4, 1), (15, 45), (8, 20), (6, 24), punishes=True)
HOPPER: Final = Style("hopper", (3, 2, 3, 5), (10, 30), (8, 18), (7, 26), punishes=False)
STYLES: Final = (RUSHER, COUNTER, HOPPER)


class Bot(NamedTuple):
    """One scripted player at one frame."""

    player: int
    style: Style
    rng: XorShift32
    plan: int
    since: int
    """The frame in which the plan begins."""
    length: int
    """How many frames the plan may last."""

    @classmethod
    def seeded(cls, seed: int, player: int, style: Style) -> Self:
        """A bot for one seat; with the same seed the two seats decide differently."""
        if player not in (0, 1):
            raise UsageError(f"player must be 0 or 1, not {player!r}")
        rng = XorShift32(fnv1a((check_seed(seed), player)) or 1)
        return cls(player, style, rng, HOLD, 0, 0)._planning(HOLD, 0, style.patience)

    def decide(self, state: FighterState) -> tuple[int, Self]:
        """The buttons to press in ``state``, and the bot for the next frame."""
        me, other = (state.p2, state.p1) if self.player else (state.p1, state.p2)
        frame = state.frame
        if me.hitstun_frames > 1:
            return 0, self._after_hit(frame + me.hitstun_frames - 1)
        gap, rise = other.x - me.x, other.y - me.y
        near = 0 < abs(gap) < REACH and -PLAYER_HEIGHT < rise < HITBOX_HEIGHT
        over = (frame - self.since) & FRAME_MASK >= self.length
        # One frame of cooldown counts as none: it ends before the attack is judged.
        if me.attack_cooldown_frames <= 1 and self.plan != RETREAT and (near or self.plan == WIND_UP):
            return self._threaten(me.facing, gap, frame, over)
        bot = self._choosing(frame) if over else self._reconsidering(me, other, abs(gap), frame)
        return bot._buttons(gap, frame), bot

    def _after_hit(self, until: int) -> Self:
        return self if self.plan == RETREAT else self._planning(RETREAT, until & FRAME_MASK, self.style.ground)

    def _threaten(self, facing: int, gap: int, frame: int, over: bool) -> tuple[int, Self]:
        """Plan within reach: wind up, then attack, even if the other has gone; a leap attacks at once."""
        if self.plan != LEAP:
            if self.plan != WIND_UP:
                return 0, self._planning(WIND_UP, frame, self.style.reflex)
            if not over:
                return 0, self
        toward, away = (RIGHT, LEFT) if gap > 0 else (LEFT, RIGHT)
        if (gap > 0) == (facing > 0):
            return ATTACK, self._choosing(frame)
        if abs(gap) <= MOVE_SPEED:
            return away, self  # turning is also a step, and would end on the other side
        return ATTACK | toward, self._choosing(frame)

    def _reconsidering(self, me: PlayerState, other: PlayerState, distance: int, frame: int) -> Self:
        """End a plan early if needed: a retreat at a wall or far away, holding when the other cannot attack back."""
        if self.plan == RETREAT:
            if not MIN_X < me.x < MAX_X - PLAYER_WIDTH:
                return self._planning(LEAP, frame, LEAP_LENGTH)
            if distance > FAR:
                return self._planning(HOLD, frame, self.style.patience)
        opening = other.attack_cooldown_frames > me.attack_cooldown_frames + OPENING
        if opening and self.plan == HOLD and self.style.punishes:
            return self._planning(ADVANCE, frame, ADVANCE_LENGTH)
        return self

    def _buttons(self, gap: int, frame: int) -> int:
        """The buttons of a plan that is not an attack."""
        toward, away = (RIGHT, LEFT) if gap > 0 else (LEFT, RIGHT)
        if gap == 0:
            return RIGHT if self.player else LEFT  # at the same x neither can hit
        if self.plan == RETREAT:
            return away
        if self.plan == ADVANCE:
            return toward if abs(gap) > CLOSE else 0
        if self.plan == LEAP:
            jump = JUMP if frame == self.since else 0
            return jump | (toward if abs(gap) > CLOSE else 0)
        return 0

    def _choosing(self, frame: int) -> Self:
        """Start the next plan at ``frame``, drawn by the style's odds."""
        style = self.style
        draw, rng = self.rng.below(sum(style.odds))
        bot = self._replace(rng=rng)
        lengths = (style.patience, ADVANCE_LENGTH, style.ground, LEAP_LENGTH)
        for plan, weight in enumerate(style.odds):
            draw -= weight
            if draw < 0:
                return bot._planning(plan, frame, lengths[plan])
        raise AssertionError("a draw below the sum of the odds falls to one of them")

    def _planning(self, plan: int, since: int, lengths: tuple[int, int]) -> Self:
        length, rng = self.rng.between(*lengths)
        return type(self)(self.player, self.style, rng, plan, since, length)


def fight(seed: int, styles: tuple[Style, Style] = (RUSHER, COUNTER)) -> Iterator[tuple[tuple[int, int], FighterState]]:
    """An endless match between two bots: the buttons of each frame, and the state after it."""
    game = Fighter()
    state = game.initial_state(seed)
    first, second = Bot.seeded(seed, 0, styles[0]), Bot.seeded(seed, 1, styles[1])
    while True:
        left, first = first.decide(state)
        right, second = second.decide(state)
        state = game.step(state, (left, right))
        yield (left, right), state


def bout(seed: int, frames: int, styles: tuple[Style, Style] = (RUSHER, COUNTER)) -> bytes:
    """The inputs of ``frames`` frames of such a match, in the form that ``Fighter.run`` reads."""
    buttons = (each for both, _ in islice(fight(seed, styles), frames) for each in both)
    return b"".join(each.to_bytes(2, "little") for each in buttons)
