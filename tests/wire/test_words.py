"""Bytes as one number, in both byte orders. Only the uncompiled form has these functions: the twin calls them."""

from hypothesis import given
from hypothesis import strategies as st

from retick.wire import bits
from tests.twin import Twin


def loaded(data: bytes, at: int) -> list[str]:
    return [str(load(data, at)) for load in (bits.load_be64, bits.load_le16, bits.load_le32, bits.load_le64)]


@given(st.binary(min_size=8, max_size=40), st.data())
def test_a_word_is_loaded_from_any_place(twin: Twin, data: bytes, draws: st.DataObject) -> None:
    at = draws.draw(st.integers(0, len(data) - 8))
    big, *little = twin.tells(loaded, data, at)
    assert big == str(int.from_bytes(data[at : at + 8], "big"))
    assert little == [str(int.from_bytes(data[at : at + size], "little")) for size in (2, 4, 8)]


def stored(data: bytes, at: int, word: int) -> list[str]:
    buffer = bytearray(data)
    bits.store_be64(buffer, at, word)
    return [str(bits.load_be64(buffer, at)), buffer[:at].hex(), buffer[at + 8 :].hex()]


@given(st.binary(min_size=8, max_size=40), st.data(), st.integers(0, 2**64 - 1))
def test_a_stored_word_is_loaded_again_and_nothing_else_changes(
    twin: Twin, data: bytes, draws: st.DataObject, word: int
) -> None:
    at = draws.draw(st.integers(0, len(data) - 8))
    assert twin.tells(stored, data, at, word) == [str(word), data[:at].hex(), data[at + 8 :].hex()]
