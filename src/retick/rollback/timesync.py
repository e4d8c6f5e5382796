"""Keeps all sides at the same pace, so that nobody does all the rolling back.

A side's *lead* is how far its own frame is ahead of the newest input that it has of another side: the depth that
it has to roll back, travel time included. When both leads are equal, both sides roll back equally, whatever the two
directions of the link are like. The side with the greater lead stretches its frames a little, a few per cent at the
most, until they are: no frame is ever skipped or shown twice.
"""

__all__ = ["LeadEstimate", "Pace"]

SMOOTHING = 1 / 24
"""Weight of a new measurement: jitter averages out over about half a second."""
FRAMES_TO_CORRECT = 90
"""A lead that is too great is given up over about this many frames."""
TOLERATED = 0.25
"""Half a difference of leads below this many frames is left alone."""


class LeadEstimate:
    """The two leads towards one other side."""

    __slots__ = ("ours", "theirs")

    def __init__(self) -> None:
        self.ours: float | None = None
        self.theirs: float | None = None

    def measure_ours(self, lead: float) -> None:
        self.ours = lead if self.ours is None else self.ours + (lead - self.ours) * SMOOTHING

    def measure_theirs(self, lead: float) -> None:
        self.theirs = lead if self.theirs is None else self.theirs + (lead - self.theirs) * SMOOTHING

    def learn_theirs(self, lead: float) -> None:
        """Take over a lead that the other side has smoothed itself."""
        self.theirs = lead

    @property
    def ahead(self) -> float:
        """By how many frames this side is further ahead than its fair share; negative when it is behind."""
        if self.ours is None or self.theirs is None:
            return 0.0
        return (self.ours - self.theirs) / 2


class Pace:
    """When the next frame is due."""

    def __init__(self, *, tick_rate: int, most_slowing: float, longest_catch_up: float) -> None:
        self.interval = 1.0 / tick_rate
        """Seconds of an unstretched frame."""
        self.slowing = 0.0
        """The share by which frames are stretched now."""
        self._most_slowing = most_slowing
        self._longest_catch_up = longest_catch_up
        self.next_frame_at: float | None = None
        """When the next frame is due; None before the first."""

    def is_due(self, now: float) -> bool:
        return self.next_frame_at is None or now >= self.next_frame_at

    def phase(self, now: float) -> float:
        """Which part of the present frame has passed, from 0 to 1."""
        if self.next_frame_at is None:
            return 0.0
        passed = 1.0 - (self.next_frame_at - now) / self.interval
        if passed < 0.0:
            return 0.0
        return passed if passed < 1.0 else 1.0

    def frame_run(self, now: float, ahead: float) -> None:
        """A frame was run: plan the next, a little later when this side is ahead."""
        slowing = ahead / FRAMES_TO_CORRECT if ahead > TOLERATED else 0.0
        self.slowing = slowing if slowing < self._most_slowing else self._most_slowing
        planned = now if self.next_frame_at is None else self.next_frame_at
        if now - planned > self._longest_catch_up:
            planned = now
        self.next_frame_at = planned + self.interval * (1.0 + self.slowing)

    def start_over(self, now: float) -> None:
        """After waiting: the next frame is due now, and the time that was lost is not made up."""
        self.next_frame_at = now
