"""Bytes as one number, in both byte orders."""

from hypothesis import given
from hypothesis import strategies as st

from retick.wire import bits


@given(st.binary(min_size=8, max_size=40), st.data())
def test_a_word_is_loaded_from_any_place(data: bytes, draws: st.DataObject) -> None:
    at = draws.draw(st.integers(0, len(data) - 8))
    assert bits.load_be64(data, at) == int.from_bytes(data[at : at + 8], "big")
    for size, load in ((2, bits.load_le16), (4, bits.load_le32), (8, bits.load_le64)):
        assert load(data, at) == int.from_bytes(data[at : at + size], "little")


@given(st.binary(min_size=8, max_size=40), st.data(), st.integers(0, 2**64 - 1))
def test_a_stored_word_is_loaded_again_and_nothing_else_changes(data: bytes, draws: st.DataObject, word: int) -> None:
    at = draws.draw(st.integers(0, len(data) - 8))
    buffer = bytearray(data)
    bits.store_be64(buffer, at, word)
    assert bits.load_be64(buffer, at) == word
    assert (buffer[:at], buffer[at + 8 :]) == (data[:at], data[at + 8 :])
