"""Bits and varints: the published vectors, round trips, and exact errors."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError, EncodeError, InvalidValue, Truncated, UsageError
from retick.wire.bits import BitReader, BitWriter
from retick.wire.varint import (
    decode_varsint,
    decode_varuint,
    encode_varsint,
    encode_varuint,
    unzigzag,
    varuint_size,
    zigzag,
)

CASES = json.loads((Path(__file__).parents[1] / "vectors/sdec/primitives.json").read_text(encoding="utf-8"))["cases"]
UINT32 = st.integers(0, 0xFFFFFFFF)
INT32 = st.integers(-(1 << 31), (1 << 31) - 1)


def of_kind(kind: str) -> list[Any]:
    return [case for case in CASES if case["kind"] == kind]


def test_varints_are_written_as_published() -> None:
    for case in of_kind("varuint_encode"):
        assert encode_varuint(case["value"]).hex() == case["hex"]
        assert varuint_size(case["value"]) == len(case["hex"]) // 2
    for case in of_kind("varsint_encode"):
        assert encode_varsint(case["value"]).hex() == case["hex"]


def test_varints_are_read_as_published_when_lenient() -> None:
    for case in of_kind("varuint_decode"):
        data = bytes.fromhex(case["hex"])
        if "error" in case:
            for read in (
                lambda d: decode_varuint(d, strict=False),
                lambda d: BitReader(d, strict=False).read_varuint(),
            ):
                with pytest.raises(DecodeError) as caught:
                    read(data)
                assert caught.value.code == f"Bitstream.{case['error']}"
        else:
            assert decode_varuint(data, strict=False) == (case["value"], case["consumed"])
            reader = BitReader(data, strict=False)
            assert reader.read_varuint() == case["value"]
            assert reader.position == 8 * case["consumed"]


@pytest.mark.parametrize("data", ["8000", "ffffffff1f", "ffffffff7f", "8080808010", "8180808000"])
def test_a_strict_reader_takes_only_the_shortest_form(data: str) -> None:
    for read in (decode_varuint, lambda d: BitReader(d).read_varuint()):
        with pytest.raises(InvalidValue) as caught:
            read(bytes.fromhex(data))
        assert caught.value.code == "Bitstream.InvalidVarint"


@given(UINT32, INT32)
def test_varints_round_trip(value: int, signed: int) -> None:
    assert decode_varuint(encode_varuint(value)) == (value, varuint_size(value))
    assert decode_varsint(encode_varsint(signed))[0] == signed
    assert unzigzag(zigzag(signed)) == signed


@pytest.mark.parametrize("value", [-1, 1 << 32])
def test_varuint_refuses_what_does_not_fit(value: int) -> None:
    with pytest.raises(EncodeError):
        encode_varuint(value)
    with pytest.raises(EncodeError):
        BitWriter().write_varuint(value)


@pytest.mark.parametrize("value", [-(1 << 31) - 1, 1 << 31])
def test_varsint_refuses_what_does_not_fit(value: int) -> None:
    with pytest.raises(EncodeError):
        encode_varsint(value)


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
