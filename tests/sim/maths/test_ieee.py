"""The check at import: silent here, and each way of computing otherwise is found."""

import math
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from retick.errors import UsageError
from retick.sim import maths
from retick.sim.maths import binary64_faults, require_binary64


class Odd(float):
    """A float whose sums and products are changed by a processor of another kind."""

    change: Callable[[float], float]

    def _odd(self, value: float) -> "Odd":
        made = Odd(self.change(value))
        made.change = self.change
        return made

    def __add__(self, other: float) -> "Odd":
        return self._odd(float(self) + float(other))

    def __mul__(self, other: float) -> "Odd":
        return self._odd(float(self) * float(other))


def odd(value: float, change: Callable[[float], float]) -> Odd:
    made = Odd(value)
    made.change = change
    return made


def faults(change: Callable[[float], float]) -> str:
    numbers = [odd(value, change) for value in (1.0, 2.0**-27, 2.0**-53, 2.0**-537)]
    return "; ".join(maths._faults(*numbers))


def test_this_machine_computes_in_binary64() -> None:
    assert binary64_faults() == []
    require_binary64()
    assert faults(lambda value: value) == ""


def test_rounding_up_is_found() -> None:
    assert "not rounded to nearest" in faults(lambda value: math.nextafter(value, math.inf))


def test_subnormals_that_are_flushed_to_zero_are_found() -> None:
    assert "below 2.2e-308" in faults(lambda value: value if abs(value) >= 2.3e-308 else 0.0)


def test_a_contracted_product_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maths, "summed_product", lambda a, b, c: 2.0**-54)
    assert binary64_faults() == ["a product and a sum are contracted into one rounding: build without FMA contraction"]
    with pytest.raises(UsageError, match="do not agree with those of others: a product and a sum"):
        require_binary64()


def test_sums_that_a_compiler_reorders_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maths, "rounded_by_sum", lambda x: x)
    assert binary64_faults() == ["sums are reordered: build without -ffast-math"]


def test_the_kernels_are_built_without_contraction_and_without_fast_maths() -> None:
    text = (Path(__file__).parents[3] / "setup.py").read_text(encoding="utf-8")
    assert '"-ffp-contract=off"' in text
    assert '"/fp:strict"' in text
    assert not re.search(r"\"(-ffast-math|-Ofast|-march|-mfpmath|/fp:fast)", text)


def test_a_square_root_that_is_not_exact_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maths, "sqrt", lambda x: math.nextafter(math.sqrt(x), 9))
    assert binary64_faults() == ["division or square root is not exactly rounded"]


def test_a_sum_that_is_rounded_twice_is_found() -> None:
    """First to the 64 bits of an x87 register: the bit that breaks the tie is lost there."""

    class Extended(float):
        def __add__(self, other: float) -> float:
            return float(self) if other == 2.0**-53 + 2.0**-80 else float(self) + other

        def __mul__(self, other: float) -> "Extended":
            return Extended(float(self) * float(other))

    found = list(maths._faults(Extended(1.0), 2.0**-27, 2.0**-53, 2.0**-537))
    assert found == ["sums are rounded twice, as the x87 of 32-bit x86 does"]


def test_another_shape_of_floats_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    class Decimals:
        radix, mant_dig, max_exp, min_exp = 10, 16, 385, -382

    monkeypatch.setattr(maths.sys, "float_info", Decimals)
    assert binary64_faults() == ["a float is not a binary number of 53 bits and 11 bits of exponent"]
