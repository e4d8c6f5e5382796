"""The distance of two points that are given as pairs."""
# retick: floats -- only exactly rounded operations in a fixed order; see docs/floats.md

from collections.abc import Iterable

from retick.sim.maths.arguments import as_float, refuse
from retick.sim.maths.roots import hypot

__all__ = ["dist"]


def dist(p: Iterable[float], q: Iterable[float], /) -> float:
    """The distance of two points, each of two numbers."""
    here = [as_float(number, "dist") for number in p]
    there = [as_float(number, "dist") for number in q]
    if len(here) != 2 or len(there) != 2:
        raise ValueError(f"dist() takes points of two numbers, not {here} and {there}")
    x, y = here[0] - there[0], here[1] - there[1]
    if x != x or y != y:
        refuse("dist", *here, *there)
    return hypot(x, y)
