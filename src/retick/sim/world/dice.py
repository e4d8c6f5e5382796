"""A random generator as part of a world: it draws the same numbers on every peer, and a load rewinds it."""

from collections.abc import MutableSequence, Sequence
from math import fsum, inf
from typing import Annotated, TypeVar

from retick.errors import UsageError
from retick.sim.kinds import SEED, U16
from retick.sim.maths import cos, log, sqrt, tau
from retick.sim.prng import XorShift32, check_seed
from retick.sim.world.world import Thing

# retick: floats -- they are kept as their bits; only exact operations are done with them


T = TypeVar("T")


class Dice(Thing):
    """An XorShift32 whose state is saved with the world; its methods are named as in ``random``.

    A world seeds the dice among its own fields before ``start``. Seed any others there.
    """

    state: Annotated[int, SEED] = 1

    def seed(self, seed: int) -> None:
        """Restart from this seed, 1 to 4294967295; neighbouring seeds give unrelated numbers."""
        # A small seed makes the first numbers of XorShift32 small, so its bits are mixed first, by the last part of
        # MurmurHash3. Only the seed 0 is mixed to 0.
        x = check_seed(seed)
        x = ((x ^ (x >> 16)) * 0x85EBCA6B) & 0xFFFFFFFF
        x = ((x ^ (x >> 13)) * 0xC2B2AE35) & 0xFFFFFFFF
        self.state = x ^ (x >> 16)

    def next(self) -> int:
        """Draw the next 32 bits."""
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
        """Draw True or False."""
        return self.next() & 1 == 1

    def choice(self, items: Sequence[T]) -> T:
        """Draw one of the items."""
        if not items:
            raise UsageError("there is nothing to choose from")
        return items[self.below(len(items))]

    def random(self) -> float:
        """A float from 0.0 to below 1.0, in 2**32 equal steps."""
        return self.next() / 4294967296.0

    def randint(self, low: int, high: int) -> int:
        """A whole number from ``low`` to ``high``, both included."""
        return self.between(low, high + 1)

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        """One of the numbers of ``range(start, stop, step)``; with one argument, a number below it."""
        return self.choice(range(start) if stop is None else range(start, stop, step))

    def shuffle(self, items: MutableSequence[T]) -> None:
        """Shuffle a list in place."""
        for last in range(len(items) - 1, 0, -1):
            other = self.below(last + 1)
            items[last], items[other] = items[other], items[last]

    def sample(self, items: Sequence[T], k: int) -> list[T]:
        """Draw ``k`` different items, in random order."""
        if not 0 <= k <= len(items):
            raise UsageError(f"a sample of {len(items)} items has 0 to {len(items)} of them, not {k}")
        rest = list(items)
        return [rest.pop(self.below(len(rest))) for _ in range(k)]

    def choices(self, items: Sequence[T], weights: Sequence[float] | None = None, *, k: int = 1) -> list[T]:
        """Draw ``k`` items, with replacement; each is as likely as its weight says."""
        if weights is None:
            return [self.choice(items) for _ in range(k)]
        if len(weights) != len(items) or not items or min(weights) < 0 or not 0 < fsum(weights) < inf:
            raise UsageError(f"choices takes a weight of 0 or more for each item, not {weights!r}")
        return [items[self._weighted(weights)] for _ in range(k)]

    def _weighted(self, weights: Sequence[float]) -> int:
        left = self.random() * fsum(weights)
        for index, weight in enumerate(weights):
            left -= weight
            if left < 0:
                return index
        # Rounding can leave no item: then take the last one that has a weight.
        return max(index for index, weight in enumerate(weights) if weight > 0)

    def gauss(self, mu: float = 0.0, sigma: float = 1.0) -> float:
        """A float around ``mu`` with the standard deviation ``sigma``; never more than 6.7 times that away."""
        # Box-Muller, with the functions whose bits are the same everywhere. The first draw is never 0.
        size = sqrt(-2.0 * log((self.next() + 1.0) / 4294967297.0))
        return mu + sigma * (size * cos(tau * self.random()))


# A part that limits how often something happens: ``gun: Cooldown``.

HOTTEST = 65535


class Cooldown(Thing):
    """Counts in ticks. Each use heats it by ``every``, each ``rest()`` cools it by one: call ``rest`` once a tick."""

    heat: U16 = 0

    def rest(self) -> None:
        """Cool by one tick."""
        if self.heat:
            self.heat -= 1

    def use(self, every: int, burst: int = 1) -> bool:
        """Return whether the action is allowed now, and if so, count it.

        Allows one use per ``every`` ticks in the long run, and up to ``burst`` at once after a long rest.
        """
        if every < 1 or burst < 1 or every * burst > HOTTEST:
            raise UsageError(
                f"every and burst are 1 or more, and at most {HOTTEST} multiplied, not {every!r} and {burst!r}"
            )
        if self.heat + every > every * burst:
            return False
        self.heat += every
        return True
