"""A random generator as a part of a world: the same numbers on every peer, and back where it was after a load."""
# retick: floats -- they are kept as their bits; only exact operations are done with them

from collections.abc import Sequence
from typing import Annotated, TypeVar

from retick.errors import UsageError
from retick.sim.kinds import SEED
from retick.sim.prng import XorShift32, check_seed
from retick.sim.world.declared import Thing

__all__ = ["Dice"]

T = TypeVar("T")


class Dice(Thing):
    """XorShift32 whose state is saved with the world; seed it in ``start``."""

    state: Annotated[int, SEED] = 1

    def seed(self, seed: int) -> None:
        """Start the sequence of this seed, 1 to 4294967295; seeds that are close to each other give other numbers."""
        # The first numbers of XorShift32 from a small seed are small: the bits are mixed first. Of all seeds only 0
        # is mixed to 0. This is the last part of MurmurHash3.
        x = check_seed(seed)
        x = ((x ^ (x >> 16)) * 0x85EBCA6B) & 0xFFFFFFFF
        x = ((x ^ (x >> 13)) * 0xC2B2AE35) & 0xFFFFFFFF
        self.state = x ^ (x >> 16)

    def next(self) -> int:
        """The next 32 bits."""
        drawn, after = XorShift32(self.state).next()
        self.state = after.state
        return drawn

    def below(self, limit: int) -> int:
        """A whole number from 0 to ``limit - 1``."""
        drawn, after = XorShift32(self.state).below(limit)
        self.state = after.state
        return drawn

    def between(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high - 1``."""
        drawn, after = XorShift32(self.state).between(low, high)
        self.state = after.state
        return drawn

    def uniform(self, low: float, high: float) -> float:
        """A float from ``low`` to below ``high``, in 2**32 equal steps."""
        return low + (high - low) * (self.next() / 4294967296.0)

    def flip(self) -> bool:
        """True or False."""
        return self.next() & 1 == 1

    def choice(self, items: Sequence[T]) -> T:
        """One of the items."""
        if not items:
            raise UsageError("there is nothing to choose from")
        return items[self.below(len(items))]
