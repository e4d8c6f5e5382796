"""Varints, by published values and by round trip."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError, EncodeError, InvalidValue
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
