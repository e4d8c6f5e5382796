"""The functions of ``retick.sim.maths`` to fifty digits and more, with nothing but the ``decimal`` module.

Independent of what it checks: decimal digits instead of binary ones, series on the whole argument instead of tables.
``decimal`` itself rounds exp, ln and sqrt correctly to the precision asked for.
"""

import math
from collections.abc import Callable
from decimal import Context, Decimal, localcontext
from functools import cache

__all__ = ["DIGITS", "REFERENCE", "arc_tangent", "decimal_pi", "ulps"]

DIGITS = 60
WIDE = 420
"""Digits that reduce the largest double, of 309 digits, and leave more than a hundred."""


def _machin(inverse: int) -> Decimal:
    """The angle whose tangent is 1/inverse."""
    term, total, odd = Decimal(1) / inverse, Decimal(0), 1
    while term and (odd == 1 or abs(term) > Decimal(10) ** -(WIDE + 20)):
        total += term / odd if odd % 4 == 1 else -term / odd
        term /= inverse * inverse
        odd += 2
    return total


@cache
def decimal_pi() -> Decimal:
    with localcontext(Context(prec=WIDE + 30)):
        return 4 * (4 * _machin(5) - _machin(239))


def _series(x: Decimal, term: Decimal, n: int) -> Decimal:
    """The rest of the series of sine or cosine, from the term of degree n on."""
    total, square = Decimal(0), x * x
    while term and abs(term) > Decimal(10) ** -(DIGITS + 40):
        total += term
        term *= -square / ((n + 1) * (n + 2))
        n += 2
    return total


def _sin_and_cos(x: float) -> tuple[Decimal, Decimal]:
    with localcontext(Context(prec=WIDE)) as context:
        quarter = decimal_pi() / 2
        quarters = (Decimal(x) / quarter).to_integral_value()
        rest = Decimal(x) - quarters * quarter
        context.prec = DIGITS
        rest = +rest
        sine, cosine = _series(rest, rest, 1), _series(rest, Decimal(1), 0)
        return [(sine, cosine), (cosine, -sine), (-sine, -cosine), (-cosine, sine)][int(quarters) % 4]


def _sin(x: float) -> Decimal:
    return _sin_and_cos(x)[0] if abs(x) > 1e-40 else Decimal(x)


def _tan(x: float) -> Decimal:
    sine, cosine = _sin_and_cos(x)
    return sine / cosine if abs(x) > 1e-40 else Decimal(x)


def arc_tangent(x: Decimal) -> Decimal:
    """The angle of a tangent of any size, as precise relatively as the context is."""
    if abs(x) > 1:
        return (decimal_pi() / 2 if x > 0 else -decimal_pi() / 2) - arc_tangent(1 / x)
    for _ in range(3):
        x = x / (1 + (1 + x * x).sqrt())
    term, total, odd = x, Decimal(0), 1
    while abs(term) > abs(x) * Decimal(10) ** -DIGITS:
        total += term / odd
        term *= -x * x
        odd += 2
    return 8 * total


def _atan2(y: float, x: float) -> Decimal:
    if y == 0:
        return Decimal(0) if math.copysign(1, x) > 0 else decimal_pi().copy_sign(Decimal(y))
    if x == 0:
        return (decimal_pi() / 2).copy_sign(Decimal(y))
    angle = arc_tangent(Decimal(y) / Decimal(x))
    return angle if x > 0 else angle + decimal_pi().copy_sign(Decimal(y))


def _asin(x: float) -> Decimal:
    exact = Decimal(x)
    return (decimal_pi() / 2) * int(x) if abs(x) == 1 else arc_tangent(exact / ((1 - exact) * (1 + exact)).sqrt())


def _acos(x: float) -> Decimal:
    return decimal_pi() if x == -1 else 2 * arc_tangent(((1 - Decimal(x)) / (1 + Decimal(x))).sqrt())


def _pow(x: float, y: float) -> Decimal:
    size = (Decimal(y) * Decimal(abs(x)).ln()).exp()
    return -size if x < 0 and y % 2 == 1 else size


def _precise(function: Callable[..., Decimal]) -> Callable[..., Decimal]:
    def computed(*arguments: float) -> Decimal:
        # Squares of the least and the largest doubles are needed on the way.
        with localcontext(Context(prec=DIGITS + 30, Emin=-9999, Emax=9999)):
            return function(*arguments)

    return computed


REFERENCE: dict[str, Callable[..., Decimal]] = {
    name: _precise(function)
    for name, function in {
        "sin": _sin,
        "cos": lambda x: _sin_and_cos(x)[1],
        "tan": _tan,
        "asin": _asin,
        "acos": _acos,
        "atan": lambda x: arc_tangent(Decimal(x)),
        "atan2": _atan2,
        "exp": lambda x: Decimal(x).exp(),
        "log": lambda x: Decimal(x).ln(),
        "log2": lambda x: Decimal(x).ln() / Decimal(2).ln(),
        "log10": lambda x: Decimal(x).log10(),
        "pow": _pow,
        "sqrt": lambda x: Decimal(x).sqrt(),
        "hypot": lambda x, y: (Decimal(x) ** 2 + Decimal(y) ** 2).sqrt(),
    }.items()
}


def ulps(result: float, true: Decimal) -> float:
    """How far a result is from the true value, in units in the last place of the true value."""
    with localcontext(Context(prec=DIGITS + 30, Emin=-9999, Emax=9999)):
        return float(abs(Decimal(result) - true) / Decimal(math.ulp(float(true))))
