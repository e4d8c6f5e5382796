"""One player at the server: the body, the commands that wait for their tick, and which of them each tick runs on."""

# retick: floats -- estimates of the network, reported to the client; the body is the motor's

from typing import Any, Final

from retick.authority.clock import DEFAULT_RTT_MS, PING_INTERVAL, DelayControl, Pings, RoundTrip, wanted_delay
from retick.authority.server.command_buffer import CommandBuffer
from retick.authority.shapes import Command, Profile
from retick.authority.stats import InputStats, PlayerView

__all__ = ["Player"]

JOIN_GRACE: Final = 2.0
MAX_FUTURE_TICKS: Final = 64
HOLD_TICKS: Final = 2
HINT_AFTER: Final = 120
HINT_INTERVAL: Final = 0.5
BUNDLE_BURST: Final = 130
"""Two resyncs' worth of bundles may come at once."""
CONTROL_BURST: Final = 60
CONTROLS_PER_TICK: Final = 0.5


def is_newer(epoch: int, than: int) -> bool:
    """Serial comparison of 32-bit epochs."""
    return 0 < (epoch - than) & 0xFFFFFFFF < 0x80000000


class Player:
    """Everything that a room keeps for one seat."""

    def __init__(self, profile: Profile, peer_id: int, token: bytes, now: float) -> None:
        self.profile = profile
        self.peer_id = peer_id
        self.token = token
        self.connection: Any = None
        """The link's, or None while the player is away."""
        self.left_at: float | None = None
        self.state = profile.motor.spawn(peer_id)
        self.sender: Any = None
        """What makes this player's delta snapshots; None when it gets fixed ones."""
        self._rate: int = profile.config.server_tick_rate
        self._counts = [0] * 7
        self.begin(now)

    def begin(self, now: float) -> None:
        """A welcome is due: the client's commands count from 1 again. The body stays as it is."""
        self.buffer = CommandBuffer()
        self.epoch = 1
        self.ack = 0
        self.missing = 0
        self.forced_neutral = 0
        self.last = self.profile.idle(self.state)
        self.round_trip = RoundTrip(DEFAULT_RTT_MS)
        self.delay = DelayControl(self.profile.config.input_delay_ticks, now, JOIN_GRACE)
        self._bundle_credit = float(BUNDLE_BURST)
        self._control_credit = float(CONTROL_BURST)
        self.pings = Pings(now + PING_INTERVAL)
        self._hinted_at = now

    # Credit: a client that sends too much is not read, which costs the others nothing.

    def earn(self, bundles: float) -> None:
        """Credit for another tick."""
        self._bundle_credit = min(BUNDLE_BURST, self._bundle_credit + bundles)
        self._control_credit = min(CONTROL_BURST, self._control_credit + CONTROLS_PER_TICK)

    def grant_bundle(self) -> bool:
        if self._bundle_credit < 1.0:
            return False
        self._bundle_credit -= 1.0
        return True

    def grant_control(self) -> bool:
        if self._control_credit < 1.0:
            return False
        self._control_credit -= 1.0
        return True

    # Commands.

    def offer(self, command: Command, tick: int) -> str | None:
        """Take a command at server tick ``tick``; the reason when it is not one that counts against the delay."""
        counts = self._counts
        if command.epoch == self.epoch and command.tick > 0:
            if command.tick < tick:
                counts[0] += 1
                return None
            if command.tick <= tick + MAX_FUTURE_TICKS and self.buffer.has(command.tick, command.seq):
                return None
        clean = self.profile.sanitise(command)
        if clean is None:
            return "bad_command"
        if clean.epoch != self.epoch:
            if not is_newer(clean.epoch, self.epoch):
                return "old_epoch"
            self._adopt_epoch(clean.epoch)
        if clean.tick > tick + MAX_FUTURE_TICKS:
            counts[1] += 1
        elif clean.tick < tick:
            counts[0] += 1
        else:
            self.buffer.store(clean)
        return None

    def _adopt_epoch(self, epoch: int) -> None:
        """The client lost its place in time: what it sent before means nothing now."""
        self.buffer.clear()
        self.epoch = epoch
        self.missing = 0
        self.forced_neutral = 1
        self.last = self.profile.neutral(self.last)

    def choose(self, tick: int) -> Command:
        """The command that this tick runs on, with all that follows from the choice."""
        self.buffer.prune(tick)
        counts = self._counts
        if self.forced_neutral > 0:
            self.forced_neutral -= 1
            self.last = self.profile.neutral(self.last)
            self.missing = HOLD_TICKS + 1
            counts[4] += 1
        else:
            # What is in the buffer was sanitised on its way in, and a second pass would not change a bit.
            command = self.buffer.take(tick)
            if command is not None:
                self.last = command
                self.ack = command.seq
                self.missing = 0
                counts[2] += 1
                counts[5] = 0
                return command
            self.missing += 1
            if self.missing <= HOLD_TICKS:
                counts[3] += 1
                self._count_missing()
                return self.profile.hold(self.last)
            self.last = self.profile.neutral(self.last)
            counts[4] += 1
        self._count_missing()
        return self.last

    def _count_missing(self) -> None:
        counts = self._counts
        counts[5] += 1
        counts[6] = max(counts[6], counts[5])

    # The network.

    def delay_changed(self, now: float) -> bool:
        """Move the input delay towards what the network asks for."""
        if now < self.delay.next_at:
            return False
        wanted = wanted_delay(self.round_trip.rtt_ms, self.round_trip.jitter_ms, self._rate)
        return self.delay.update(wanted, now)

    def take_pong(self, seq: int, now: float, link_ms: float) -> None:
        sample_ms = self.pings.answered(seq, now)
        if sample_ms is not None:
            self.round_trip.add(sample_ms, link_ms)

    def hint_due(self, now: float) -> bool:
        """Whether so many ticks went without a command that the client should start afresh."""
        if self._counts[5] <= HINT_AFTER or now < self._hinted_at + HINT_INTERVAL:
            return False
        self._hinted_at = now
        return True

    # What a snapshot says of this player.

    @property
    def stats(self) -> InputStats:
        counts = self._counts
        trip = self.round_trip
        return InputStats._make((*counts, self.delay.ticks, trip.rtt_ms, trip.jitter_ms))

    def view(self) -> PlayerView:
        return PlayerView(self.peer_id, self.ack, self.state, self.stats)
