"""A recording for a newcomer who has none yet: two bots fight, and in a second take some presses are missing."""

from itertools import islice

from retick.games.fighter import Button, Fighter
from retick.games.fighter.bots import fight
from retick.replay import Replay, dumps, sealed

__all__ = ["example"]

SEED = 9
"""A match of about eight seconds with seven hits, and one fighter left."""
LONGEST = 3600
STILL = (0, 0)
AFTERWARDS = 45
"""Frames in which nobody presses anything, after the last hit."""
MISSING = range(240, 260)
"""Frames in which nobody attacks in the second take."""


def example(take: int) -> bytes:
    """The file: take 0 as the bots played it, take 1 with the change."""
    frames: list[tuple[int, int]] = []
    for buttons, state in islice(fight(SEED), LONGEST):
        frames.append(buttons)
        if 0 in (state.p1.hp, state.p2.hp):
            break
    frames += [STILL] * AFTERWARDS
    if take == 1:
        keep = ~int(Button.ATTACK)
        frames = [(a & keep, b & keep) if at in MISSING else (a, b) for at, (a, b) in enumerate(frames)]
    match = Replay(seed=SEED, frames=frames)  # type: ignore[arg-type]  # packed there
    return dumps(sealed(match, Fighter(), every=60), format="rtk")
