"""The widths of fields: their ranges, and the struct letters of the same layout."""

import struct
from typing import Any, get_args

import pytest

from retick.errors import SchemaError
from retick.sim import I8, I16, I32, I64, U8, U16, U32, U64
from retick.sim.kinds import Width


@pytest.mark.parametrize(
    ("alias", "name"),
    [(I8, "i8"), (I16, "i16"), (I32, "i32"), (I64, "i64"), (U8, "u8"), (U16, "u16"), (U32, "u32"), (U64, "u64")],
)
def test_a_width_has_the_range_and_the_size_that_its_name_says(alias: Any, name: str) -> None:
    kind, width = get_args(alias)
    assert kind is int
    assert width.name == name
    bits = int(name[1:])
    assert width.greatest - width.least == 2**bits - 1
    assert (width.least < 0) == (name[0] == "i")
    assert struct.calcsize("<" + width.code) * 8 == bits
    for value in (width.least, width.greatest):
        assert struct.unpack("<" + width.code, struct.pack("<" + width.code, value)) == (value,)
    for value in (width.least - 1, width.greatest + 1):
        with pytest.raises(struct.error):
            struct.pack("<" + width.code, value)


@pytest.mark.parametrize("bits", [0, 1, 7, 24, 128])
def test_other_widths_are_refused(bits: int) -> None:
    with pytest.raises(SchemaError, match=f"8, 16, 32 or 64 bits wide, not {bits}"):
        Width(bits, signed=False)
