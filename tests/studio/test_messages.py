import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.studio.room import LONGEST_TEXT, FeedError, PageMessage, read_message, write_message

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.text() | JSON.map(json.dumps))
def test_any_text_is_a_message_or_a_feed_error(text: str) -> None:
    try:
        message = read_message(text)
    except FeedError:
        return
    assert json.loads(text)["type"] == message.type


@given(JSON)
def test_a_getter_gives_what_it_promises_or_raises_a_feed_error(value: Any) -> None:
    message = PageMessage("set", {"field": value})
    for get, kind in (
        (lambda: message.integer("field", -5, 5), int),
        (lambda: message.number("field", -5, 5), float),
        (lambda: message.flag("field"), bool),
        (lambda: message.text("field", 3), str),
        (lambda: message.choice("field", "one", "two"), str),
    ):
        try:
            found = get()
        except FeedError:
            continue
        assert type(found) is kind
        assert found == value


def test_a_message_that_is_too_long_is_refused_before_it_is_parsed() -> None:
    with pytest.raises(FeedError, match="at most"):
        read_message(write_message("set", filler="x" * LONGEST_TEXT))


def test_a_deep_nest_of_lists_is_refused_in_words() -> None:
    with pytest.raises(FeedError):
        read_message("[" * 30000)


@pytest.mark.parametrize("value", [10**400, -(10**400), float("inf"), float("nan")])
def test_a_number_that_no_float_can_hold_is_refused_in_words(value: float) -> None:
    with pytest.raises(FeedError, match="must be"):
        PageMessage("set", {"field": value}).number("field", -5, 5)
