"""Plain values as bytes."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError, EncodeError, LimitExceeded
from retick.wire.values import MOST_BYTES, MOST_DEPTH, decode_value, decode_value_at, encode_value

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(1 << 63), (1 << 63) - 1)
    | st.floats(allow_nan=False)
    | st.floats(allow_nan=False, width=32)
    | st.text(st.characters(exclude_categories=("Cs",)), max_size=40)
    | st.binary(max_size=40)
)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=5).map(tuple), max_leaves=12)


def shown(value: Any) -> str:
    """Floats of the same value but another sign, and True and 1, differ in their text."""
    return repr(value)


@given(VALUES)
def test_a_value_comes_back(value: Any) -> None:
    assert shown(decode_value(encode_value(value))) == shown(value)


@given(st.binary(max_size=40) | st.lists(st.sampled_from(range(0xC0)), max_size=30).map(bytes))
def test_any_bytes_are_a_value_in_its_one_form_or_a_decode_error(data: bytes) -> None:
    try:
        value = decode_value(data)
    except DecodeError:
        return
    assert encode_value(value) == data


@pytest.mark.parametrize(
    ("value", "octets"),
    [
        (None, "00"),
        (False, "01"),
        (True, "02"),
        (0, "40"),
        (63, "7f"),
        (64, "038001"),
        (-1, "0301"),
        (-(1 << 63), "03ffffffffffffffffff01"),
        (1.5, "040000c03f"),
        (0.1, "059a9999999999b93f"),
        (float("-inf"), "04000080ff"),
        ("", "80"),
        ("shot", "8473686f74"),
        (b"\1\2", "07020102"),
        ((), "a0"),
        (("shot", 1, (2.0,)), "a38473686f7441a10400000040"),
    ],
)
def test_values_have_the_bytes_of_the_page(value: Any, octets: str) -> None:
    assert encode_value(value).hex() == octets


@pytest.mark.parametrize("value", [[1], {1: 2}, 1 << 63, float("nan"), "\ud800", object()])
def test_what_has_no_form_is_refused(value: Any) -> None:
    with pytest.raises(EncodeError):
        encode_value((value,))


@pytest.mark.parametrize(
    "octets",
    ["", "03", "0302", "038000", "03" + "80" * 10, "03ffffffffffffffffff03", "040000", "040000c07f",
     "05000000000000f83f", "0600", "081f", "8261", "81ff", "a1", "09", "c0", "0000"],
)  # fmt: skip
def test_other_forms_are_refused(octets: str) -> None:
    with pytest.raises(DecodeError):
        decode_value(bytes.fromhex(octets))


def test_depth_and_size_are_bounded() -> None:
    deep: Any = ()
    for _ in range(MOST_DEPTH - 1):
        deep = (deep,)
    assert decode_value(encode_value(deep)) == deep
    with pytest.raises(EncodeError, match="nested"):
        encode_value((deep,))
    with pytest.raises(LimitExceeded, match="nested"):
        decode_value(b"\xa1" * MOST_DEPTH + b"\xa0")
    largest = bytes(MOST_BYTES - 3)
    assert decode_value(encode_value(largest)) == largest
    with pytest.raises(EncodeError, match="at most"):
        encode_value(largest + b"1")
    with pytest.raises(LimitExceeded, match="at most"):
        decode_value(b"\x07\xfe\x07" + bytes(1022))


def test_a_value_is_read_from_the_middle_of_bytes() -> None:
    assert decode_value_at(b"\xff" + encode_value("on") + b"\xff", 1) == ("on", 4)
