"""One player at the server: the state, the commands that wait for their tick, and the choice of one for each tick."""

# retick: floats -- estimates of the network, reported to the client; the state is the motor's

from collections.abc import Hashable
from typing import Final

from retick.authority.config import ServerConfig
from retick.authority.delta import DeltaSender
from retick.authority.profile import Command, Profile, State
from retick.authority.server.command_buffer import CommandBuffer
from retick.authority.server.credit import Credit
from retick.authority.server.game_messages import GameMessages
from retick.authority.server.gate import NOBODY
from retick.authority.server.input_delay import DEFAULT_RTT_MS, InputDelay, wanted_delay
from retick.authority.timing import PING_INTERVAL, Pings, RoundTrip
from retick.link import Connection
from retick.wire.authority import InputStats, PlayerView

__all__ = ["Player"]

JOIN_GRACE: Final = 2.0
"""Seconds after the welcome in which the input delay does not fall."""
MAX_FUTURE_TICKS: Final = 64
"""A command further ahead of the server's tick is dropped."""
HOLD_TICKS: Final = 2
"""Missing ticks in a row that run on the last command, repeated."""
HINT_AFTER: Final = 120
"""Missing ticks in a row after which the client is told to resync."""
HINT_INTERVAL: Final = 0.5
"""Seconds between two such hints."""
BUNDLE_BURST: Final = 130
"""Bundles that may come at once: two resyncs of 65."""
CONTROL_BURST: Final = 60
CONTROLS_PER_TICK: Final = 0.5


def is_newer(epoch: int, than: int) -> bool:
    """Whether one 32-bit epoch comes after another, around the wrap."""
    return 0 < (epoch - than) & 0xFFFFFFFF < 0x80000000


class Player:
    """Everything that a room keeps for one seat."""

    __slots__ = (
        "_bundle_credit",
        "_bundles_per_tick",
        "_control_credit",
        "_dropped_future",
        "_dropped_old",
        "_hinted_at",
        "_missing_streak",
        "_missing_streak_max",
        "_rate",
        "_ticks_buffered",
        "_ticks_held",
        "_ticks_neutral",
        "ack",
        "address",
        "admitted",
        "buffer",
        "connection",
        "delay",
        "epoch",
        "forced_neutral",
        "last",
        "lost_at",
        "messages",
        "missing",
        "peer_id",
        "pings",
        "profile",
        "round_trip",
        "sender",
        "shot_wait",
        "state",
        "token",
    )

    def __init__(
        self, profile: Profile, peer_id: int, token: bytes, now: float, *, config: ServerConfig | None = None
    ) -> None:
        config = config or ServerConfig()
        self.messages = GameMessages(config.message_queue)
        self._bundles_per_tick = config.bundles_per_tick
        self.profile = profile
        self.peer_id = peer_id
        self.token = token
        self.connection: Connection | None = None
        """None while the player's connection is lost."""
        self.admitted = NOBODY
        """What is known of who plays: the player id and the data of the join token, and the fingerprint of the key."""
        self.address: Hashable = None
        """Where the player's client was when its connection was lost."""
        self.lost_at: float | None = None
        """When the connection was lost, in seconds; None while there is one."""
        self.state = profile.motor.spawn(peer_id)
        self.sender: DeltaSender | None = None
        """Makes this player's delta snapshots; None for one that gets fixed snapshots."""
        self.shot_wait = 0
        """For the server's limit of shots."""
        self._rate = profile.config.server_tick_rate
        # As in InputStats, where each is described.
        self._dropped_old = 0
        self._dropped_future = 0
        self._ticks_buffered = 0
        self._ticks_held = 0
        self._ticks_neutral = 0
        self._missing_streak = 0
        self._missing_streak_max = 0
        self.begin(now)

    def begin(self, now: float) -> None:
        """Start from a welcome: the client's commands count from 1 again. The state stays as it is."""
        self.buffer = CommandBuffer()
        self.epoch = 1
        self.ack = 0
        self.missing = 0
        self.forced_neutral = 0
        self.last = self.profile.idle(self.state)
        self.round_trip = RoundTrip(DEFAULT_RTT_MS)
        self.delay = InputDelay(self.profile.config.input_delay_ticks, now, JOIN_GRACE)
        self._bundle_credit = Credit(BUNDLE_BURST, self._bundles_per_tick)
        self._control_credit = Credit(CONTROL_BURST, CONTROLS_PER_TICK)
        self.pings = Pings(now + PING_INTERVAL)
        self._hinted_at = now

    def earn(self) -> None:
        """Credit for another tick."""
        self._bundle_credit.earn()
        self._control_credit.earn()

    def grant_bundle(self) -> bool:
        """Whether there is credit for an input bundle; if so, it is spent."""
        return self._bundle_credit.grant()

    def grant_control(self) -> bool:
        """Whether there is credit for a control message; if so, it is spent."""
        return self._control_credit.grant()

    # Commands.

    def offer(self, command: Command, tick: int) -> str | None:
        """Receive a command at server tick ``tick``. Returns the reason if it is refused.

        One that is too early or too late is no offence: it is dropped and counted in the player's own statistics.
        """
        if command.epoch == self.epoch and command.tick > 0:
            if command.tick < tick:
                self._dropped_old += 1
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
            self._dropped_future += 1
        elif clean.tick < tick:
            self._dropped_old += 1
        else:
            self.buffer.store(clean)
        return None

    def _adopt_epoch(self, epoch: int) -> None:
        """The client lost its place in time: the commands that it sent before no longer count."""
        self.buffer.clear()
        self.epoch = epoch
        self.missing = 0
        self.forced_neutral = 1
        self.last = self.profile.neutral(self.last)

    def choose(self, tick: int) -> Command:
        """The command for this tick; docs/authority.md has the rules."""
        self.buffer.prune(tick)
        if self.forced_neutral > 0:
            self.forced_neutral -= 1
            self.last = self.profile.neutral(self.last)
            self.missing = HOLD_TICKS + 1
            self._ticks_neutral += 1
        else:
            # Commands in the buffer are sanitised already, and sanitising again would change no bit.
            command = self.buffer.command_for(tick)
            if command is not None:
                self.last = command
                self.ack = command.seq
                self.missing = 0
                self._ticks_buffered += 1
                self._missing_streak = 0
                return command
            self.missing += 1
            if self.missing <= HOLD_TICKS:
                self._ticks_held += 1
                self._count_missing()
                return self.profile.hold(self.last)
            self.last = self.profile.neutral(self.last)
            self._ticks_neutral += 1
        self._count_missing()
        return self.last

    def _count_missing(self) -> None:
        self._missing_streak += 1
        self._missing_streak_max = max(self._missing_streak_max, self._missing_streak)

    # The network.

    def delay_changed(self, now: float) -> bool:
        """Move the input delay towards the one that round trip and jitter call for; True when it changed."""
        if now < self.delay.next_at:
            return False
        wanted = wanted_delay(self.round_trip.rtt_ms, self.round_trip.jitter_ms, self._rate)
        return self.delay.update(wanted, now)

    def receive_pong(self, seq: int, now: float, link_ms: float) -> None:
        """Measure the round trip; ``link_ms`` is the link's own estimate."""
        sample_ms = self.pings.answered(seq, now)
        if sample_ms is not None:
            self.round_trip.add(sample_ms, link_ms)

    def hint_due(self, now: float) -> bool:
        """Whether so many ticks in a row had no command that the client should be told to resync."""
        if self._missing_streak <= HINT_AFTER or now < self._hinted_at + HINT_INTERVAL:
            return False
        self._hinted_at = now
        return True

    # What a snapshot says of this player.

    @property
    def stats(self) -> InputStats:
        trip = self.round_trip
        return InputStats(
            self._dropped_old,
            self._dropped_future,
            self._ticks_buffered,
            self._ticks_held,
            self._ticks_neutral,
            self._missing_streak,
            self._missing_streak_max,
            self.delay.ticks,
            trip.rtt_ms,
            trip.jitter_ms,
        )

    def view(self) -> PlayerView[State]:
        return PlayerView(self.peer_id, self.ack, self.state, self.stats)
