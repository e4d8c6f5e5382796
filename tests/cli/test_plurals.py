"""Numbers with their nouns."""

import pytest

from retick.cli.terminal import count


@pytest.mark.parametrize(
    ("number", "shown"), [(0, "0 frames"), (1, "1 frame"), (2, "2 frames"), (-1, "-1 frames"), (21, "21 frames")]
)
def test_one_is_singular_and_everything_else_is_plural(number: int, shown: str) -> None:
    assert count(number, "frame") == shown


def test_a_plural_that_is_not_just_an_s_more_can_be_given() -> None:
    assert [count(number, "match", "matches") for number in (1, 2)] == ["1 match", "2 matches"]
