"""The reference agrees with identities that it does not use, and with the C library to its last digits."""

import math
from decimal import Context, Decimal, localcontext

import pytest

from tests.sim.maths.reference import DIGITS, REFERENCE, decimal_pi, ulps
from tests.sim.maths.samples import NAMES, samples


def test_pi() -> None:
    assert str(decimal_pi()).startswith("3.14159265358979323846264338327950288419716939937510582097494")


@pytest.mark.parametrize("name", NAMES)
def test_it_is_what_the_c_library_computes_roughly(name: str) -> None:
    for arguments in samples(name, 500):
        assert ulps(getattr(math, name)(*arguments), REFERENCE[name](*arguments)) < 4


def test_the_squares_of_sine_and_cosine_add_up_to_one() -> None:
    for (x,) in samples("sin", 200):
        with localcontext(Context(prec=DIGITS)):
            assert abs(REFERENCE["sin"](x) ** 2 + REFERENCE["cos"](x) ** 2 - 1) < Decimal(10) ** -50


def test_a_result_that_is_one_unit_off_is_told_so() -> None:
    true = REFERENCE["exp"](1.0)
    assert 0.5 < ulps(math.nextafter(math.e, 4), true) < 1.5
