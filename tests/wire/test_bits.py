"""Packed bits, by published values and by round trip."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import EncodeError, InvalidValue, Truncated, UsageError
from retick.wire.bits import BitReader, BitWriter

CASES = json.loads((Path(__file__).parents[1] / "vectors/sdec/primitives.json").read_text(encoding="utf-8"))["cases"]

UINT32 = st.integers(0, 0xFFFFFFFF)

INT32 = st.integers(-(1 << 31), (1 << 31) - 1)


def of_kind(kind: str) -> list[Any]:
    return [case for case in CASES if case["kind"] == kind]


@pytest.mark.parametrize("case", of_kind("bitwriter"), ids=lambda case: str(case["id"]))
def test_bits_are_written_as_published(case: Any) -> None:
    writer = BitWriter()
    for name, *arguments in case["ops"]:
        {
            "bits": writer.write_bits,
            "bit": writer.write_bit,
            "align": writer.align,
            "varuint": writer.write_varuint,
        }.get(name, getattr(writer, f"write_{name}", None))(*arguments)
    assert writer.bit_count == case["bits"]
    assert writer.to_bytes().hex() == case["hex"]


OPERATIONS = st.one_of(
    st.integers(0, 64).flatmap(lambda n: st.tuples(st.just("bits"), st.integers(0, (1 << n) - 1), st.just(n))),
    st.tuples(st.just("bit"), st.booleans()),
    st.tuples(st.just("varuint"), UINT32),
    st.tuples(st.just("varsint"), INT32),
    st.tuples(st.just("u16"), st.integers(0, 0xFFFF)),
    st.tuples(st.just("u64"), st.integers(0, (1 << 64) - 1)),
)


@given(st.lists(OPERATIONS, max_size=20))
def test_what_is_written_is_read(operations: list[Any]) -> None:
    writer = BitWriter()
    for name, *arguments in operations:
        if name not in ("bits", "bit"):
            writer.align()
        getattr(writer, f"write_{name}")(*arguments)
    reader = BitReader(writer.to_bytes())
    for name, value, *width in operations:
        if name not in ("bits", "bit"):
            reader.align()
        assert getattr(reader, f"read_{name}")(*width) == value
    reader.align()
    assert reader.remaining == 0


def test_a_read_past_the_end_tells_both_numbers_and_moves_nothing() -> None:
    reader = BitReader(b"\xff")
    assert reader.read_bits(3) == 7
    with pytest.raises(Truncated) as caught:
        reader.read_bits(6)
    assert (caught.value.needed, caught.value.available, reader.position) == (6, 5, 3)


def test_padding_must_be_zero_for_a_strict_reader_only() -> None:
    strict, lenient = BitReader(b"\x81\x07"), BitReader(b"\x81\x07", strict=False)
    strict.read_bit()
    with pytest.raises(InvalidValue) as caught:
        strict.align()
    assert caught.value.code == "Bitstream.NonZeroPadding"
    assert strict.position == 1
    lenient.read_bit()
    lenient.align()
    assert lenient.read_u8() == 7


def test_whole_bytes_need_a_boundary() -> None:
    writer = BitWriter()
    writer.write_bit(True)
    with pytest.raises(UsageError):
        writer.write_u8(1)
    reader = BitReader(b"\x80\x00")
    reader.read_bit()
    with pytest.raises(UsageError):
        reader.read_u8()


@pytest.mark.parametrize(("value", "bits"), [(-1, 4), (16, 4), (1, 0), (1 << 64, 64)])
def test_bits_refuse_a_value_that_does_not_fit(value: int, bits: int) -> None:
    with pytest.raises(EncodeError):
        BitWriter().write_bits(value, bits)
    with pytest.raises(UsageError):
        BitWriter().write_bits(0, 65)
    with pytest.raises(UsageError):
        BitReader(b"").read_bits(-1)
