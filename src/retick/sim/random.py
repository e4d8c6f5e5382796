"""The functions of the module ``random`` for use inside a world: they draw from the world's own dice.

::

    from retick.sim import random

In ``start``, ``join``, ``leave`` and ``advance`` of a declared world, and in everything that these call, each function
draws from the first :class:`~retick.sim.Dice` that the world has as a field. So the numbers are the same on every peer,
and the same again when a frame is resimulated. Elsewhere there is no world to draw from, and that is an error.
"""
# retick: floats -- they are made by the dice

from collections.abc import MutableSequence, Sequence
from typing import NoReturn, TypeVar

from retick.errors import UsageError
from retick.sim.contract import RUNNING
from retick.sim.world import Dice

__all__ = ["choice", "choices", "gauss", "randint", "random", "randrange", "sample", "seed", "shuffle", "uniform"]

T = TypeVar("T")


def _dice(function: str) -> Dice:
    """The dice of the running world."""
    world = RUNNING.get()
    if world is None:
        raise UsageError(
            f"random.{function} of retick.sim draws only inside of start, join, leave and advance of a world: "
            "what is drawn or heard uses the module random of Python"
        )
    names = type(world)._dice
    if not names:
        name = type(world).__name__
        raise UsageError(f"random.{function} needs dice in {name}: write dice: Dice in class {name}")
    dice: Dice = getattr(world, names[0])
    return dice


def random() -> float:
    """A float from 0.0 to below 1.0."""
    return _dice("random").random()


def uniform(a: float, b: float) -> float:
    """A float from ``a`` to below ``b``."""
    return _dice("uniform").uniform(a, b)


def randint(a: int, b: int) -> int:
    """A whole number from ``a`` to ``b``, both included."""
    return _dice("randint").randint(a, b)


def randrange(start: int, stop: int | None = None, step: int = 1) -> int:
    """One of the numbers of ``range(start, stop, step)``; with one argument, a number below it."""
    return _dice("randrange").randrange(start, stop, step)


def choice(seq: Sequence[T]) -> T:
    """One of the items of a sequence."""
    return _dice("choice").choice(seq)


def choices(population: Sequence[T], weights: Sequence[float] | None = None, *, k: int = 1) -> list[T]:
    """Draw ``k`` items, with replacement; each is as likely as its weight says."""
    return _dice("choices").choices(population, weights, k=k)


def shuffle(x: MutableSequence[T]) -> None:
    """Shuffle a list in place."""
    _dice("shuffle").shuffle(x)


def sample(population: Sequence[T], k: int) -> list[T]:
    """Draw ``k`` different items, in random order."""
    return _dice("sample").sample(population, k)


def gauss(mu: float = 0.0, sigma: float = 1.0) -> float:
    """A float around ``mu`` with the standard deviation ``sigma``."""
    return _dice("gauss").gauss(mu, sigma)


def seed(a: int) -> None:
    """Restart the dice from this seed, 1 to 4294967295. A world's dice have the seed of the match already."""
    _dice("seed").seed(a)


def __getattr__(name: str) -> NoReturn:
    raise AttributeError(f"retick.sim.random has no {name}: it has {', '.join(__all__)}")
