"""Arguments to try each function with: all exponents, sizes that games have, and the neighbourhood of hard ones."""

import math
import random
import struct
from collections.abc import Callable, Iterator

__all__ = ["EDGES", "NAMES", "samples"]

Arguments = tuple[float, ...]

MOST = math.nextafter(math.inf, 0)
HARD = 6381956970095103 * 2.0**797  # the double that is nearest to a multiple of pi/2, relatively
EDGES = (
    0.0, 5e-324, 2.2250738585072014e-308, 1e-300, 1e-160, 1e-20, 2.0**-54, 2.0**-30, 2.0**-27, 0.1, 0.25,
    math.pi / 6, math.nextafter(0.5, 0), 0.5, math.sqrt(0.5), math.pi / 4, math.nextafter(math.pi / 4, 1), 1.0,
    math.nextafter(1.0, 0), math.nextafter(1.0, 2), math.pi / 2, 2.0, math.e, 3.0, math.pi, 3 * math.pi / 2,
    2 * math.pi,
    10.0, 22.0, 100.0, 355.0, 709.0, 709.782712893384, 745.0, 1000.0, 65536.0, 1647098.9, 1647099.0, 2.0**31, 1e10,
    2.0**53, 1e22, 1e100, 1e150, 1e160, HARD, 1e300, MOST,
)  # fmt: skip
NAMES = (
    "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "log2", "log10", "pow", "sqrt", "hypot",
)  # fmt: skip


def _any(rng: random.Random) -> float:
    """Any finite double, each bit pattern as likely as any other."""
    while True:
        value: float = struct.unpack("<d", rng.randbytes(8))[0]
        if math.isfinite(value):
            return value


def _near(rng: random.Random, value: float) -> float:
    """A double near another, at a distance of any size."""
    return value + value * rng.choice((-1, 1)) * 2.0 ** -rng.uniform(0, 53)


def _angle(rng: random.Random) -> float:
    match rng.randrange(4):
        case 0:
            return _any(rng)
        case 1:
            return rng.uniform(-10.0, 10.0)
        case 2:
            return _near(rng, rng.randrange(-1000, 1000) * (math.pi / 4))
        case _:
            return rng.uniform(-1, 1) * 10.0 ** rng.uniform(-8, 12)


def _sine(rng: random.Random) -> float:
    size = rng.choice((rng.random(), 2.0 ** -rng.uniform(0, 60), 1 - 2.0 ** -rng.uniform(0, 53), 0.7071))
    return rng.choice((-1, 1)) * (size if size != 0.7071 else min(1.0, abs(_near(rng, math.sqrt(0.5)))))


def _positive(rng: random.Random) -> float:
    return abs(rng.choice((_any, lambda r: _near(r, 1.0), lambda r: r.uniform(0, 100)))(rng)) or 1.0


def _exponent(rng: random.Random) -> float:
    return rng.choice((rng.uniform(-745, 709.7), rng.uniform(-5, 5), _near(rng, rng.uniform(-2, 2) * 1e-5)))


def _point(rng: random.Random) -> Arguments:
    match rng.randrange(3):
        case 0:
            return _any(rng), _any(rng)
        case 1:
            return rng.uniform(-1000, 1000), rng.uniform(-1000, 1000)
        case _:
            x = _any(rng) / 4
            return x * rng.uniform(-4, 4), x


def _power(rng: random.Random) -> Arguments:
    while True:
        base = _positive(rng)
        size = abs(math.log(base)) or 1.0
        exponent = rng.choice((rng.uniform(-745, 709) / size, rng.uniform(-5, 5), float(rng.randrange(-20, 20))))
        if -745 < exponent * math.log(base) < 709.7 and exponent:
            return (-base if exponent.is_integer() and rng.random() < 0.3 else base), exponent


def _one(draw: Callable[[random.Random], float]) -> Callable[[random.Random], Arguments]:
    return lambda rng: (draw(rng),)


_DRAW: dict[str, Callable[[random.Random], Arguments]] = {
    **dict.fromkeys(("sin", "cos", "tan"), _one(_angle)),
    **dict.fromkeys(("asin", "acos"), _one(_sine)),
    "atan": _one(lambda rng: rng.choice((_any, lambda r: r.uniform(-3, 3), _angle))(rng)),
    "exp": _one(_exponent),
    **dict.fromkeys(("log", "log2", "log10", "sqrt"), _one(_positive)),
    **dict.fromkeys(("atan2", "hypot"), _point),
    "pow": _power,
}


def samples(name: str, count: int, seed: int = 1) -> Iterator[Arguments]:
    """Arguments within the domain of the function, whose result is no overflow."""
    rng = random.Random(f"{name} {seed}")
    draw = _DRAW[name]
    while count:
        arguments = draw(rng)
        if name != "hypot" or max(map(abs, arguments)) < 1e308:
            yield arguments
            count -= 1
