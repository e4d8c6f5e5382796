"""Inputs for all players from one seed: for checks and tests that have nobody to press the buttons.

Players hold buttons for a while, so each input is held for 1 to 12 frames. Most games read the lowest bits: each of the
lowest four is as likely down as up, one press in eight adds another bit, and one in eight is random in all bits.
"""

from collections.abc import Iterator
from typing import Any

from retick.sim.contract import input_size_of
from retick.sim.prng import XorShift32

__all__ = ["seeded_inputs"]

LONGEST_HOLD = 12
PASSED_OVER = 8
"""Draws that are not used: the first ones after a small seed are small numbers, and would press nothing."""


def seeded_inputs(game: Any, seed: int, frames: int, *, mask: int | None = None) -> Iterator[tuple[int, ...]]:
    """The inputs of each of ``frames`` frames, one a player; ``mask`` keeps only some bits of each input."""
    rng = XorShift32.seeded(seed)
    for _ in range(PASSED_OVER):
        _, rng = rng.next()
    bits = 8 * input_size_of(game)
    kept = (1 << bits) - 1 if mask is None else mask
    held = [0] * game.num_players
    until = [0] * game.num_players
    for frame in range(frames):
        for player in range(game.num_players):
            if frame >= until[player]:
                length, rng = rng.between(1, LONGEST_HOLD + 1)
                until[player] = frame + length
                pressed, rng = _press(rng, bits)
                held[player] = pressed & kept
        yield tuple(held)


def _press(rng: XorShift32, bits: int) -> tuple[int, XorShift32]:
    pressed, rng = rng.below(16)
    kind, rng = rng.below(8)
    if kind == 0:
        low, rng = rng.next()
        high, rng = rng.next()
        return (high << 32 | low) & ((1 << bits) - 1), rng
    if kind == 1:
        bit, rng = rng.below(bits)
        return pressed | 1 << bit, rng
    return pressed, rng
