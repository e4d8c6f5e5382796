import struct

import pytest

from retick.authority import (
    Real,
    Whole,
)
from retick.authority.declared.fields import clamp, code_of, quantise, span_of
from retick.errors import UsageError


@pytest.mark.parametrize("kind", [Real(0.0, 0.1, steps=25), Real(-0.1, 0.1, steps=5), Real(-2.3, 4.1, steps=45)])
def test_a_value_at_its_bound_fits_its_public_field(kind: Real) -> None:
    _, low, high = span_of("x", kind, exact=False)
    for value in (kind.lowest, kind.highest, -1e9, 1e9):
        assert low <= quantise(kind, clamp(kind, value), exact=False) <= high


def test_whole_numbers_fit_32_bits_one_way_or_the_other() -> None:
    for kind in (Whole(0, 2**32 - 1), Whole(-(2**31), 2**31 - 1)):
        assert struct.pack("<" + code_of(kind), clamp(kind, 2**40)) != struct.pack("<i", 0)
    with pytest.raises(UsageError, match="sign"):
        Whole(-1, 2**31)
