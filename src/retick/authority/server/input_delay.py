"""How far ahead of the server's tick a player's client should stamp its commands."""

# retick: floats -- milliseconds and seconds of the network; no simulation reads them

from typing import Final

from retick.authority.timing import MAX_DELAY_TICKS, SAFETY_MS, ms_to_ticks

__all__ = ["DEFAULT_RTT_MS", "InputDelay", "wanted_delay"]

DEFAULT_RTT_MS: Final = 100.0
"""Assumed before the first pong."""
MIN_DELAY_TICKS: Final = 2
DELAY_INTERVAL: Final = 0.25
"""Seconds between two changes."""


def wanted_delay(rtt_ms: float, jitter_ms: float, rate: int) -> int:
    """The input delay in ticks that this round trip and jitter call for."""
    rtt = rtt_ms if rtt_ms > 0.01 else DEFAULT_RTT_MS
    return max(MIN_DELAY_TICKS, min(MAX_DELAY_TICKS, ms_to_ticks(rtt / 2 + SAFETY_MS + jitter_ms, rate)))


class InputDelay:
    """One player's input delay: moves one tick towards the wanted one, four times a second at most."""

    __slots__ = ("_grace_until", "next_at", "ticks")

    def __init__(self, ticks: int, now: float, grace: float) -> None:
        """``grace``: seconds from now in which the delay does not fall: a new player's measurements are few."""
        self.ticks = max(MIN_DELAY_TICKS, min(MAX_DELAY_TICKS, ticks))
        self.next_at = now + DELAY_INTERVAL
        """When it may change again, in seconds."""
        self._grace_until = now + grace

    def update(self, wanted: int, now: float) -> bool:
        """Move towards ``wanted`` if it is time; True when the delay changed."""
        if now < self.next_at or wanted == self.ticks:
            return False
        if wanted < self.ticks and now < self._grace_until:
            return False
        self.next_at = now + DELAY_INTERVAL
        self.ticks += 1 if wanted > self.ticks else -1
        return True
