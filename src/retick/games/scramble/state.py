"""The game's state, declared once for each number of players; the order of fields is the order of hashing."""

from functools import cache
from typing import Annotated, Any

from retick.games.scramble import rules
from retick.sim.prng import check_seed
from retick.sim.record import Record, Times
from retick.sim.widths import I32, U32

__all__ = ["Body", "ScrambleState", "initial_state", "state_type"]


class Body(Record):
    """One player."""

    x: I32
    y: I32
    vx: I32
    vy: I32
    stun: I32
    """Frames that are left without control."""
    dash: I32
    """Frames that are left of the dash."""
    cooldown: I32
    """Frames before the next dash."""
    score: I32


class ScrambleState(Record):
    """A whole match of two players at one frame; ``state_type`` makes the class for more."""

    frame: U32
    coin_x: I32
    coin_y: I32
    rng: U32
    bodies: Annotated[tuple[Body, ...], Times(2)]


@cache
def state_type(players: int) -> type[ScrambleState]:
    """The record class of a match with so many players; the same class at every call."""
    if players == rules.LEAST_PLAYERS:
        return ScrambleState
    hints: dict[str, Any] = {
        "frame": U32,
        "coin_x": I32,
        "coin_y": I32,
        "rng": U32,
        "bodies": Annotated[tuple[Body, ...], Times(players)],
    }
    return type(f"ScrambleState{players}", (Record,), {"__annotations__": hints, "__module__": __name__})


# Eight places on a square around the middle, so that all players are equally far from the first coin.
_PLACES = ((3, 3), (13, 13), (13, 3), (3, 13), (8, 2), (8, 14), (2, 8), (14, 8))


def initial_state(seed: int, players: int) -> ScrambleState:
    bodies = tuple(
        Body(x=x * 1000, y=y * 1000, vx=0, vy=0, stun=0, dash=0, cooldown=0, score=0) for x, y in _PLACES[:players]
    )
    middle = rules.FIELD // 2
    return state_type(players)(frame=0, coin_x=middle, coin_y=middle, rng=check_seed(seed), bodies=bodies)
