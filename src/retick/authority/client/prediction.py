"""The client's own player: commands are stamped ahead of the server, run at once, and resimulated after a snapshot."""

# retick: floats -- seconds and milliseconds of the network; states come from the motor alone

from typing import Final

from retick.authority.client.clock import TickClock
from retick.authority.client.pending import PendingCommands
from retick.authority.client.reconcile import correction_between, replay
from retick.authority.client.smoothing import ViewSmoothing
from retick.authority.client.teleports import is_declared_teleport, is_teleport
from retick.authority.config import ClientConfig
from retick.authority.events import Reconciled
from retick.authority.profile import Intent, PlayerState, Profile, State, Welcome
from retick.authority.stats import ClientStats
from retick.authority.timing import MAX_DELAY_TICKS, SAFETY_TICKS, RoundTrip

__all__ = ["Prediction"]

JOIN_GRACE: Final = 2.0
"""Seconds after the welcome in which drift is no reason for a resync, and the input delay does not fall."""
STALL: Final = 0.2
"""Seconds between two client ticks after which the client has lost its place in time."""
MOST_BUNDLES: Final = 65
"""Bundles in one client tick, at most."""
DRIFT: Final = 4
"""Ticks that the clock may be wrong before it is corrected."""
HARD_DRIFT: Final = 8
"""Ticks that the clock may be wrong before it counts towards a resync."""
BREACHES: Final = 3
"""Client ticks in a row with drift, after which the client resyncs."""
FRESH: Final = 0.25
"""Seconds: with an older server tick the client does not resync."""
RESYNC_INTERVAL: Final = 0.5
"""Seconds between two resyncs because of drift."""
DELAY_INTERVAL: Final = 0.25
"""Seconds between two changes of the applied delay."""
GRACE_DELAY_INTERVAL: Final = 0.5
"""The same in the time of grace."""
SPARE_LEAD: Final = 3
"""Ticks ahead of the horizon up to which every client tick makes a command."""
LONGEST_LEAD: Final = 8
"""Ticks ahead of the horizon above which no command is made: the game's loop may run at twice the session's rate."""
SHED_INTERVAL: Final = 0.25
"""Seconds between two commands left out."""


class Prediction:
    """From a welcome on: the clock, the pending commands, the predicted state and its corrections."""

    def __init__(
        self, profile: Profile, config: ClientConfig, stats: ClientStats, *, welcome: Welcome, state: State, now: float
    ) -> None:
        self.profile = profile
        self.config = config
        self.stats = stats
        self.peer_id = welcome.peer_id
        self.state = state
        """The player as predicted, ahead of the server."""
        self.pending = PendingCommands()
        self.round_trip = RoundTrip()
        self.smoothing = ViewSmoothing(profile.config.reconcile_smooth_ms, profile.config.reconcile_snap_threshold)
        self.last_seq = 0
        self.last_ack = 0
        self.epoch = 1
        self.clock = TickClock(profile.config.server_tick_rate)
        self.clock.force(welcome.server_tick, now)
        self.delay = max(0, min(MAX_DELAY_TICKS, welcome.input_delay_ticks))
        """Input delay in ticks, as applied now."""
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
        """Half of the round trip in ticks; 0 when that correction is switched off."""
        if not self.config.one_way_compensation:
            return 0
        return round(self.round_trip.rtt_ms / 2 * self._rate / 1000)

    def observe(self, tick: int, now: float) -> None:
        """A snapshot or pong arrived that says the server's tick: it was sent half a round trip ago."""
        shifted = tick + self.half_trip_ticks()
        self.clock.observe(shifted, now)
        self._server_tick = (shifted, now)

    def resync(self, tick: int, now: float) -> None:
        """Set the clock to a tick of the server and drop what is pending."""
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
        """Compare the clock with the last known server tick plus the time since. Returns the estimate, corrected."""
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
        """One client tick: make commands up to the horizon and predict each. Returns the bundles to send."""
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
        """Whether to leave out a command: a fast clock, or a link that got better, lets commands run too far ahead."""
        if not self.config.shed_lead or ahead <= SPARE_LEAD or (now < self._shed_at and ahead <= LONGEST_LEAD):
            return False
        self._shed_at = now + SHED_INTERVAL
        self.stats.shed += 1
        return True

    def _command(self, intent: Intent, now: float) -> bytes | None:
        """Make one command, predict it, and return its bundle; None when a resync came instead."""
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
            # What is left of a correction belongs to the place that the player has left.
            self.smoothing.clear()
        self.next_tick += 1
        return self.profile.encode_inputs(self.pending.newest(self.profile.max_commands))

    # Snapshots.

    def reconcile(self, authoritative: PlayerState, tick: int) -> Reconciled:
        """Correct the prediction by our own player in a snapshot; docs/authority.md numbers the steps."""
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
