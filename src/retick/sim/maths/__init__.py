"""Floats that agree: the functions of ``math`` with the same bits on every machine, compiled and not, and in a browser.

Knows no game and no C library's idea of a sine: everything is computed from + - * / and the square root, which IEEE
754 rounds exactly. docs/floats.md says what is promised.
"""

# retick: floats -- only exactly rounded operations in a fixed order; see docs/floats.md

from math import (
    ceil,
    comb,
    copysign,
    e,
    fabs,
    factorial,
    floor,
    fmod,
    fsum,
    gcd,
    inf,
    isclose,
    isfinite,
    isinf,
    isnan,
    isqrt,
    modf,
    pi,
    prod,
    remainder,
    tau,
    trunc,
)

from retick.sim.maths.angles import degrees, nearest_turn, radians, turned_towards, wrapped
from retick.sim.maths.circular import cos, sin, tan
from retick.sim.maths.ieee import binary64_faults, require_binary64
from retick.sim.maths.inverse import acos, asin, atan, atan2
from retick.sim.maths.points import dist
from retick.sim.maths.powers import exp, log, log2, log10, pow  # noqa: A004 - named as in the math module
from retick.sim.maths.roots import hypot, sqrt
from retick.sim.maths.vec2 import Vec2

__all__ = [
    "Vec2",
    "acos",
    "asin",
    "atan",
    "atan2",
    "binary64_faults",
    "ceil",
    "comb",
    "copysign",
    "cos",
    "degrees",
    "dist",
    "e",
    "exp",
    "fabs",
    "factorial",
    "floor",
    "fmod",
    "fsum",
    "gcd",
    "hypot",
    "inf",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "isqrt",
    "log",
    "log2",
    "log10",
    "modf",
    "nearest_turn",
    "pi",
    "pow",
    "prod",
    "radians",
    "remainder",
    "require_binary64",
    "sin",
    "sqrt",
    "tan",
    "tau",
    "trunc",
    "turned_towards",
    "wrapped",
]

require_binary64()
