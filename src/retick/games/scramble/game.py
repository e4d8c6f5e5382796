"""Scramble as a Simulation: the kernel's step with its states, seed, cues and name."""

from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any

from retick.errors import UsageError
from retick.games.scramble import rules
from retick.games.scramble.kernel import ScrambleKernel
from retick.games.scramble.rules import LEAST_PLAYERS, MOST_PLAYERS
from retick.sim.kinds import I32, U32
from retick.sim.prng import check_seed
from retick.sim.record import Record, Times

# The game's state, declared once for each number of players; the order of fields is the order of hashing.


class ScrambleBody(Record):
    """One player."""

    x: I32
    y: I32
    vx: I32
    vy: I32
    stun: I32
    """Frames left without control."""
    dash: I32
    """Frames left of the dash."""
    cooldown: I32
    """Frames until the next dash is possible."""
    score: I32


class ScrambleState(Record):
    """A whole match of two players at one frame; ``state_type`` makes the class for more."""

    frame: U32
    coin_x: I32
    coin_y: I32
    rng: U32
    bodies: Annotated[tuple[ScrambleBody, ...], Times(2)]


@cache
def state_type(players: int) -> type[ScrambleState]:
    """The record class of a match with this many players; the same class at every call."""
    if players == rules.LEAST_PLAYERS:
        return ScrambleState
    hints: dict[str, Any] = {
        "frame": U32,
        "coin_x": I32,
        "coin_y": I32,
        "rng": U32,
        "bodies": Annotated[tuple[ScrambleBody, ...], Times(players)],
    }
    return type(f"ScrambleState{players}", (Record,), {"__annotations__": hints, "__module__": __name__})


# Eight places on a square around the middle, so that all players are equally far from the first coin.
_PLACES = ((3, 3), (13, 13), (13, 3), (3, 13), (8, 2), (8, 14), (2, 8), (14, 8))


def initial_state(seed: int, players: int) -> ScrambleState:
    bodies = tuple(
        ScrambleBody(x=x * 1000, y=y * 1000, vx=0, vy=0, stun=0, dash=0, cooldown=0, score=0)
        for x, y in _PLACES[:players]
    )
    middle = rules.FIELD // 2
    return state_type(players)(frame=0, coin_x=middle, coin_y=middle, rng=check_seed(seed), bodies=bodies)


class Scramble(ScrambleKernel):
    """Two to eight players, 16 buttons each, integers only; four by default."""

    game_id = "retick.scramble"
    game_version = 1

    def __init__(self, players: int = 4) -> None:
        if not isinstance(players, int) or not LEAST_PLAYERS <= players <= MOST_PLAYERS:
            raise UsageError(f"scramble is for {LEAST_PLAYERS} to {MOST_PLAYERS} players, not {players!r}")
        super().__init__(state_type(players), num_players=players, input_size=2)

    def initial_state(self, seed: int) -> ScrambleState:
        """The state at frame 0; ``seed`` is any 32-bit integer but 0."""
        return initial_state(seed, self.num_players)

    def cues(self, before: ScrambleState, after: ScrambleState) -> Iterator[tuple[str, int, int]]:
        """Sounds and effects between two successive states: a kind and two numbers."""
        if (before.coin_x, before.coin_y) != (after.coin_x, after.coin_y):
            yield "coin", before.coin_x, before.coin_y
        for seat, (old, new) in enumerate(zip(before.bodies, after.bodies, strict=True)):
            if new.stun > old.stun:
                yield "shoved", seat, after.frame
            if new.cooldown > old.cooldown:
                yield "dash", seat, after.frame
