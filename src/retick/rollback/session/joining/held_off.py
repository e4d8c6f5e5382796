"""Addresses from which a newcomer led to nothing: each waits before it is let in again, twice as long every time.

An address is an IPv4 address or a /64 network of IPv6, as at the link's door. Time is that of the last frame.
"""

from collections.abc import Hashable
from typing import NamedTuple

from retick.link.handshake.door import origin_of

__all__ = ["HeldOff"]

FIRST_WAIT = 5.0
"""Seconds for which an address is refused the first time: others may come first."""
LONGEST_WAIT = 320.0
"""Seconds; and so long after a wait is over it is remembered that there was one."""
MOST_HELD_OFF = 64
"""Addresses that are remembered; beyond it the one whose wait is over first is forgotten."""


class Wait(NamedTuple):
    """Of one address."""

    times: int
    """How often it has had to wait."""
    until: float


class HeldOff:
    """Who has to wait, and for how long."""

    def __init__(self) -> None:
        self._now = 0.0
        self._waits: dict[Hashable, Wait] = {}

    def hold(self, address: Hashable, now: float) -> None:
        """A newcomer from this address led to nothing."""
        origin = origin_of(address)
        before = self._waits.pop(origin, None)
        times = before.times + 1 if before is not None and now < before.until + LONGEST_WAIT else 1
        self._waits[origin] = Wait(times, now + min(FIRST_WAIT * 2 ** (times - 1), LONGEST_WAIT))
        if len(self._waits) > MOST_HELD_OFF:
            del self._waits[min(self._waits, key=lambda other: self._waits[other].until)]

    def seconds_left(self, address: Hashable) -> float:
        """How long this address still has to wait; 0 or less if it need not."""
        wait = self._waits.get(origin_of(address))
        return wait.until - self._now if wait is not None else 0.0

    def pass_time(self, now: float) -> bool:
        """Whether anybody has to wait."""
        self._now = now
        return any(now < wait.until for wait in self._waits.values())
