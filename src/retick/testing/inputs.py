"""Random inputs from one seed: held for a while, as players hold buttons, and the same on every machine."""

from typing import Any

from retick.sim.contract import input_size_of
from retick.sim.prng import XorShift32

__all__ = ["random_inputs"]


def random_inputs(game: Any, frames: int, seed: int) -> list[tuple[int, ...]]:
    """``frames`` rows of one input a player, each held for 1 to 12 frames."""
    rng = XorShift32.seeded(seed)
    bits = 8 * input_size_of(game)
    held = [0] * game.num_players
    until = [0] * game.num_players
    rows = []
    for frame in range(frames):
        for player in range(game.num_players):
            if frame >= until[player]:
                length, rng = rng.between(1, 13)
                until[player] = frame + length
                held[player], rng = _press(rng, bits)
        rows.append(tuple(held))
    return rows


def _press(rng: XorShift32, bits: int) -> tuple[int, XorShift32]:
    """A few buttons: each of the lowest four as likely down as up, the rest seldom."""
    low, rng = rng.below(16)
    more, rng = rng.below(4)
    if more or bits <= 4:
        return low, rng
    any_bit, rng = rng.below(bits)
    return low | 1 << any_bit, rng
