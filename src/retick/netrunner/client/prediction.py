"""The client's own player: commands are stamped ahead of the server, run at once, and resimulated after a snapshot."""

from collections import deque
from collections.abc import Iterator
from math import hypot, sqrt
from typing import Final, NamedTuple

from retick.host.stats import ClientStats
from retick.host.timing import MAX_DELAY_TICKS, SAFETY_TICKS, PingRoundTrip
from retick.netrunner.client.interpolation import is_declared_teleport, is_teleport
from retick.netrunner.config import ClientConfig
from retick.netrunner.events import Reconciled
from retick.netrunner.profile import BodyState, Command, GameProfile, Intent, ProfileWelcome, State, Vector

# A client's estimate of the server's tick.

# retick: floats -- seconds of the network; no simulation reads them


class TickClock:
    """A clock: one known pair of tick and time, extrapolated at the tick rate."""

    __slots__ = ("_known", "_rate", "_tick", "_time")

    def __init__(self, rate: int) -> None:
        self._rate = rate
        self._tick = 0
        self._time = 0
        self._known = False

    def estimate(self, now: float) -> int:
        """The server's tick now, to the nearest."""
        passed = max(0, round(now * 1e6) - self._time)
        return max(0, self._tick + (passed * self._rate + 500_000) // 1_000_000)

    def precise(self, now: float) -> float:
        """The server's tick now with its fraction, for drawing."""
        return self._tick + max(0.0, now * 1e6 - self._time) * self._rate / 1e6

    def force(self, tick: int, now: float) -> None:
        """Set the clock: the server is at ``tick`` now."""
        self._tick, self._time, self._known = tick, round(now * 1e6), True

    def observe(self, tick: int, now: float) -> None:
        """Move one tick towards the server's tick that a packet reports. The first report sets the clock."""
        if not self._known:
            self.force(tick, now)
            return
        guess = self.estimate(now)
        self.force(guess + max(-1, min(1, tick - guess)), now)


# A client's commands that, as far as it knows, the server has not run yet.

CAPACITY = 256


class PendingCommands:
    """Commands by seq, oldest first. 256 of them mean that nothing of ours reaches the server any more."""

    __slots__ = ("_commands",)

    def __init__(self) -> None:
        self._commands: deque[Command] = deque()

    def __len__(self) -> int:
        return len(self._commands)

    def __iter__(self) -> Iterator[Command]:
        return iter(self._commands)

    @property
    def is_full(self) -> bool:
        return len(self._commands) >= CAPACITY

    def add(self, command: Command) -> None:
        self._commands.append(command)

    def clear(self) -> None:
        self._commands.clear()

    def drop_through(self, seq: int) -> None:
        """Drop the commands up to this seq: the server has run them."""
        commands = self._commands
        while commands and commands[0].seq <= seq:
            commands.popleft()

    def drop_stale(self, tick: int) -> int:
        """Drop the commands up to this tick: the server will never run them. Returns how many."""
        commands = self._commands
        kept = [command for command in commands if command.tick > tick]
        dropped = len(commands) - len(kept)
        if dropped:
            self._commands = deque(kept)
        return dropped

    def newest(self, count: int) -> list[Command]:
        """The last ``count`` commands, newest first: the order of a bundle."""
        commands = self._commands
        return [commands[-1 - index] for index in range(min(count, len(commands)))]


# Reconciliation: restore the server's state, and resimulate the commands that it has not run yet.
#
# The steps are numbered as in docs/formats/netrunner-ticks.md. The whole state is restored, locomotion included. So the
# resimulation is exact: the motor then takes the same branches as the server's did.

# retick: floats -- distances for metrics and smoothing; states come from the motor alone


DEAD_ZONE: Final = 0.003
"""In metres: smaller corrections count as nothing."""
EVENT: Final = 0.0005
"""The size, in metres after the dead zone, above which a correction is counted."""


class Replayed(NamedTuple):
    """The result of a reconcile."""

    restored: State
    """The state as the snapshot had it."""
    after: State
    """The state after resimulating the pending commands."""
    ack: int
    """The seq of the newest command that counts as run."""
    replayed: int
    """How many commands were resimulated."""
    stale: int
    """How many commands were dropped because the server had passed their tick."""


def replay(
    profile: GameProfile,
    authoritative: BodyState,
    pending: PendingCommands,
    *,
    tick: int,
    last_ack: int,
    last_seq: int,
    forget: bool = False,
    skip_stale: bool = True,
) -> Replayed:
    """Steps 3 to 8: restore, acknowledge, resimulate. Drops commands that the server has run from ``pending``."""
    restored = state = profile.forget(authoritative.state) if forget else authoritative.state
    ack = min(max(last_ack, authoritative.ack), last_seq)
    pending.drop_through(ack)
    stale = pending.drop_stale(tick) if skip_stale else 0
    step = profile.motor.step
    for command in pending:
        state = step(state, command)
    return Replayed(restored, state, ack, len(pending), stale)


class Reconciliation(NamedTuple):
    """How far a reconcile moved the player."""

    dx: float
    dy: float
    dz: float
    """The position before minus after, in metres: smoothing adds it so that nothing jumps."""
    raw_xz: float
    """The horizontal part, in metres, before the dead zone."""
    xz: float
    """The horizontal part, in metres, after the dead zone."""
    y: float
    """The vertical part, in metres, after the dead zone."""
    total: float
    """The whole length, in metres, after the dead zone."""

    @property
    def counts(self) -> bool:
        """Whether the correction is counted."""
        return self.total > EVENT


def correction_between(before: State, after: State) -> Reconciliation:
    """Steps 10 and 11: the distance, with and without the dead zone."""
    (x0, y0, z0), (x1, y1, z1) = before.position, after.position
    dx, dy, dz = x0 - x1, y0 - y1, z0 - z1
    raw_xz = hypot(dx, dz)
    xz = raw_xz if raw_xz >= DEAD_ZONE else 0.0
    y = abs(dy) if abs(dy) >= DEAD_ZONE else 0.0
    return Reconciliation(dx, dy, dz, raw_xz, xz, y, hypot(xz, y))


# Lets corrections fade out in the picture, instead of jumping. Only for drawing: no simulation ever sees an offset.

# retick: floats -- offsets of what is drawn, in metres


LONGEST_OFFSET: Final = 2.0
"""The longest offset in metres."""
FASTEST: Final = 100.0
"""The fastest that an offset moves, in metres per second."""
SHORTEST_TIME: Final = 0.01
"""The shortest fading time in seconds."""
VERTICAL_SNAP: Final = 0.5
"""The height, in metres up or down, from which a correction is shown at once."""
VIEW_MS: Final = 40
"""The most milliseconds over which a vertical correction fades."""
NOTHING: Final = 1e-6
"""The squared length below which an offset is zero."""
ZERO: Final[Vector] = (0.0, 0.0, 0.0)


def _limited(vector: Vector, longest: float) -> Vector:
    x, y, z = vector
    square = x * x + y * y + z * z
    if square <= longest * longest:
        return vector
    scale = longest / sqrt(square)
    return x * scale, y * scale, z * scale


def _dot(first: Vector, second: Vector) -> float:
    return first[0] * second[0] + first[1] * second[1] + first[2] * second[2]


class FadingOffset:
    """A vector that goes to zero like a critically damped spring."""

    __slots__ = ("offset", "time", "velocity")

    def __init__(self) -> None:
        self.offset: Vector = ZERO
        self.velocity: Vector = ZERO
        self.time = SHORTEST_TIME

    def clear(self) -> None:
        self.offset = self.velocity = ZERO

    def push(self, x: float, y: float, z: float, seconds: float) -> None:
        """Add a correction that fades in about ``seconds``."""
        mine = self.offset
        self.offset = _limited((mine[0] + x, mine[1] + y, mine[2] + z), LONGEST_OFFSET)
        self.time = max(SHORTEST_TIME, seconds)

    def advance(self, dt: float) -> Vector:
        """The offset one drawn frame later."""
        start = self.offset
        if _dot(start, start) < NOTHING and _dot(self.velocity, self.velocity) < NOTHING:
            self.clear()
            return ZERO
        dt = max(0.0001, dt)
        omega = 2.0 / self.time
        k = omega * dt
        decay = 1.0 / (1.0 + k + 0.48 * k * k + 0.235 * k * k * k)
        limited = _limited(start, FASTEST * self.time)
        moved = [(v + omega * c) * dt for v, c in zip(self.velocity, limited, strict=True)]
        vx, vy, vz = ((v - omega * m) * decay for v, m in zip(self.velocity, moved, strict=True))
        x, y, z = (s - c + (c + m) * decay for s, c, m in zip(start, limited, moved, strict=True))
        self.offset, self.velocity = (x, y, z), (vx, vy, vz)
        if _dot(start, self.offset) < 0.0:
            self.clear()
        return self.offset


class ViewSmoothing:
    """The two offsets of a client's own player: horizontal for the body, vertical for the eye."""

    __slots__ = ("_body_seconds", "_eye_seconds", "_snap", "body", "eye")

    def __init__(self, smooth_ms: int, snap_threshold: float) -> None:
        self.body = FadingOffset()
        self.eye = FadingOffset()
        self._body_seconds = smooth_ms / 1000
        self._eye_seconds = min(VIEW_MS, smooth_ms) / 1000
        self._snap = snap_threshold

    def clear(self) -> None:
        self.body.clear()
        self.eye.clear()

    def correct(self, by: Reconciliation, *, at_once: bool = False) -> bool:
        """Apply step 12 of reconciling, with the correction before the dead zone; returns whether to show it at once.

        ``at_once`` marks a teleport, however short.
        """
        snapped = at_once or by.raw_xz > self._snap
        if snapped:
            self.clear()
        elif by.dx or by.dz:
            self.body.push(by.dx, 0.0, by.dz, self._body_seconds)
        if snapped or abs(by.dy) > VERTICAL_SNAP:
            self.eye.clear()
        elif by.dy:
            self.eye.push(0.0, by.dy, 0.0, self._eye_seconds)
        return snapped

    def advance(self, dt: float) -> Vector:
        """The offset to add to the player's position in this drawn frame, ``dt`` seconds after the last."""
        (x, _, z), (_, y, _) = self.body.advance(dt), self.eye.advance(dt)
        return x, y, z


# retick: floats -- seconds and milliseconds of the network; states come from the motor alone


JOIN_GRACE: Final = 2.0
"""Seconds after the welcome in which drift causes no resync, and the input delay does not fall."""
STALL: Final = 0.2
"""Seconds between two client ticks after which the client has lost its place in time."""
MOST_BUNDLES: Final = 65
"""The most bundles in one client tick."""
DRIFT: Final = 4
"""How many ticks the clock may be wrong before it is corrected."""
HARD_DRIFT: Final = 8
"""How many ticks the clock may be wrong before it counts towards a resync."""
BREACHES: Final = 3
"""How many client ticks in a row with drift cause a resync."""
FRESH: Final = 0.25
"""The age in seconds above which a known server tick causes no resync."""
RESYNC_INTERVAL: Final = 0.5
"""Seconds between two resyncs for drift."""
DELAY_INTERVAL: Final = 0.25
"""Seconds between two changes of the applied delay."""
GRACE_DELAY_INTERVAL: Final = 0.5
"""Seconds between two changes of the applied delay during the time of grace."""
SPARE_LEAD: Final = 3
"""The ticks ahead of the horizon up to which every client tick makes a command."""
LONGEST_LEAD: Final = 8
"""The ticks ahead of the horizon above which no command is made: the game's loop may run at twice the rate."""
SHED_INTERVAL: Final = 0.25
"""Seconds between two commands left out."""


class OwnPrediction:
    """The prediction from a welcome on: the clock, the pending commands, the predicted state and its corrections."""

    def __init__(
        self,
        profile: GameProfile,
        config: ClientConfig,
        stats: ClientStats,
        *,
        welcome: ProfileWelcome,
        state: State,
        now: float,
    ) -> None:
        self.profile = profile
        self.config = config
        self.stats = stats
        self.peer_id = welcome.peer_id
        self.state = state
        """The predicted player, ahead of the server."""
        self.pending = PendingCommands()
        self.round_trip = PingRoundTrip()
        self.smoothing = ViewSmoothing(profile.config.reconcile_smooth_ms, profile.config.reconcile_snap_threshold)
        self.last_seq = 0
        self.last_ack = 0
        self.epoch = 1
        self.clock = TickClock(profile.config.server_tick_rate)
        self.clock.force(welcome.server_tick, now)
        self.delay = max(0, min(MAX_DELAY_TICKS, welcome.input_delay_ticks))
        """The input delay in ticks that is applied now."""
        self.target_delay = self._welcome_delay = self.delay
        self.next_tick = welcome.server_tick + 1
        """The server tick of the next command."""
        self._builder = profile.builder()
        self._rate = profile.config.server_tick_rate
        self._grace_until = now + JOIN_GRACE
        self._delay_at = now + GRACE_DELAY_INTERVAL
        self._ticked_at: float | None = None
        self._server_tick: tuple[int, float] | None = None
        self._breaches = 0
        self._resynced_at = now
        self._shed_at = now

    # Time.

    def half_trip_ticks(self) -> int:
        """Half of the round trip in ticks; 0 if that correction is switched off."""
        if not self.config.one_way_compensation:
            return 0
        return round(self.round_trip.rtt_ms / 2 * self._rate / 1000)

    def observe(self, tick: int, now: float) -> None:
        """Note the server's tick from a snapshot or pong, which was sent half a round trip ago."""
        shifted = tick + self.half_trip_ticks()
        self.clock.observe(shifted, now)
        self._server_tick = (shifted, now)

    def resync(self, tick: int, now: float) -> None:
        """Set the clock to a tick of the server and drop the pending commands."""
        self.clock.force(tick, now)
        self.pending.clear()
        self.next_tick = tick + 1
        self.last_ack = self.last_seq
        self.smoothing.clear()
        self._server_tick = (tick, now)
        self._breaches = 0
        self._resynced_at = now
        self.stats.resyncs += 1

    def lose_place(self, now: float, *, rebase: bool = True) -> None:
        """Raise the epoch: after a stall, or when the window lost focus (``rebase=False``)."""
        self.epoch = self.epoch % 0xFFFFFFFF + 1
        self.pending.clear()
        self.last_ack = self.last_seq
        self._builder.clear()
        self.smoothing.clear()
        self.stats.epochs += 1
        if rebase:
            self.next_tick = self.clock.estimate(now) + 1

    def _guard_drift(self, estimate: int, now: float) -> int:
        """Compare the clock with the last known server tick plus the time since; returns the corrected estimate."""
        if self._server_tick is None:
            return estimate
        known, known_at = self._server_tick
        expected = known + int((now - known_at) * self._rate + 0.5)
        error = abs(estimate - expected)
        if error <= DRIFT:
            self._breaches = 0
            return estimate
        self.clock.observe(expected, now)
        if now >= self._grace_until:
            self._breaches += 1
            due = self._breaches >= BREACHES and error >= HARD_DRIFT and now >= self._resynced_at + RESYNC_INTERVAL
            if due and now - known_at <= FRESH:
                self.resync(expected, now)
        return self.clock.estimate(now)

    def _apply_delay(self, now: float) -> None:
        in_grace = now < self._grace_until
        target = max(self.target_delay, self._welcome_delay) if in_grace else self.target_delay
        target = max(0, min(MAX_DELAY_TICKS, target))
        if now >= self._delay_at and target != self.delay:
            self.delay += 1 if target > self.delay else -1
            self._delay_at = now + (GRACE_DELAY_INTERVAL if in_grace else DELAY_INTERVAL)

    # Commands.

    def tick(self, intent: Intent, now: float) -> list[bytes]:
        """Run one client tick: make commands up to the horizon and predict each; returns the bundles to send."""
        if self._ticked_at is not None and now - self._ticked_at > STALL:
            self.lose_place(now)
        self._ticked_at = now
        estimate = self._guard_drift(self.clock.estimate(now), now)
        self._apply_delay(now)
        horizon = estimate + self.delay + SAFETY_TICKS
        if horizon < self.next_tick:
            if self._sheds(self.next_tick - horizon, now):
                return []
            horizon = self.next_tick
        self.next_tick = max(self.next_tick, estimate + 1)
        self._builder.sample(intent, self.state)
        bundles: list[bytes] = []
        while self.next_tick <= horizon and len(bundles) < MOST_BUNDLES:
            bundle = self._command(intent, now)
            if bundle is None:
                break
            bundles.append(bundle)
        return bundles

    def _sheds(self, ahead: int, now: float) -> bool:
        """Whether to skip a command: with a fast clock, or after a link improves, commands run too far ahead."""
        if not self.config.shed_lead or ahead <= SPARE_LEAD or (now < self._shed_at and ahead <= LONGEST_LEAD):
            return False
        self._shed_at = now + SHED_INTERVAL
        self.stats.shed += 1
        return True

    def _command(self, intent: Intent, now: float) -> bytes | None:
        """Make one command, predict it, and return its bundle; None if a resync came instead."""
        command = self._builder.build(intent, seq=self.last_seq + 1, tick=self.next_tick, epoch=self.epoch)
        self.last_seq += 1
        self.pending.add(command)
        self.stats.commands += 1
        if self.pending.is_full:
            self.resync(self.clock.estimate(now), now)
            return None
        before = self.state
        self.state = self.profile.motor.step(before, command)
        if is_teleport(before, self.state, 1.0 / self._rate):
            # The rest of a correction belongs to the place that the player has left.
            self.smoothing.clear()
        self.next_tick += 1
        return self.profile.encode_inputs(self.pending.newest(self.profile.max_commands))

    # Snapshots.

    def reconcile(self, authoritative: BodyState, tick: int) -> Reconciled:
        """Correct the prediction by our own player in a snapshot; docs/formats/netrunner-ticks.md numbers the steps."""
        before = self.state
        outcome = replay(
            self.profile,
            authoritative,
            self.pending,
            tick=tick,
            last_ack=self.last_ack,
            last_seq=self.last_seq,
            forget=self.config.reset_on_reconcile,
            skip_stale=self.config.skip_stale_commands,
        )
        self.last_ack, self.state = outcome.ack, outcome.after
        correction = correction_between(before, outcome.after)
        stats = self.stats
        stats.snaps += self.smoothing.correct(correction, at_once=is_declared_teleport(before, outcome.after))
        stats.reconciles += 1
        stats.replayed += outcome.replayed
        stats.stale_commands += outcome.stale
        stats.corrections += correction.counts
        stats.largest_correction = max(stats.largest_correction, correction.total)
        return Reconciled(
            tick,
            authoritative.ack,
            correction.total,
            correction.xz,
            correction.y,
            correction.raw_xz,
            outcome.replayed,
            before,
            outcome.restored,
            outcome.after,
            authoritative.stats,
        )
