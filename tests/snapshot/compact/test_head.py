"""The head of a payload: what is written is read, and nothing else is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import DecodeError
from retick.snapshot.compact.head import Head, pick_history, read_head

AGES = st.sets(st.integers(1, 63), max_size=3).map(lambda found: tuple(sorted(found)))


@given(AGES, st.booleans(), st.none() | st.integers(0, 5000), st.binary(max_size=5))
def test_a_head_round_trips(ages: tuple[int, ...], carried: bool, cut: int | None, structure: bytes) -> None:
    head = Head(ages, carried, cut, structure)
    data = head.to_bytes()
    assert read_head(data + b"body") == (head, len(data))


def test_the_usual_ages_take_no_bytes() -> None:
    assert len(Head((1, 3, 8)).to_bytes()) == 1


def test_even_ages_take_one_byte() -> None:
    assert Head((3, 6, 9)).to_bytes() == bytes.fromhex("0303")
    assert read_head(bytes.fromhex("0315")) == (Head((21, 42, 63)), 2)
    assert Head((2, 4, 8)).to_bytes() == bytes.fromhex("0203020408")


@pytest.mark.parametrize(
    "data",
    [
        "80",
        "02",
        "0200",
        "020401020304",
        "02020100",
        "020140",
        "0203010308",
        "1000",
        "1005aa",
        "20",
        "41",
        "03",
        "0300",
        "0316",
        "0203030609",
    ],
)
def test_what_no_writer_makes_is_refused(data: str) -> None:
    with pytest.raises(DecodeError) as caught:
        read_head(bytes.fromhex(data))
    assert caught.value.code


@given(st.binary(min_size=1, max_size=20))
def test_any_bytes_are_a_head_or_an_error(data: bytes) -> None:
    try:
        head, at = read_head(data)
    except DecodeError as error:
        assert error.code  # noqa: PT017 - either outcome is right
    else:
        assert at <= len(data)
        assert head.to_bytes()[0] == data[0]


def test_history_is_what_lies_nearest_to_the_usual_ages() -> None:
    assert pick_history(100, range(50, 100)) == [99, 97, 92]
    assert pick_history(100, [94, 88]) == [94, 88]
    assert pick_history(100, [100, 101, 30]) == []
    assert pick_history(100, [99]) == [99]


@given(st.integers(0, 300), st.sets(st.integers(0, 300)))
def test_history_is_held_older_than_the_baseline_and_the_nearest_there_is(base: int, held: set[int]) -> None:
    found = pick_history(base, list(held))
    older = sorted(tick for tick in held if 0 < base - tick <= 63)
    assert found == sorted(set(found) & set(older), reverse=True)
    if older:
        assert abs(base - 1 - found[0]) == min(abs(base - 1 - tick) for tick in older)
