"""Codes of rooms as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.relay import code_text, parse_code
from retick.relay.packets import ALPHABET


@given(st.binary(min_size=5, max_size=5))
def test_a_code_is_eight_characters_and_reads_as_it_was(code: bytes) -> None:
    text = code_text(code)
    assert len(text) == 8
    assert set(text) <= set(ALPHABET)
    assert parse_code(text) == code
    assert parse_code(f" {text[:4].lower()}-{text[4:]} ") == code


def test_letters_that_look_like_digits_are_read_as_these() -> None:
    assert parse_code("oOiIlL00") == parse_code("00111100")
    assert code_text(parse_code("OIL0-0000")) == "01100000"


def test_known_codes() -> None:
    assert code_text(bytes(5)) == "00000000"
    assert code_text(b"\xff" * 5) == "ZZZZZZZZ"
    assert code_text(b"\x00\x00\x00\x00\x21") == "00000011"


@given(st.text(max_size=12))
def test_any_text_is_a_code_or_is_refused_with_the_rule(text: str) -> None:
    letters = text.upper().replace("-", "").replace(" ", "")
    if len(letters) == 8 and set(letters) <= set(ALPHABET) | set("OIL"):
        assert len(parse_code(text)) == 5
    else:
        with pytest.raises(UsageError, match="8 characters"):
            parse_code(text)


@pytest.mark.parametrize(("text", "words"), [("4XK7-M2QU", "'U' is in no code"), ("4XK7-M2Q", "not 7"), ("", "not 0")])
def test_what_is_wrong_is_named(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        parse_code(text)
