"""Keeps all peers at the same pace, so that they roll back equally.

A side's *lead* is how far its own frame is ahead of the newest input that it has of another side: the depth that
it has to roll back, travel time included. When both leads are equal, both sides roll back equally, whatever the two
directions of the link are like. The side with the greater lead stretches its frames a little, a few per cent at the
most, until they are: no frame is ever skipped or shown twice.
"""

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

__all__ = ["LeadEstimate", "Pace"]

SMOOTHING = 1.0 / 24.0
"""Weight of a new measurement: jitter averages out over about half a second."""
FRAMES_TO_CORRECT = 90.0
"""A lead that is too great is corrected over about this many frames."""
TOLERATED = 0.25
"""Half a difference of leads below this many frames is left alone."""


@cython.cclass
class LeadEstimate:
    """The two leads towards one other side."""

    if not cython.compiled:
        mine: float
        other: float
        knows_mine: bool
        knows_other: bool

    def __init__(self) -> None:
        self.mine = self.other = 0.0
        self.knows_mine = self.knows_other = False

    @property
    def ours(self) -> float | None:
        """Frames; None before the first measurement."""
        return self.mine if self.knows_mine else None

    @property
    def theirs(self) -> float | None:
        """Frames; None before the first measurement."""
        return self.other if self.knows_other else None

    def measure_ours(self, lead: cython.double) -> None:
        self.mine = self.mine + (lead - self.mine) * SMOOTHING if self.knows_mine else lead
        self.knows_mine = True

    def measure_theirs(self, lead: cython.double) -> None:
        self.other = self.other + (lead - self.other) * SMOOTHING if self.knows_other else lead
        self.knows_other = True

    def learn_theirs(self, lead: cython.double) -> None:
        """Take over a lead that the other side has smoothed itself."""
        self.other = lead
        self.knows_other = True

    @property
    def ahead(self) -> float:
        """By how many frames this side is further ahead than its fair share; negative when it is behind."""
        return self.by()

    def by(self) -> cython.double:
        """``ahead``, for the kernels."""
        return (self.mine - self.other) / 2 if self.knows_mine and self.knows_other else 0.0


@cython.cclass
class Pace:
    """When the next frame is due.

    ``at`` is that time. ``schedule`` is when it would have been due if no time had been lost: it moves on by one
    interval a frame, and is at most ``most_owed`` seconds behind. ``at`` is never before it. So whoever runs frames
    early only while ``is_behind_schedule`` runs at most ``(T + most_owed) / interval + 1`` frames in T seconds.
    """

    if not cython.compiled:
        interval: float
        slowing: float
        most_slowing: float
        longest_catch_up: float
        most_owed: float
        at: float
        schedule: float
        is_planned: bool

    @cython.annotation_typing(False)  # a rate with a fraction would lose it
    def __init__(self, *, tick_rate: int, most_slowing: float, longest_catch_up: float, most_owed: float = 0.0) -> None:
        """``most_owed`` is how many seconds of frames may be run early at most, all in all, and after time was lost."""
        self.interval = 1.0 / tick_rate
        """Seconds of an unstretched frame."""
        self.slowing = 0.0
        """The share by which frames are stretched now."""
        self.most_slowing = most_slowing
        self.longest_catch_up = longest_catch_up
        self.most_owed = max(most_owed, longest_catch_up)
        self.at = self.schedule = 0.0
        self.is_planned = False

    @property
    def next_frame_at(self) -> float | None:
        """When the next frame is due; None before the first."""
        return self.at if self.is_planned else None

    def is_early(self, now: cython.double) -> cython.bint:
        return self.is_planned and now < self.at

    def is_due(self, now: cython.double) -> cython.bint:
        return not self.is_early(now)

    def phase(self, now: cython.double) -> cython.double:
        """Which part of the present frame has passed, from 0 to 1."""
        if not self.is_planned:
            return 0.0
        passed: cython.double = 1.0 - (self.at - now) / self.interval
        if passed < 0.0:
            return 0.0
        return passed if passed < 1.0 else 1.0

    def frame_run(self, now: cython.double, ahead: cython.double) -> None:
        """A frame was run: plan the next, a little later when this side is ahead."""
        slowing: cython.double = ahead / FRAMES_TO_CORRECT if ahead > TOLERATED else 0.0
        self.slowing = slowing if slowing < self.most_slowing else self.most_slowing
        if not self.is_planned:
            self.owe_most(now)
        if not self.is_planned or now - self.at > self.longest_catch_up:
            self.at = now
        if now - self.schedule > self.most_owed:
            self.owe_most(now)
        self.at += self.interval * (1.0 + self.slowing)
        self.schedule += self.interval
        self.is_planned = True

    def start_over(self, now: cython.double) -> None:
        """After waiting: the next frame is due now, and the time that was lost is not made up by the clock."""
        if not self.is_planned:
            self.owe_most(now)
        self.at = now
        self.is_planned = True

    def is_behind_schedule(self, now: cython.double) -> cython.bint:
        """Whether a frame may be run before the clock says so, because time was lost before."""
        return now >= self.schedule

    def owe_most(self, now: cython.double) -> None:
        """As many frames may be run early from now on as ever: at the start, when others may have begun before us."""
        self.schedule = now - self.most_owed
