"""Every number of the tables, and every constant of the kernels, computed again in decimal."""

import math
import re
from decimal import Context, Decimal, localcontext
from pathlib import Path

import pytest

from retick.sim import fixed
from retick.sim.maths import kernel
from tests.sim.maths.reference import DIGITS, REFERENCE, arc_tangent, decimal_pi

SOURCE = Path(kernel.__file__).parent / "kernel.py"
SECTIONS = (
    "Rounding errors of single operations",
    "Sine, cosine and tangent",
    "Arc tangent, arc sine",
    "Exponential function",
    "A vector",
)


def section(title: str) -> str:
    """The source of the functions under one of these titles, up to the next."""
    text = SOURCE.read_text(encoding="utf-8")
    starts = [text.index(f"\n# {each}") for each in SECTIONS]
    assert starts == sorted(starts)
    at = SECTIONS.index(title)
    return text[starts[at] : starts[at + 1]]


def pair(value: Decimal) -> tuple[float, float]:
    return float(value), float(value - Decimal(float(value)))


def test_the_table_of_angles() -> None:
    with localcontext(Context(prec=DIGITS)):
        wanted = [pair(arc_tangent(Decimal(i) / 16) if i else Decimal(0)) for i in range(17)]
    assert list(zip(kernel.ANGLES_HIGH, kernel.ANGLES_LOW, strict=True)) == wanted


def test_the_table_of_powers() -> None:
    with localcontext(Context(prec=DIGITS)):
        wanted = [pair((Decimal(j) / 64 * Decimal(2).ln()).exp()) for j in range(64)]
    assert list(zip(kernel.POWERS_HIGH, kernel.POWERS_LOW, strict=True)) == wanted


def test_the_table_of_logarithms() -> None:
    with localcontext(Context(prec=DIGITS)):
        wanted = [pair(-Decimal(short).ln()) for short in kernel.RECIPROCALS]
    assert list(zip(kernel.LOGS_HIGH, kernel.LOGS_LOW, strict=True)) == wanted


def test_the_reciprocals_bring_every_mantissa_near_one() -> None:
    for i, short in zip(range(90, 183), kernel.RECIPROCALS, strict=True):
        assert short * 512 == round(512 * 128 / i)
        assert abs(short * (i + 0.5) / 128 - 1) < 1 / 128
        assert abs(short * (i - 0.5) / 128 - 1) < 1 / 128
    assert kernel.RECIPROCALS[128 - 90] == 1.0


def test_the_digits_of_two_over_pi() -> None:
    with localcontext(Context(prec=420)):
        digits = int(2 / decimal_pi() * Decimal(2) ** 1200)
    assert digits == sum(word << 30 * place for place, word in enumerate(reversed(kernel.TWO_OVER_PI)))
    assert max(kernel.TWO_OVER_PI) < 1 << 30


def test_the_parts_of_a_constant_add_up_to_it() -> None:
    with localcontext(Context(prec=DIGITS)):
        ln2, ln10, pi = Decimal(2).ln(), Decimal(10).ln(), decimal_pi()
        constants = {
            "Sine, cosine and tangent": [
                (pi / 2, (1.5707963267341256, 6.077100506303966e-11, 2.0222662487111665e-21, 8.4784276603689e-32)),
                (pi / 2, (1.5707963267948966, 6.123233995736766e-17)),
            ],
            "Arc tangent, arc sine": [
                (pi / 2, (1.5707963267948966, 6.123233995736766e-17)),
                (pi, (3.141592653589793, 1.2246467991473532e-16)),
            ],
            "Exponential function": [
                (ln2, (0.6931471805592082, 7.371002565167799e-13)),
                (ln2 / 64, (0.010830424696223417, 2.572804622327669e-14)),
                (1 / ln2, (1.4426950408889634, 2.0355273740931033e-17)),
                (1 / ln10, (0.4342944819032518, 1.098319650216765e-17)),
                (ln2 / ln10, (0.30102999566361177, 3.694239077158931e-13)),
            ],
        }
        for title, sums in constants.items():
            text = section(title)
            for value, parts in sums:
                assert all(repr(part) in text for part in parts), (title, parts)
                rest = value - sum(map(Decimal, parts))
                assert abs(rest) <= Decimal(math.ulp(parts[-1])) / 2, parts


@pytest.mark.parametrize(
    ("part", "bits"),
    [
        (1.5707963267341256, 33),
        (6.077100506303966e-11, 33),
        (2.0222662487111665e-21, 33),
        (0.6931471805592082, 40),
        (0.30102999566361177, 40),
        (0.010830424696223417, 36),
    ],
)
def test_a_part_that_is_multiplied_exactly_is_short(part: float, bits: int) -> None:
    mantissa, _ = math.frexp(part)
    assert (mantissa * 2**bits).is_integer()


LITERAL = re.compile(r"(?<![\w.])\d+\.\d+e[-+]?\d+\b")
GREATEST = "1.7976931348623157e308"


def is_nearly_a_power_of_two(value: float) -> bool:
    return value > 0 and abs(math.log2(value) - round(math.log2(value))) < 1e-9


def test_powers_of_two_in_the_kernels_are_exact() -> None:
    found = [literal for title in SECTIONS[:-1] for literal in LITERAL.findall(section(title))]
    powers = [text for text in found if text != GREATEST and is_nearly_a_power_of_two(float(text))]
    assert powers
    assert [text for text in powers if math.frexp(float(text))[0] != 0.5] == []


def test_the_half_step_of_the_integer_angles() -> None:
    text = Path(fixed.__file__).read_text(encoding="utf-8")
    found = re.search(r"_powers\((\d+), (\d+), 258\)", text)
    assert found
    angle = float(decimal_pi() / 65536)
    for digits, name in ((found[1], "cos"), (found[2], "sin")):
        assert abs(Decimal(int(digits)) / 2**80 / REFERENCE[name](angle) - 1) < Decimal(2) ** -52
