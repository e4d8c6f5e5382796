"""XorShift32 as a value: drawing returns the number and the next generator, and nothing changes in place.

The recurrence is ``x ^= x << 13; x ^= x >> 17; x ^= x << 5`` in 32 bits; its period is 2^32 - 1. From 0 it would stay
at 0, so 0 is not a seed. A game keeps ``rng.state`` in its own state as a U32 field.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple, Self

from retick.errors import UsageError
from retick.sim.contract import input_size_of

_MASK = 0xFFFFFFFF


def check_seed(seed: int) -> int:
    """Return ``seed`` if it can start a generator; raise a UsageError if not."""
    if not isinstance(seed, int) or not 1 <= seed <= _MASK:
        raise UsageError(f"seed must be an integer from 1 to {_MASK} (0 never changes), not {seed!r}")
    return int(seed)


class _Generator(NamedTuple):
    state: int


class XorShift32(_Generator):
    """A generator at one point of its sequence; ``state`` is a seed that continues from there."""

    __slots__ = ()

    def __new__(cls, state: int) -> Self:
        return tuple.__new__(cls, (check_seed(state),))

    @classmethod
    def seeded(cls, seed: int) -> Self:
        """The generator at the start of a seed's sequence."""
        return cls(seed)

    def next(self) -> tuple[int, Self]:
        """The next 32 bits, and the generator after them."""
        x = self.state
        x ^= (x << 13) & _MASK
        x ^= x >> 17
        x ^= (x << 5) & _MASK
        return x, tuple.__new__(type(self), (x,))

    def below(self, limit: int) -> tuple[int, Self]:
        """A number from 0 to ``limit - 1``: the upper half of the 64-bit product of a draw and the limit."""
        if not 1 <= limit <= 1 << 32:
            raise UsageError(f"a draw below a limit needs a limit from 1 to {1 << 32}, not {limit}")
        x, after = self.next()
        return (x * limit) >> 32, after

    def between(self, low: int, high: int) -> tuple[int, Self]:
        """A number from ``low`` to ``high - 1``."""
        if high <= low:
            raise UsageError(f"a draw in [low, high) needs high above low, not [{low}, {high})")
        x, after = self.below(high - low)
        return low + x, after

    def flip(self) -> tuple[bool, Self]:
        """The low bit of a draw."""
        x, after = self.next()
        return bool(x & 1), after


# Inputs for all players from one seed: for checks and tests that have nobody to press the buttons.
#
# Players hold buttons for a while, so each input is held for 1 to 12 frames. Most games read the lowest bits: each of
# the lowest four is as likely down as up, one press in eight adds another bit, and one in eight is random in all
# bits.

LONGEST_HOLD = 12
PASSED_OVER = 8
"""How many draws are discarded first: after a small seed they are small numbers and would press nothing."""


def seeded_inputs(game: Any, seed: int, frames: int, *, mask: int | None = None) -> Iterator[tuple[int, ...]]:
    """Yield the inputs of ``frames`` frames, one per player; ``mask`` keeps only some bits of each input."""
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
