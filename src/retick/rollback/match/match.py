# cython: nonecheck=True
"""A running match, without any connection: the engine, its pace, and an exchange with each remote peer.

Sessions differ in how peers find and trust each other; what happens between frame 0 and the last is here. Time is an
argument everywhere.
"""

from collections import Counter
from typing import Any

from retick.errors import UsageError
from retick.rollback.events import DesyncDetected, MatchEvent, Resumed, Stalled
from retick.rollback.match.alarm import Alarm
from retick.rollback.match.config import MatchConfig
from retick.rollback.match.peer import MatchPeer
from retick.rollback.match.stats import SessionStats
from retick.rollback.match.waiting import waited_for
from retick.sim.contract import Frame, Input

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.rollback.engine.engine import RollbackEngine
    from cython.cimports.retick.rollback.match.exchange import Exchange
    from cython.cimports.retick.rollback.match.timesync import Pace
else:
    from retick.rollback.engine.engine import RollbackEngine
    from retick.rollback.match.exchange import Exchange
    from retick.rollback.match.timesync import Pace

__all__ = ["Match"]

NEVER = 1 << 62
"""A frame that does not come."""
UNLIMITED = 1 << 32
CATCH_UP_FROM = 10
"""When more frames of inputs than this are known ahead of us, we run them without waiting for the clock, as far as our
own schedule."""
LONG_STALL = 0.1
"""Seconds of a stall after which somebody may have to be blamed for it."""
SAMPLE_EVERY = 1.0
"""Seconds between two samples of the rates."""


@cython.cclass
class Match:
    """One peer's side of a match."""

    if not cython.compiled:
        sim: Any
        seed: int
        config: MatchConfig
        number: int
        engine: RollbackEngine
        exchanges: list[Exchange]
        compared_with_left: int
        pace: Pace
        alarm: Alarm
        happened: list[MatchEvent]
        follower: Any
        depths: Counter[int]
        rollbacks: int
        resimulated: int
        stalls: int
        is_stalled: bool
        is_stall_told: bool
        stalled_since: float
        stalled_seconds: float
        next_checksum: int
        first_own: int
        fence: int
        pause_fence: int
        is_single: bool
        is_catching_up: bool
        is_taken_in: bool
        is_unsent: bool
        wakes_parts: bool
        asks_at: int
        resend_at: float
        sent_at: float
        resend_interval: float
        sample_at: float

    @cython.annotation_typing(False)  # numbers are looked at as they were given, before they become C's
    def __init__(
        self,
        sim: Any,
        *,
        seed: int,
        local_players: tuple[int, ...],
        config: MatchConfig,
        state: Any = None,
        start_frame: int = 0,
        joins_at: int | None = 0,
        number: int = 0,
    ) -> None:
        """A match from its beginning; or, with ``state`` and ``start_frame``, one that others are playing already.

        Before frame ``joins_at`` the local players are simulated on neutral input. ``number`` counts rematches.
        """
        if not (isinstance(number, int) and 0 <= number <= 255):
            raise UsageError(f"the number of a match is 0 to 255, not {number!r}")
        self.sim = sim
        self.seed = seed
        self.config = config
        self.engine = RollbackEngine(
            sim,
            sim.initial_state(seed) if state is None else state,
            local_players=local_players,
            history=config.history,
            prediction_window=config.prediction_window,
            input_delay=config.input_delay,
            start_frame=start_frame,
            inputs_remembered=config.inputs_remembered,
        )
        if start_frame == 0 and joins_at == 0:
            self.engine.fill_delay()
        self.exchanges, self.compared_with_left = [], 0
        """One for each remote peer that takes part."""
        self.pace = Pace(
            tick_rate=config.tick_rate,
            most_slowing=config.most_slowing,
            longest_catch_up=config.longest_catch_up,
            most_owed=config.history / config.tick_rate,
        )
        self.is_single = len(local_players) == 1
        self.alarm = Alarm()
        """Whether peers may hold different states, and how far that is known."""
        self.happened = []
        self.follower = None
        """Its ``frame_run`` is called with the match after each frame: a recording."""
        self.depths = Counter()
        self.rollbacks = self.resimulated = self.stalls = 0
        self.is_stalled = self.is_stall_told = False
        self.stalled_since = self.stalled_seconds = 0.0
        interval = config.checksum_interval
        self.next_checksum = min((start_frame // interval + 1) * interval, NEVER) if interval else NEVER
        self.number = number
        self.joins_at = joins_at
        self.barrier = self.pause_at = None
        self.is_catching_up = joins_at is None
        self.is_taken_in = joins_at is not None
        """Whether all others are known to use our inputs; until then these are neutral, so that we may still leave
        without a trace."""
        self.is_unsent = self.wakes_parts = False
        self.asks_at = NEVER
        self.resend_at = 0.0
        self.resend_interval = config.resend_interval
        self.sample_at = self.sent_at = float("-inf")

    @property
    def joins_at(self) -> int | None:
        """The first frame with our own input; None as long as that is not agreed."""
        return None if self.first_own == NEVER else self.first_own

    @joins_at.setter
    def joins_at(self, frame: Frame | None) -> None:
        self.first_own = NEVER if frame is None else frame
        # Those who play already. One who comes in later needs our inputs from its state on, also the neutral ones.
        for exchange in self.exchanges:
            exchange.known_below = self.first_own

    @property
    def barrier(self) -> int | None:
        """A frame that must not be run before all peers have agreed to something."""
        return None if self.fence == NEVER else self.fence

    @barrier.setter
    def barrier(self, frame: Frame | None) -> None:
        self.fence = NEVER if frame is None else frame

    @property
    def pause_at(self) -> int | None:
        """A frame that must not be run while the peers have paused the match."""
        return None if self.pause_fence == NEVER else self.pause_fence

    @pause_at.setter
    def pause_at(self, frame: Frame | None) -> None:
        self.pause_fence = NEVER if frame is None else frame

    @cython.annotation_typing(False)
    def add_peer(
        self,
        peer: MatchPeer,
        *,
        extensions: int = 0,
        compare_checksums: bool = True,
        first_frame: int = 0,
        numbered: bool = True,
        reach: int | None = None,
    ) -> Exchange:
        """A remote peer takes part with its seats; it needs our inputs from ``first_frame`` on.

        ``reach`` is its window and delay: by how many frames its inputs may be ahead of ours; None if it did not say.
        ``numbered`` is False where frames on the wire have all their 32 bits, and no match number.
        """
        if any(other.peer.peer_id == peer.peer_id for other in self.exchanges):
            raise UsageError(f"peer {peer.peer_id!r} takes part already")
        exchange = Exchange(
            peer,
            self.engine,
            self.config,
            extensions=extensions,
            compare_checksums=compare_checksums,
            first_frame=first_frame,
            number=self.number if numbered else None,
            reach=reach,
        )
        if self.joins_at is None:
            exchange.known_below = NEVER
        self.exchanges.append(exchange)
        peer.exchange = exchange
        return exchange

    def remove_peer(self, peer: MatchPeer) -> None:
        """Nothing more is received from, or sent to, a peer."""
        self.compared_with_left += sum(each.compared for each in self.exchanges if each.peer is peer)
        self.exchanges = [exchange for exchange in self.exchanges if exchange.peer is not peer]
        peer.exchange = None

    def due(self, now: cython.double) -> cython.bint:
        """Whether the next frame is to be run now; notes a stall when it is time and inputs are missing."""
        behind: cython.longlong = self.engine.inputs.confirmed_by_others() - self.engine.current
        if behind > UNLIMITED // 2:
            # Nobody else plays: there is nobody to catch up with.
            behind = 0
        self.is_catching_up = behind > (0 if self.is_catching_up else CATCH_UP_FROM)
        if self.pace.is_early(now) and not (self.is_catching_up and self.may_run_early(now)):
            return False
        if self.may_advance(behind):
            if self.is_stalled:
                self._resume(now)
            return True
        if not self.is_stalled:
            self._stall(now)
        return False

    def may_run_early(self, now: cython.double) -> cython.bint:
        """Whether known inputs may be run without the clock: before we play, or as far as our own schedule."""
        return self.engine.current < self.first_own or self.pace.is_behind_schedule(now)

    def may_advance(self, behind: cython.longlong) -> cython.bint:
        if self.engine.current >= self.fence or self.engine.current >= self.pause_fence:
            return False
        if self.engine.current < self.first_own:
            # Not playing yet: run only what is known for sure, as fast as it comes.
            return behind >= 0
        return self.engine.can_advance()

    def advance(self, pressed: Input | tuple[Input, ...], now: cython.double) -> None:
        """Run the next frame. PredictionLimit when the window is full: ask ``due`` first."""
        engine = self.engine
        if engine.local.upto < self.first_own or not self.is_taken_in:
            engine.advance((0,) * len(engine.local_players))
        else:
            engine.advance((pressed,) if self.is_single else pressed)
        if self.is_catching_up:
            self.pace.start_over(now)
        most: cython.double = 0.0
        ahead: cython.double
        exchange: Exchange
        for exchange in self.exchanges:
            ahead = exchange.lead.by()
            if ahead > most:
                most = ahead
        self.pace.frame_run(now, most)
        if engine.current <= self.first_own:
            self.pace.owe_most(now)
        if engine.rollbacks != self.rollbacks:
            self.count_depth()
        engine.resimulate()
        if engine.final_frame() + 1 >= self.next_checksum:
            self.write_checksums()
        if engine.current >= self.asks_at:
            self.wakes_parts = True
        self.is_unsent = True
        if self.follower is not None:
            self.follower.frame_run(self)

    def receive(self, exchange: Exchange, data: Any, now: cython.double) -> cython.bint:
        """Receive a packet of a remote peer; False if it was dropped."""
        is_good: cython.bint = exchange.receive(data, self.pace.phase(now))
        if exchange.events:
            self._collect(exchange)
        return is_good

    def packets(self, now: cython.double) -> list[tuple[Any, bytes]]:
        """The packets to send now, each with its peer: after each frame, and now and then while waiting."""
        if not self.sends(now):
            return []
        made = [(exchange.peer, exchange.packet()) for exchange in self.exchanges]
        return [(peer, data) for peer, data in made if data is not None]

    def sends(self, now: cython.double) -> cython.bint:
        """Whether packets are to be made now: by ``packets``, or by the caller for each exchange."""
        if not self.is_unsent and (not self.is_stalled or now < self.resend_at):
            return False
        self.is_unsent = False
        self.sent_at = now
        self.resend_at = now + self.resend_interval
        if self.is_stalled and now - self.stalled_since > LONG_STALL:
            self.wakes_parts = True
        if now >= self.sample_at:
            self.sample(now)
        return True

    def next_timeout(self) -> float | None:
        """When waiting packets are due again; frames are asked for with ``due``."""
        return self.resend_at if self.is_stalled else None

    def events(self) -> list[MatchEvent]:
        if not self.happened:
            return []
        happened, self.happened = self.happened, []
        return happened

    def stats(self, now: float) -> SessionStats:
        """Everything that can be counted, at this moment."""
        engine = self.engine.stats
        waiting = now - self.stalled_since if self.is_stalled and self.is_stall_told else 0.0
        return SessionStats(
            frame=self.engine.frame,
            confirmed_frame=self.engine.confirmed_frame,
            rollbacks=engine.rollbacks,
            resimulated_frames=engine.resimulated_frames,
            deepest_rollback=engine.deepest_rollback,
            rollback_depths=dict(sorted(self.depths.items())),
            stalls=self.stalls,
            stalled_seconds=self.stalled_seconds + waiting,
            slowing=self.pace.slowing,
            compared_frames=self.compared_with_left + sum(each.compared for each in self.exchanges),
            peers={exchange.peer.peer_id: exchange.peer.stats(now) for exchange in self.exchanges},
        )

    def sample(self, now: cython.double) -> None:
        """Note totals, so that rates can be computed, and look for a peer that acknowledges nothing."""
        self.sample_at = now + SAMPLE_EVERY
        for exchange in self.exchanges:
            exchange.peer.sample(now)
            if exchange.unacknowledged > self.config.max_backlog:
                self.wakes_parts = True

    def _collect(self, exchange: Exchange) -> None:
        for event in exchange.events:
            if not isinstance(event, DesyncDetected) or self.alarm.detect(event):
                self.happened.append(event)
        exchange.events.clear()

    def _stall(self, now: float) -> None:
        self.is_stalled = True
        self.stalled_since = now
        self.stalls += 1
        self.resend_at = now
        # A newcomer whose first frame is not agreed has not been told of a match yet; of a pause the session tells.
        self.is_stall_told = self.first_own != NEVER and self.engine.frame < self.pause_fence
        if self.is_stall_told:
            self.happened.append(Stalled(frame=self.engine.frame, waiting_for=waited_for(self.engine, self.frontier)))

    def stand(self) -> None:
        """Run no more frames, but go on to send what others need of those that were run."""
        self.fence = self.engine.current
        self.is_stalled = True
        self.is_stall_told = False
        self.resend_at = self.stalled_since = self.sent_at

    @property
    def frontier(self) -> int:
        """The newest frame whose inputs must all be known before the next frame can run."""
        is_playing = self.engine.frame >= self.first_own
        frontier: int = self.engine.frame - (self.engine.window if is_playing else 0)
        return frontier

    def _resume(self, now: float) -> None:
        self.is_stalled, seconds = False, now - self.stalled_since
        self.pace.start_over(now)
        if self.is_stall_told:
            self.stalled_seconds += seconds
            self.happened.append(Resumed(frame=self.engine.frame, seconds=seconds))

    def count_depth(self) -> None:
        engine = self.engine
        rollbacks, frames = engine.rollbacks - self.rollbacks, engine.resimulated - self.resimulated
        self.depths[frames // rollbacks] += rollbacks
        self.rollbacks, self.resimulated = engine.rollbacks, engine.resimulated

    def write_checksums(self) -> None:
        """Note the checksum of each due frame whose state has become final."""
        final: cython.longlong = self.engine.final_frame() + 1
        exchange: Exchange
        while self.next_checksum <= final:
            checksum = self.engine.checksum_at(self.next_checksum)
            for exchange in self.exchanges:
                exchange.write_checksum(self.next_checksum, checksum)
                if exchange.events:
                    self._collect(exchange)
            self.next_checksum += self.config.checksum_interval
