"""Draws other players a little in the past: between two snapshots, or for a short time past the newest."""

from bisect import insort
from math import dist, hypot, pi
from typing import Final, NamedTuple

from retick.host.timing import ms_to_ticks
from retick.netrunner.profile import State, Vector

# Teleports: a player who suddenly is elsewhere is never drawn on the way, since there was none.
#
# A game declares them: its state has ``teleports``, a number that changes with each; in a declared game it is public.
# Without such a number, or if it stays the same, a distance that no speed explains counts as a teleport.

# retick: floats -- drawing; nothing is simulated from them


TELEPORT: Final = 2.5
"""Metres that a player may always move between two drawn places without teleporting."""
SPEED_MARGIN: Final = 2.0
"""How many times faster than seen before and after a player may be between two snapshots."""


def is_declared_teleport(a: State, b: State) -> bool:
    """Whether the game declares a teleport between two states."""
    return getattr(a, "teleports", None) != getattr(b, "teleports", None)


def is_teleport(a: State, b: State, seconds: float, speed: float = 0.0) -> bool:
    """Whether a player teleported from one state to the other, ``seconds`` later.

    ``speed``: its observed speed before or after, in metres per second, in case its velocity does not tell.
    """
    if is_declared_teleport(a, b):
        return True
    fastest = max(hypot(*a.velocity), hypot(*b.velocity), speed)
    return dist(a.position, b.position) > TELEPORT + SPEED_MARGIN * fastest * seconds


def speed_between(a: State, b: State, seconds: float) -> float:
    """The speed from one place to the other in metres per second; 0 for a declared teleport."""
    if seconds <= 0.0 or is_declared_teleport(a, b):
        return 0.0
    return dist(a.position, b.position) / seconds


# retick: floats -- drawing of other players; nothing is simulated from them


CAPACITY: Final = 64
"""How many snapshots of each player are kept."""
JITTER_EWMA: Final = 0.1
"""The weight of a new sample in the smoothed jitter."""
MAX_EXTRA_MS: Final = 100
"""The most milliseconds that jitter adds to the delay."""
MAX_UNDERFLOW_TICKS: Final = 32
"""The most ticks that missing snapshots add to the delay."""
STEP_INTERVAL: Final = 0.25
"""Seconds between two changes of the delay."""


class Sample(NamedTuple):
    """A player in one snapshot."""

    tick: int
    state: State


class RemoteView(NamedTuple):
    """Another player as it should be drawn."""

    position: Vector
    """In metres."""
    velocity: Vector
    """In metres per second."""
    yaw: float
    """In radians."""
    pitch: float
    """In radians."""
    grounded: bool
    state: State
    """The state of the nearest snapshot, for animation."""
    underflow: bool
    """Whether this moment lies past the newest snapshot."""


def _mix(a: float, b: float, t: float) -> float:
    return a + (b - a) * t


def _mix_vectors(a: Vector, b: Vector, t: float) -> Vector:
    return _mix(a[0], b[0], t), _mix(a[1], b[1], t), _mix(a[2], b[2], t)


def _mix_angles(a: float, b: float, t: float) -> float:
    """Interpolate between angles along the shorter arc."""
    turn = (b - a + pi) % (2 * pi) - pi
    return a + turn * t


def _hermite(a: State, b: State, t: float, seconds: float) -> Vector:
    """A curve through both positions with both velocities; ``seconds`` is the time between them."""
    h0, h1 = 2 * t**3 - 3 * t**2 + 1, t**3 - 2 * t**2 + t
    h2, h3 = -2 * t**3 + 3 * t**2, t**3 - t**2
    x, y, z = (
        h0 * p + h1 * seconds * v + h2 * q + h3 * seconds * w
        for p, v, q, w in zip(a.position, a.velocity, b.position, b.velocity, strict=True)
    )
    return x, y, z


class RemoteBuffer:
    """One other player's last 64 snapshots."""

    __slots__ = ("_drawn", "_rate", "_samples", "teleports")

    def __init__(self, rate: int) -> None:
        self._samples: list[Sample] = []
        self._rate = rate
        self._drawn: Vector | None = None
        self.teleports = 0

    @property
    def newest_tick(self) -> int:
        return self._samples[-1].tick if self._samples else -1

    def add(self, tick: int, state: State) -> None:
        samples = self._samples
        if not samples or tick >= samples[-1].tick:
            samples.append(Sample(tick, state))
        else:
            insort(samples, Sample(tick, state), key=lambda sample: sample.tick)
        if len(samples) > CAPACITY:
            del samples[0]

    def sample(self, at: float, *, max_extrapolation: int, hermite: bool = False) -> RemoteView | None:
        """The player at a tick with its fraction; None before the first snapshot."""
        samples = self._samples
        if not samples:
            return None
        if at <= samples[0].tick:
            view = self._still(samples[0].state)
        elif at > samples[-1].tick:
            view = self._beyond(samples[-1], at, max_extrapolation)
        else:
            view = self._between(at, hermite)
        if self._drawn is not None and dist(self._drawn, view.position) > TELEPORT:
            self.teleports += 1
        self._drawn = view.position
        return view

    def _still(self, state: State) -> RemoteView:
        return RemoteView(
            state.position, state.velocity, state.yaw, state.pitch, state.grounded, state, underflow=False
        )

    def _beyond(self, newest: Sample, at: float, most: int) -> RemoteView:
        seconds = min(at - newest.tick, most) / self._rate
        state = newest.state
        (x, y, z), (vx, vy, vz) = state.position, state.velocity
        moved = (x + vx * seconds, y + vy * seconds, z + vz * seconds)
        return RemoteView(moved, state.velocity, state.yaw, state.pitch, state.grounded, state, underflow=True)

    def _between(self, at: float, hermite: bool) -> RemoteView:
        samples = self._samples
        index = len(samples) - 1
        while samples[index - 1].tick >= at and index > 1:
            index -= 1
        (from_tick, a), (to_tick, b) = samples[index - 1], samples[index]
        span = to_tick - from_tick
        t = (at - from_tick) / span if span else 1.0
        if t < 1.0 and is_teleport(a, b, span / self._rate, self._speed_around(index)):
            return self._still(a)
        straight = _mix_vectors(a.position, b.position, t)
        position = _hermite(a, b, t, span / self._rate) if hermite else straight
        near = a if t < 0.5 else b
        return RemoteView(
            position,
            _mix_vectors(a.velocity, b.velocity, t),
            _mix_angles(a.yaw, b.yaw, t),
            _mix(a.pitch, b.pitch, t),
            near.grounded,
            near,
            underflow=False,
        )

    def _speed_around(self, index: int) -> float:
        """The player's observed speed before and after the two samples that end at ``index``."""
        samples = self._samples
        found = 0.0
        for end in (index - 1, index + 1):
            if 0 < end < len(samples):
                (from_tick, a), (to_tick, b) = samples[end - 1], samples[end]
                found = max(found, speed_between(a, b, (to_tick - from_tick) / self._rate))
        return found


class InterpolationDelay:
    """How far in the past others are drawn: the server's number, plus jitter, plus ticks for missing snapshots."""

    __slots__ = (
        "_arrived_at",
        "_base",
        "_changed_at",
        "_extra_at",
        "_interval",
        "_limit",
        "_rate",
        "jitter_ms",
        "ticks",
        "underflow_ticks",
    )

    def __init__(self, *, base_ms: int, rate: int, snapshot_rate: int) -> None:
        self._rate = rate
        self._base = ms_to_ticks(base_ms, rate)
        self._limit = self._base + ms_to_ticks(MAX_EXTRA_MS, rate) + MAX_UNDERFLOW_TICKS
        self._interval = 1.0 / snapshot_rate
        self._arrived_at: float | None = None
        self._changed_at = self._extra_at = 0.0
        self.jitter_ms = 0.0
        self.underflow_ticks = 0
        self.ticks: int | None = None
        """The delay in ticks; None before the first use."""

    def arrived(self, now: float) -> None:
        """Measure the jitter, because a snapshot arrived."""
        if self._arrived_at is not None:
            off = abs(now - self._arrived_at - self._interval) * 1000
            self.jitter_ms += (off - self.jitter_ms) * JITTER_EWMA
        self._arrived_at = now

    def update(self, now: float) -> int:
        """Move the delay by at most one tick towards its target, four times a second; returns it in ticks."""
        jitter = ms_to_ticks(max(0.0, min(MAX_EXTRA_MS, self.jitter_ms)), self._rate)
        target = max(0, min(self._limit, self._base + jitter + self.underflow_ticks))
        if self.ticks is None:
            self.ticks, self._changed_at = target, now
        elif target != self.ticks and now >= self._changed_at + STEP_INTERVAL:
            self.ticks += 1 if target > self.ticks else -1
            self._changed_at = now
        return self.ticks

    def note_underflow(self, any_underflow: bool, now: float) -> None:
        """Adapt after drawing: while snapshots are missing, add a tick each second; else remove one every two."""
        if now < self._extra_at:
            return
        if any_underflow and self.underflow_ticks < MAX_UNDERFLOW_TICKS:
            self.underflow_ticks += 1
            self._extra_at = now + 1.0
        elif not any_underflow and self.underflow_ticks:
            self.underflow_ticks -= 1
            self._extra_at = now + 2.0
