"""Field values as they travel."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError
from retick.rollback.desync.field_values import MAX_NAME, MAX_TEXT, decode_field, encode_field, portable_fields

ANYTHING = st.one_of(
    st.integers(),
    st.integers(-(10**90), 10**90),
    st.floats(),
    st.text(max_size=400),
    st.booleans(),
    st.none(),
    st.binary(max_size=200),
    st.lists(st.integers(), max_size=5),
    st.frozensets(st.text(max_size=3), max_size=5),
)


@given(st.lists(st.tuples(st.text(max_size=200), ANYTHING), max_size=8))
def test_whatever_a_game_calls_its_fields_travels_unchanged(fields: list[tuple[str, object]]) -> None:
    portable = portable_fields(fields)
    assert len({name for name, _ in portable}) == len(fields)
    for field in portable:
        data = encode_field(field)
        assert decode_field(b"?" + data + b"!", 1) == (field, 1 + len(data))
        assert len(field[0].encode()) <= MAX_NAME
        assert not isinstance(field[1], str) or len(field[1].encode()) <= MAX_TEXT


@given(st.binary(max_size=60))
def test_any_bytes_are_a_field_or_a_decode_error(data: bytes) -> None:
    try:
        field, end = decode_field(data, 0)
    except DecodeError:
        return
    assert encode_field(field) == data[:end]


def test_equal_values_are_equal_text_whatever_their_addresses_or_order() -> None:
    class Plain:
        pass

    def text(value: object) -> object:
        return portable_fields([("x", value)])[0][1]

    assert text(Plain()) == text(Plain())
    assert text({"b", "a", "c"}) == text({"c", "b", "a"}) == "{'a', 'b', 'c'}"
    assert text(True) == 1
    assert text(math.nan) == "nan"
    assert text(-0.0) == 0.0
    assert encode_field(("x", -0.0)) != encode_field(("x", 0.0))


def test_a_difference_beyond_the_cut_still_shows() -> None:
    (first,), (second,) = portable_fields([("x", "a" * 999 + "b")]), portable_fields([("x", "a" * 999 + "c")])
    assert first != second
    assert "1002 bytes" in str(first[1])


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\x01\x01\x05",  # no name
        b"\x01\x1b\x01\x01\x05",  # an escape as a name
        b"\x01x\x01\x00",  # an integer of no bytes
        b"\x01x\x01\x02\x05\x00",  # an integer longer than it need be
        b"\x01x\x01\x21" + b"\x7f" * 33,  # an integer that is too long
        b"\x01x\x02\x08" + b"\x00" * 6 + b"\xf0\x7f",  # infinity
        b"\x01x\x02\x04\x00\x00\x00\x00",  # half a float
        b"\x01x\x03\x01\x07",  # a text that rings
        b"\x01x\x03\x01\xff",  # no UTF-8
        b"\x01x\x03\xc9" + b"a" * 201,  # a text that is too long
        b"\x01x\x04\x00",  # an unknown kind
        b"\x02x",  # cut
    ],
)
def test_bad_fields_are_refused(data: bytes) -> None:
    with pytest.raises(DecodeError):
        decode_field(data, 0)
