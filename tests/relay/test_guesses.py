"""Wrong codes are limited for each address and for all together."""

import pytest

from retick.relay import RelayConfig, rooms
from retick.relay.rooms import Guesses


def tries(book: Guesses, origin: str, now: float, most: int = 1000) -> int:
    """Wrong codes that an origin can try at once."""
    for count in range(most):
        if book.seconds_to_wait(origin, now):
            return count
        book.count_wrong(origin, now)
    return most


def test_an_address_has_a_few_and_then_one_now_and_then() -> None:
    book = Guesses(RelayConfig())
    assert tries(book, "a", 0.0) == 10
    assert book.seconds_to_wait("a", 0.0) == 10
    assert tries(book, "b", 0.0) == 10
    assert tries(book, "a", 10.1) == 1
    assert tries(book, "a", 1000.0) == 10


def test_all_together_have_a_limit_that_comes_back() -> None:
    book = Guesses(RelayConfig(wrong_codes_a_second=25))
    assert [tries(book, str(number), 0.0) for number in range(4)] == [10, 10, 5, 0]
    assert book.seconds_to_wait("new", 0.0) == 1
    assert book.seconds_to_wait("new", 0.5) == 0


def test_only_so_many_addresses_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "ORIGINS_KEPT", 2)
    book = Guesses(RelayConfig())
    for origin in "abc":
        tries(book, origin, 0.0)
    assert book.seconds_to_wait("a", 0.0) == 0
    assert book.seconds_to_wait("c", 0.0) > 0
