"""The alarm of a match, which says how far a possible divergence of states is known. Only this module knows it.

::

    NONE ──────> RAISED ──────> INVESTIGATING ──────> REPORTED     a difference was found: for the rest of the match
     │             ^  ^           ^        │
     │             │  └───────────│────────┤          nothing was found, and another difference was seen meanwhile
     └─────────────│──────────────┘        v
                   └──────────────────── FALSE        nothing was found: some checksum or evidence was not true

RAISED: a peer's checksum of a final state differs from ours. INVESTIGATING: peers compare what they hold, because of
our own alarm or because a peer sent evidence first. A false alarm must not hide a true one, so FALSE leads on like
NONE. A peer that lies could continue like this for ever, so false alarms are limited: for each peer's checksums, and
for evidence that came first.
"""

from collections import Counter
from collections.abc import Hashable
from enum import Enum

from retick.rollback.events import DesyncDetected

MOST_FALSE_ALARMS = 4
"""The false alarms after which one peer's checksums raise no more alarms, and unasked evidence is ignored."""


class AlarmState(Enum):
    """The state of an alarm."""

    NONE = "no difference was seen"
    RAISED = "a checksum differs"
    INVESTIGATING = "peers compare what they hold"
    REPORTED = "a difference was reported"
    FALSE = "nothing was found to differ"


class Alarm:
    """The alarm of one match, as one peer sees it."""

    def __init__(self) -> None:
        self.state = AlarmState.NONE
        self.is_open = False
        """Whether there is something to do: an alarm was raised, or is being investigated."""
        self.detected: DesyncDetected | None = None
        """The difference to be investigated; None if there is none, or its investigation has begun."""
        self._announced: set[Hashable] = set()
        self._cause: Hashable = None
        self._false_alarms: Counter[Hashable] = Counter()
        self._newest_false: int | None = None

    def __repr__(self) -> str:
        return f"Alarm({self.state.name}, {self.detected})"

    @property
    def has_told(self) -> bool:
        """Whether the application knows of a difference that is being investigated."""
        return bool(self._announced)

    def detect(self, event: DesyncDetected) -> bool:
        """Note that a peer's checksum differs from ours; returns whether to tell the application: once per peer."""
        if event.peer in self._announced or self._false_alarms[event.peer] >= MOST_FALSE_ALARMS:
            return False
        self._announced.add(event.peer)
        if self.detected is None and self.state is not AlarmState.REPORTED:
            self.detected = event
            if self.state is not AlarmState.INVESTIGATING:
                self._enter(AlarmState.RAISED)
        return True

    def may_open(self, frame: int | None) -> bool:
        """Whether evidence of an alarm for ``frame``, which a peer sent unasked, opens an investigation here."""
        if self.state in (AlarmState.INVESTIGATING, AlarmState.REPORTED):
            return False
        if not self._false_alarms:
            return True
        # After a false alarm, only evidence of a later one is new: the rest belongs to the finished investigation.
        is_news = frame is not None and (self._newest_false is None or frame > self._newest_false)
        return is_news and self._false_alarms[None] < MOST_FALSE_ALARMS

    def open(self) -> None:
        """Begin an investigation on a peer's evidence; a difference that we saw ourselves stays to be investigated."""
        self._cause = None
        self._enter(AlarmState.INVESTIGATING)

    def open_detected(self) -> DesyncDetected:
        """Begin to investigate the difference that was detected here; returns it."""
        event, self.detected = self.detected, None
        assert event is not None, "nothing was detected"
        self._cause = event.peer
        self._enter(AlarmState.INVESTIGATING)
        return event

    def resolve(self, *, found: bool, frame: int | None) -> None:
        """End the investigation. ``found``: there is a difference; ``frame``: the earliest alarm in the report."""
        if found:
            self._enter(AlarmState.REPORTED)
            return
        self._false_alarms[self._cause] += 1
        self._newest_false = frame
        # The next difference is reported again, even for the same peer.
        self._announced = set() if self.detected is None else {self.detected.peer}
        self._enter(AlarmState.FALSE if self.detected is None else AlarmState.RAISED)

    def _enter(self, state: AlarmState) -> None:
        self.state = state
        self.is_open = state in (AlarmState.RAISED, AlarmState.INVESTIGATING)
