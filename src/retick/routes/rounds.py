"""When to look for a direct path to one peer: three rounds, then one every minute. docs/formats/routes.md draws one.

Knows time and numbers only; ``PeerRoutes`` sends what it says.
"""

from enum import Enum, auto
from typing import Final

__all__ = ["Rounds", "Step"]

ROUNDS: Final = 3
ROUND_SECONDS: Final = 1.0
"""From the beginning of a round to the next one, if no path answers."""
OFFER_SECONDS: Final = 0.5
"""After which an OFFER without a REPLY is sent again."""
MOST_OFFERS: Final = 3
"""OFFERs of a round."""
PAUSE_SECONDS: Final = 60.0
"""After three rounds in vain."""
AGAIN_SECONDS: Final = 5.0
"""From one reason for three new rounds to the next."""
LATER_SECONDS: Final = 0.5
"""By which the peer with the higher number waits for the other to begin."""
FIRST_TTL: Final = 2


class Step(Enum):
    """What is to be done now."""

    OFFER = auto()
    FIRE = auto()


class Rounds:
    """The rounds with one peer; ``is_first`` of the two begins."""

    def __init__(self, *, is_first: bool) -> None:
        self.is_vain = False
        """Whether the last rounds found nothing."""
        self.round = 0
        """Of 1 to 255, then 1 again; 0 before the first."""
        self._is_first = is_first
        self._left = 0
        self._offers = 0
        self._is_waiting = False
        """For a REPLY."""
        self._began_at = self._offered_at = 0.0
        self._started_at = float("-inf")
        self._due: float | None = None
        self._fire_at: float | None = None

    def start(self, now: float) -> None:
        """There is a reason to look for a path: three rounds, soon."""
        if self._due is not None and self._left:
            return
        wait = 0.0 if self._is_first else LATER_SECONDS
        self._due = max(now + wait, self._started_at + AGAIN_SECONDS)
        self._started_at = self._due
        self._left = ROUNDS
        self._is_waiting = False

    def next_timeout(self) -> float | None:
        times = [time for time in (self._due, self._fire_at) if time is not None]
        return min(times) if times else None

    def step(self, now: float, *, is_found: bool, can_offer: bool) -> Step | None:
        """What is due; ask until it is None."""
        if self._fire_at is not None and now >= self._fire_at:
            self._fire_at = None
            return Step.FIRE
        if self._due is None or now < self._due:
            return None
        if is_found:
            self._due, self._left, self.is_vain = None, 0, False
            return None
        if not can_offer:
            self._due = now + OFFER_SECONDS
            return None
        if not self._is_waiting or self._offers >= MOST_OFFERS:
            if not self._left:
                self.is_vain = True
                self._left, self._due, self._is_waiting = 1, now + PAUSE_SECONDS, False
                return None
            self._left -= 1
            self.round = self.round % 255 + 1
            self._offers, self._began_at, self._is_waiting = 0, now, True
        self._offers += 1
        self._offered_at = now
        self._due = now + OFFER_SECONDS
        return Step.OFFER

    def replied(self, number: int, now: float) -> bool:
        """A REPLY has come; whether GO is to be sent: we probe when it has arrived there."""
        if not self._is_waiting or number != self.round:
            return False
        self._is_waiting = False
        self._fire_at = now + (now - self._offered_at) / 2
        self._due = max(self._began_at + ROUND_SECONDS, self._fire_at + OFFER_SECONDS)
        return True

    def offered(self) -> None:
        """The other one has begun a round: if it is the first of the two, ours can wait."""
        if not self._is_first:
            self._due, self._is_waiting = None, False

    @staticmethod
    def ttl(number: int) -> int:
        """Of the early probes of a round."""
        return FIRST_TTL + (number - 1) % ROUNDS
