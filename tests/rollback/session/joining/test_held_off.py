"""Addresses that have to wait: twice as long each time, up to a bound, and in a table of a bounded size."""

from itertools import pairwise

import pytest

from retick.rollback.session.joining import sponsor
from retick.rollback.session.joining.sponsor import FIRST_WAIT, LONGEST_WAIT, MOST_HELD_OFF, HeldOff

HERE = ("198.51.100.7", 9)


def wait_after(held: HeldOff, address: object, now: float) -> float:
    held.hold(address, now)
    assert held.pass_time(now)
    return held.seconds_left(address)


def test_each_wait_is_twice_the_one_before() -> None:
    held, now, waits = HeldOff(), 100.0, []
    for _ in range(12):
        waits.append(wait_after(held, HERE, now))
        now += waits[-1] + 10.0
    assert waits[0] == FIRST_WAIT
    assert all(later == min(2 * earlier, LONGEST_WAIT) for earlier, later in pairwise(waits))
    assert waits[-1] == LONGEST_WAIT


def test_a_wait_ends_and_is_forgotten_after_a_while() -> None:
    held = HeldOff()
    until = 100.0 + wait_after(held, HERE, 100.0)
    assert not held.pass_time(until)
    assert held.seconds_left(HERE) <= 0.0
    assert wait_after(held, HERE, until + LONGEST_WAIT - 1.0) == 2 * FIRST_WAIT
    assert wait_after(HeldOff(), HERE, 100.0) == wait_after(held, HERE, until + 3 * LONGEST_WAIT) == FIRST_WAIT


def test_another_port_or_another_address_of_the_same_network_has_to_wait_too() -> None:
    held = HeldOff()
    held.hold(HERE, 1.0)
    held.hold(("2001:db8::1", 9), 1.0)
    assert held.seconds_left(("198.51.100.7", 10)) > 0.0
    assert held.seconds_left(("2001:db8::2", 10)) > 0.0
    assert held.seconds_left(("198.51.100.8", 9)) == held.seconds_left(("2001:db8:0:1::1", 9)) == 0.0


def test_only_so_many_addresses_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose wait is over first is forgotten first: no flood of others shortens a long wait."""
    monkeypatch.setattr(sponsor, "MOST_HELD_OFF", 2)
    assert MOST_HELD_OFF == 64
    held = HeldOff()
    for _ in range(3):
        held.hold("again", 1.0)
    for number in range(10):
        held.hold(f"other{number}", 1.0 + number / 10)
    assert held.seconds_left("again") == 4 * FIRST_WAIT + 1.0
    assert [name for name in held._waits if name != "again"] == ["other9"]
