"""Scripted players that run for the coin, and shove others who are in the way or in the lead.

A bot is a value, as a state is: ``decide`` looks at a state and returns the buttons and the bot for the next frame.
Equal bots that see equal states press equal buttons, on every machine.

Theory of operation. A bot has a temper, drawn from its seed: how often it chases a body instead of the coin. After a
random number of frames it chooses a new target; in between it runs towards it along both axes. When a body is near, in
the direction in which the bot runs, and its dash is ready, it dashes.
"""

from collections.abc import Iterator
from typing import Final, NamedTuple, Self

from retick.errors import UsageError
from retick.games.scramble.game import Scramble, ScrambleBody, ScrambleState
from retick.games.scramble.rules import MOST_PLAYERS, SIZE, ScrambleButton
from retick.sim.checksum import fnv1a
from retick.sim.prng import XorShift32, check_seed

# Plain ints: an IntFlag costs thirty times as much to combine.
LEFT: Final = int(ScrambleButton.LEFT)
RIGHT: Final = int(ScrambleButton.RIGHT)
UP: Final = int(ScrambleButton.UP)
DOWN: Final = int(ScrambleButton.DOWN)
DASH: Final = int(ScrambleButton.DASH)

COIN: Final = -1
STRIKE: Final = 3 * SIZE
"""The distance within which a bot dashes at a body."""
IN_LINE: Final = SIZE
"""How far a body may be from the line of a dash."""
DEAD_BAND: Final = 150
"""The distance on an axis within which a bot does not move, so that it does not tremble."""
TARGET_LENGTH: Final = (12, 40)
"""Frames between two choices of a target: the least number, and one more than the greatest."""


class ScrambleBot(NamedTuple):
    """One scripted player at one frame."""

    player: int
    rng: XorShift32
    temper: int
    """How often, out of 100, the bot chases a body."""
    aim: int
    """The target: a seat, or COIN."""
    until: int
    """The frame of the next choice."""

    @classmethod
    def seeded(cls, seed: int, player: int) -> Self:
        """A bot for one seat; with the same seed the seats decide differently."""
        if not isinstance(player, int) or not 0 <= player < MOST_PLAYERS:
            raise UsageError(f"player must be from 0 to {MOST_PLAYERS - 1}, not {player!r}")
        rng = XorShift32(fnv1a((check_seed(seed), player)) or 1)
        temper, rng = rng.between(15, 70)
        return cls(player, rng, temper, COIN, 0)

    def decide(self, state: ScrambleState) -> tuple[int, Self]:
        """The buttons to press in ``state``, and the bot for the next frame."""
        bodies = state.bodies
        me = bodies[self.player]
        bot = self if state.frame < self.until else self._choosing(state.frame, bodies)
        if me.stun > 1:
            return 0, bot
        aim = bodies[bot.aim] if bot.aim != COIN else None
        dx, dy = (state.coin_x - me.x, state.coin_y - me.y) if aim is None else (aim.x - me.x, aim.y - me.y)
        buttons = _toward(dx, dy)
        if buttons and me.cooldown <= 1 and any(_in_line(me, body, buttons) for body in bodies if body is not me):
            buttons |= DASH
        return buttons, bot

    def _choosing(self, frame: int, bodies: tuple[ScrambleBody, ...]) -> Self:
        """Choose a new target: the coin, or the body in the lead."""
        mood, rng = self.rng.below(100)
        length, rng = rng.between(*TARGET_LENGTH)
        aim = COIN
        if mood < self.temper:
            aim = max((seat for seat in range(len(bodies)) if seat != self.player), key=lambda seat: bodies[seat].score)
        return type(self)(self.player, rng, self.temper, aim, frame + length)


def _toward(dx: int, dy: int) -> int:
    buttons = 0
    if abs(dx) > DEAD_BAND:
        buttons |= RIGHT if dx > 0 else LEFT
    if abs(dy) > DEAD_BAND:
        buttons |= DOWN if dy > 0 else UP
    return buttons


def _in_line(me: ScrambleBody, other: ScrambleBody, buttons: int) -> bool:
    """Whether a dash with these buttons would soon hit the other."""
    dx, dy = other.x - me.x, other.y - me.y
    right = (buttons & RIGHT != 0) - (buttons & LEFT != 0)
    down = (buttons & DOWN != 0) - (buttons & UP != 0)
    along, across = dx * right + dy * down, abs(dx * down - dy * right)
    reach = STRIKE * (abs(right) + abs(down))
    return other.stun == 0 and 0 < along < reach and across < IN_LINE


def scramble(
    seed: int, players: int = 4, game: Scramble | None = None
) -> Iterator[tuple[tuple[int, ...], ScrambleState]]:
    """An endless match between bots: the buttons of each frame, and the state after it."""
    game = game or Scramble(players)
    state = game.initial_state(seed)
    bots = [ScrambleBot.seeded(seed, player) for player in range(players)]
    while True:
        pressed = []
        for player, bot in enumerate(bots):
            buttons, bots[player] = bot.decide(state)
            pressed.append(buttons)
        state = game.step(state, pressed)
        yield tuple(pressed), state
