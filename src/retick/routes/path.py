"""One direct path to a peer: an address, whether probes to it are answered, and how fast."""

from collections.abc import Hashable
from enum import Enum
from typing import Final

PROBE_SECONDS: Final = 0.2
"""Seconds between two probes of the path in use."""
HURRY_SECONDS: Final = 0.1
"""Seconds between two probes while an answer is overdue."""
STANDBY_SECONDS: Final = 5.0
"""Seconds between two probes of a path that has answered but is not in use; they keep routers open."""
RETRY_SECONDS: Final = 0.2
"""Seconds between two probes of a path that was heard but has not answered."""
MOST_RETRIES: Final = 6
"""How often a path that has never answered is probed before it waits for another round."""
MOST_LATER: Final = 30
"""How often a path that has stopped answering is probed, retries included, before it waits for another round."""
OVERDUE_SECONDS: Final = 0.1
"""Seconds beyond the round trip after which an answer is overdue."""
DOUBT_SECONDS: Final = 0.3
"""Seconds without an answer, or 0.2 beyond the round trip, after which the relay gets a copy of everything."""
SILENT_SECONDS: Final = 0.7
"""Seconds without an answer, or 0.6 beyond the round trip, after which the path is left."""
ALLOWANCE: Final = 0.1
"""Seconds of round trip already included in the two limits above."""
LEAST_UNANSWERED: Final = 3
"""How many probes must be unanswered before a path is doubted or left: a paused machine has sent none."""
MOST_PENDING: Final = 32
"""The most probes whose answers are awaited."""
FIRST_REST: Final = 1.0
"""Seconds for which a path that was left is not used again; doubled each time."""
LONGEST_REST: Final = 30.0
GOOD_ANSWERS: Final = 200
"""Answers in a row after which a path, when left, rests only as long as the first time."""
_SMOOTHING: Final = 0.25


class PathKind(Enum):
    """What kind of route a path takes."""

    RELAY = "relay"
    LOCAL = "local network"
    IPV6 = "IPv6"
    REFLEXIVE = "reflexive"
    """The address that the relay sees: through the routers of both sides."""
    MAPPED = "mapped port"
    """A port that the other side's router forwards."""
    SHOWN = "shown"
    """An address that nobody announced: the peer's probe came from it."""


class Path:
    """An address from which the peer has sent something sealed, so that it may be probed repeatedly."""

    def __init__(self, address: Hashable, kind: PathKind) -> None:
        self.address = address
        self.kind = kind
        self.round_trip: float | None = None
        """The smoothed round trip in seconds; None before the first answer."""
        self.is_answered = False
        """Whether the path works in both directions, as far as known."""
        self.answers = 0
        """How many probes in a row were answered."""
        self.heard_at = 0.0
        self.rests_until = float("-inf")
        self._rest = FIRST_REST
        self._pending: dict[bytes, float] = {}
        self._unanswered = 0
        self._unanswered_since: float | None = None
        """When the first probe after the last answered one was sent; None if there is none."""
        self._probed_at = float("-inf")

    def probed(self, token: bytes, now: float) -> None:
        self._pending[token] = self._probed_at = now
        if len(self._pending) > MOST_PENDING:
            del self._pending[next(iter(self._pending))]
        self._unanswered += 1
        if self._unanswered_since is None:
            self._unanswered_since = now

    def answered(self, token: bytes, now: float) -> bool:
        """Note an answer; returns whether it matches a probe of this path."""
        sent_at = self._pending.pop(token, None)
        if sent_at is None:
            return False
        found = now - sent_at
        self.round_trip = found if self.round_trip is None else self.round_trip + _SMOOTHING * (found - self.round_trip)
        self.is_answered = True
        self.answers += 1
        later = [at for at in self._pending.values() if at > sent_at]
        self._pending = {token: at for token, at in self._pending.items() if at > sent_at}
        self._unanswered = len(later)
        self._unanswered_since = later[0] if later else None
        return True

    def next_probe(self, *, in_use: bool) -> float | None:
        """When to probe next; None if only another round will do it."""
        if not self.is_answered:
            if self._unanswered < MOST_RETRIES:
                return self._probed_at + RETRY_SECONDS
            may_return = self.round_trip is not None and self._unanswered < MOST_LATER
            return self._probed_at + STANDBY_SECONDS if may_return else None
        if not in_use:
            return self._probed_at + STANDBY_SECONDS
        since = self._unanswered_since
        if since is not None and self._unanswered > 1:
            overdue_at = since + (self.round_trip or 0.0) + OVERDUE_SECONDS
            if overdue_at <= self._probed_at + PROBE_SECONDS:
                return max(overdue_at, self._probed_at + HURRY_SECONDS)
        return self._probed_at + PROBE_SECONDS

    def doubted_at(self) -> float | None:
        """When to doubt the path if no answer comes; None while it answers in time."""
        return self._after(DOUBT_SECONDS)

    def silent_at(self) -> float | None:
        """When to leave the path if no answer comes."""
        return self._after(SILENT_SECONDS)

    def _after(self, seconds: float) -> float | None:
        if self._unanswered_since is None or self._unanswered < LEAST_UNANSWERED:
            return None
        return self._unanswered_since + seconds + max(0.0, (self.round_trip or 0.0) - ALLOWANCE)

    def left(self, now: float) -> None:
        """Note that the path fell silent: it must answer anew, and rests longer each time unless it was long good."""
        if self.answers >= GOOD_ANSWERS:
            self._rest = FIRST_REST
        self.is_answered = False
        self.answers = self._unanswered = 0
        self._unanswered_since = None
        self._pending.clear()
        self.rests_until = now + self._rest
        self._rest = min(2.0 * self._rest, LONGEST_REST)

    def is_due(self, now: float, seconds: float) -> bool:
        """Whether the last probe was at least that many seconds ago."""
        return now >= self._probed_at + seconds

    @property
    def score(self) -> float:
        """A score in seconds; the lowest wins. IPv6 counts as a little faster, because no router forgets it."""
        return (self.round_trip or 0.0) - (0.003 if self.kind is PathKind.IPV6 else 0.0)
