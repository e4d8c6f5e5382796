"""One player on the server: the state, the commands that wait for their tick, and the choice of one per tick."""

from collections.abc import Hashable
from typing import Final

from retick.host.gate import NOBODY, Credit
from retick.host.messages import GameMessages
from retick.host.stats import InputStats
from retick.host.timing import MAX_DELAY_TICKS, PING_INTERVAL, SAFETY_MS, PingRoundTrip, Pings, ms_to_ticks
from retick.link import Connection
from retick.netrunner.config import ServerConfig
from retick.netrunner.delta import ProfileDeltaSender
from retick.netrunner.messages import PlayerView
from retick.netrunner.profile import Command, GameProfile, State

# The commands that wait on the server for their tick, in a ring of 512 slots.

CAPACITY: Final = 512


class CommandBuffer:
    """At most one command per tick, found by its tick without a search."""

    __slots__ = ("_pruned", "_slots", "waiting")

    def __init__(self) -> None:
        self._slots: list[Command | None] = [None] * CAPACITY
        self._pruned = 0
        self.waiting = 0
        """How many commands are held."""

    def clear(self) -> None:
        self._slots = [None] * CAPACITY
        self.waiting = 0

    def has(self, tick: int, seq: int) -> bool:
        """Whether exactly this command is held: true of most in a bundle, which repeats older ones."""
        held = self._slots[tick % CAPACITY]
        return held is not None and held.tick == tick and held.seq == seq

    def store(self, command: Command) -> bool:
        """Keep a command, unless its slot holds a later tick, or the same tick with a higher seq."""
        index = command.tick % CAPACITY
        held = self._slots[index]
        if held is None:
            self.waiting += 1
        elif held.tick > command.tick or (held.tick == command.tick and held.seq > command.seq):
            return False
        self._slots[index] = command
        return True

    def prune(self, tick: int) -> None:
        """Drop commands for ticks before this one."""
        slots = self._slots
        for passed in range(max(self._pruned, tick - CAPACITY), tick):
            held = slots[passed % CAPACITY]
            if held is not None and held.tick < tick:
                slots[passed % CAPACITY] = None
                self.waiting -= 1
        self._pruned = max(self._pruned, tick)

    def command_for(self, tick: int) -> Command | None:
        """The command for a tick. It stays until it is pruned, since another copy of it may still arrive."""
        held = self._slots[tick % CAPACITY]
        return held if held is not None and held.tick == tick else None


# How far ahead of the server's tick a player's client should stamp its commands.

# retick: floats -- milliseconds and seconds of the network; no simulation reads them


DEFAULT_RTT_MS: Final = 100.0
"""The round trip assumed before the first pong."""
MIN_DELAY_TICKS: Final = 2
DELAY_INTERVAL: Final = 0.25
"""Seconds between two changes."""


def wanted_delay(rtt_ms: float, jitter_ms: float, rate: int) -> int:
    """The input delay in ticks that this round trip and jitter call for."""
    rtt = rtt_ms if rtt_ms > 0.01 else DEFAULT_RTT_MS
    return max(MIN_DELAY_TICKS, min(MAX_DELAY_TICKS, ms_to_ticks(rtt / 2 + SAFETY_MS + jitter_ms, rate)))


class InputDelay:
    """One player's input delay: moves one tick towards the wanted one, four times a second at most."""

    __slots__ = ("_grace_until", "next_at", "ticks")

    def __init__(self, ticks: int, now: float, grace: float) -> None:
        """``grace``: seconds from now in which the delay does not fall: a new player has few measurements."""
        self.ticks = max(MIN_DELAY_TICKS, min(MAX_DELAY_TICKS, ticks))
        self.next_at = now + DELAY_INTERVAL
        """When the delay may change again, in seconds."""
        self._grace_until = now + grace

    def update(self, wanted: int, now: float) -> bool:
        """Move towards ``wanted`` if it is time; returns whether the delay changed."""
        if now < self.next_at or wanted == self.ticks:
            return False
        if wanted < self.ticks and now < self._grace_until:
            return False
        self.next_at = now + DELAY_INTERVAL
        self.ticks += 1 if wanted > self.ticks else -1
        return True


# retick: floats -- estimates of the network, reported to the client; the state is the motor's


JOIN_GRACE: Final = 2.0
"""Seconds after the welcome in which the input delay does not fall."""
MAX_FUTURE_TICKS: Final = 64
"""Commands more ticks ahead of the server than this are dropped."""
HOLD_TICKS: Final = 2
"""How many missing ticks in a row run on the last command, repeated."""
HINT_AFTER: Final = 120
"""After how many missing ticks in a row the client is told to resync."""
HINT_INTERVAL: Final = 0.5
"""Seconds between two hints to resync."""
BUNDLE_BURST: Final = 130
"""How many bundles may come at once: two resyncs of 65."""
CONTROL_BURST: Final = 60
CONTROLS_PER_TICK: Final = 0.5


def is_newer(epoch: int, than: int) -> bool:
    """Whether one 32-bit epoch comes after another, across the wrap."""
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
        self, profile: GameProfile, peer_id: int, token: bytes, now: float, *, config: ServerConfig | None = None
    ) -> None:
        config = config or ServerConfig()
        self.messages = GameMessages(config.message_queue)
        self._bundles_per_tick = config.bundles_per_tick
        self.profile = profile
        self.peer_id = peer_id
        self.token = token
        self.connection: Connection | None = None
        """The player's connection; None while it is lost."""
        self.admitted = NOBODY
        """What is known about the player: id and data of the join token, and the fingerprint of the key."""
        self.address: Hashable = None
        """The address of the player's client when its connection was lost."""
        self.lost_at: float | None = None
        """When the connection was lost, in seconds; None while there is one."""
        self.state = profile.motor.spawn(peer_id)
        self.sender: ProfileDeltaSender | None = None
        """Makes this player's delta snapshots; None if it gets fixed snapshots."""
        self.shot_wait = 0
        """The ``wait`` of the server's limit of shots."""
        self._rate = profile.config.server_tick_rate
        # InputStats describes each of these.
        self._dropped_old = 0
        self._dropped_future = 0
        self._ticks_buffered = 0
        self._ticks_held = 0
        self._ticks_neutral = 0
        self._missing_streak = 0
        self._missing_streak_max = 0
        self.begin(now)

    def begin(self, now: float) -> None:
        """Start from a welcome: the client's commands count from 1 again. The state is kept."""
        self.buffer = CommandBuffer()
        self.epoch = 1
        self.ack = 0
        self.missing = 0
        self.forced_neutral = 0
        self.last = self.profile.idle(self.state)
        self.round_trip = PingRoundTrip(DEFAULT_RTT_MS)
        self.delay = InputDelay(self.profile.config.input_delay_ticks, now, JOIN_GRACE)
        self._bundle_credit = Credit(BUNDLE_BURST, self._bundles_per_tick)
        self._control_credit = Credit(CONTROL_BURST, CONTROLS_PER_TICK)
        self.pings = Pings(now + PING_INTERVAL)
        self._hinted_at = now

    def earn(self) -> None:
        """Add the credit of one tick."""
        self._bundle_credit.earn()
        self._control_credit.earn()

    def grant_bundle(self) -> bool:
        """Whether there is credit for an input bundle; if so, spend it."""
        return self._bundle_credit.grant()

    def grant_control(self) -> bool:
        """Whether there is credit for a control message; if so, spend it."""
        return self._control_credit.grant()

    # Commands.

    def offer(self, command: Command, tick: int) -> str | None:
        """Receive a command at server tick ``tick``. Returns the reason if it is refused.

        A command that is too early or too late is no offence: it is dropped and counted in the player's statistics.
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
        """Adopt a client's new epoch: it lost its place in time, so commands that it sent before do not count."""
        self.buffer.clear()
        self.epoch = epoch
        self.missing = 0
        self.forced_neutral = 1
        self.last = self.profile.neutral(self.last)

    def choose(self, tick: int) -> Command:
        """The command for this tick; docs/formats/netrunner-ticks.md has the rules."""
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
        """Move the input delay towards what round trip and jitter call for; returns whether it changed."""
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
        """Whether so many ticks in a row lacked a command that the client should be told to resync."""
        if self._missing_streak <= HINT_AFTER or now < self._hinted_at + HINT_INTERVAL:
            return False
        self._hinted_at = now
        return True

    # What a snapshot reports about this player.

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
