"""A running match, without any connection: the engine, its pace, and an exchange with each other machine.

Sessions differ in how machines find and trust each other; what happens between frame 0 and the last is here. Time
is an argument everywhere.
"""

from collections import Counter
from typing import Any

from retick.errors import UsageError
from retick.rollback.config import MatchConfig
from retick.rollback.engine import RollbackEngine
from retick.rollback.events import DesyncDetected, MatchEvent, Resumed, Stalled
from retick.rollback.exchange import Exchange
from retick.rollback.stats import PeerStats, SessionStats
from retick.rollback.timesync import Pace
from retick.sim.contract import Input

__all__ = ["Match"]

NEVER = float("inf")
UNLIMITED = 1 << 32
CATCH_UP_FROM = 10
"""Frames of known inputs ahead of us from which on we run without waiting for the clock, until none is left."""


class Match:
    """One side of a match between this machine and others."""

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
        )
        if start_frame == 0 and joins_at == 0:
            self.engine.fill_delay()
        self.exchanges: dict[Any, Exchange] = {}
        self.pace = Pace(
            tick_rate=config.tick_rate,
            most_slowing=config.most_slowing,
            longest_catch_up=config.longest_catch_up,
        )
        self._single = len(local_players) == 1
        self.alarm: DesyncDetected | None = None
        """The first desync of this match."""
        self._events: list[MatchEvent] = []
        self._depths: Counter[int] = Counter()
        self._rollbacks = self._resimulated = 0
        self._stalls = 0
        self._stalled_since: float | None = None
        self._stalled_seconds = 0.0
        interval = config.checksum_interval
        self._next_checksum: float = (start_frame // interval + 1) * interval if interval else NEVER
        self.number = number
        self.joins_at = joins_at
        """The first frame with our own input; None as long as that is not agreed."""
        self.barrier: int | None = None
        """A frame that must not be run before others have agreed to something."""
        self._next_recorded = start_frame
        self._catching_up = joins_at is None
        self._unsent = False
        self._resend_at = 0.0

    def add_peer(
        self,
        key: Any,
        players: tuple[int, ...],
        *,
        extensions: int = 0,
        compare_checksums: bool = True,
        first_frame: int = 0,
    ) -> Exchange:
        """Another machine takes part, playing ``players``; it needs our inputs from ``first_frame`` on."""
        if key in self.exchanges:
            raise UsageError(f"{key!r} takes part already")
        exchange = Exchange(
            key,
            players,
            self.engine,
            self.config,
            extensions=extensions,
            compare_checksums=compare_checksums,
            first_frame=first_frame,
            base=self.number << 24,
        )
        if self.joins_at is None:
            exchange.acks_below = UNLIMITED
        self.exchanges[key] = exchange
        return exchange

    def remove_peer(self, key: Any) -> None:
        """Nothing more is taken from, or sent to, a machine."""
        self.exchanges.pop(key, None)

    def due(self, now: float) -> bool:
        """Whether the next frame is to be run now; notes a stall when it is time and inputs are missing."""
        engine = self.engine
        behind = engine.remote_confirmed - engine.frame
        if behind > UNLIMITED // 2:
            # Nobody else plays: there is nobody to catch up with.
            behind = 0
        self._catching_up = behind > (0 if self._catching_up else CATCH_UP_FROM)
        due_at = self.pace.next_frame_at
        if due_at is not None and now < due_at and not self._catching_up:
            return False
        if self._may_advance(behind):
            if self._stalled_since is not None:
                self._resume(now)
            return True
        if self._stalled_since is None:
            self._stall(now)
        return False

    def _may_advance(self, behind: int) -> bool:
        if self.barrier is not None and self.engine.frame >= self.barrier:
            return False
        if self.joins_at is None or self.engine.frame < self.joins_at:
            # Not playing yet: run only what is known for sure, as fast as it comes.
            return behind >= 0
        return self.engine.can_advance()

    def advance(self, pressed: Input | tuple[Input, ...], now: float) -> None:
        """Run the next frame. PredictionLimit when the window is full: ask ``due`` first."""
        if self.joins_at is None or self.engine.local_frontier < self.joins_at:
            pressed = (0,) * len(self.engine.local_players)
            self.engine.advance(pressed)
        else:
            self.engine.advance((pressed,) if self._single else pressed)
        if self._catching_up:
            self.pace.start_over(now)
        most = 0.0
        for exchange in self.exchanges.values():
            ahead = exchange.lead.ahead
            if ahead > most:
                most = ahead
        self.pace.frame_run(now, most)
        if self.engine.rollbacks != self._rollbacks:
            self._count_depth()
        if self.engine.final_state_frame >= self._next_checksum:
            self._write_checksums()
        self._unsent = True

    def take(self, key: Any, data: bytes, now: float) -> bool:
        """Take in a packet from another machine; False if it was dropped."""
        exchange = self.exchanges.get(key)
        if exchange is None:
            return False
        taken = exchange.take(data, now, self.pace.phase(now))
        if exchange.events:
            self._collect(exchange)
        return taken

    def packets(self, now: float) -> list[tuple[Any, bytes]]:
        """What to send now: after each frame, and now and then while waiting."""
        if not self._unsent and (self._stalled_since is None or now < self._resend_at):
            return []
        self._unsent = False
        self._resend_at = now + self.config.resend_interval
        made = []
        for key, exchange in self.exchanges.items():
            data = exchange.packet(now)
            if data is not None:
                made.append((key, data))
        return made

    def next_timeout(self) -> float | None:
        """When waiting packets are due again; frames are asked for with ``due``."""
        return None if self._stalled_since is None else self._resend_at

    def events(self) -> list[MatchEvent]:
        happened, self._events = self._events, []
        return happened

    def take_final_inputs(self) -> list[tuple[Input, ...]]:
        """The inputs of the frames that have become final since this was last asked, in order, for a recording."""
        final = self.engine.final_state_frame
        rows = [self.engine.inputs_at(frame) for frame in range(self._next_recorded, final)]
        self._next_recorded = final
        return rows

    def stats(self, now: float) -> SessionStats:
        """Everything that can be counted, at this moment; connections add what they measure."""
        engine = self.engine.stats
        waiting = now - self._stalled_since if self._stalled_since is not None else 0.0
        return SessionStats(
            frame=self.engine.frame,
            confirmed_frame=self.engine.confirmed_frame,
            rollbacks=engine.rollbacks,
            resimulated_frames=engine.resimulated_frames,
            deepest_rollback=engine.deepest_rollback,
            rollback_depths=dict(sorted(self._depths.items())),
            stalls=self._stalls,
            stalled_seconds=self._stalled_seconds + waiting,
            slowing=self.pace.slowing,
            compared_frames=sum(peer.book.compared for peer in self.exchanges.values() if peer.book is not None),
            peers={key: self.peer_stats(exchange, now) for key, exchange in self.exchanges.items()},
        )

    def peer_stats(self, exchange: Exchange, now: float) -> PeerStats:
        packets, octets = exchange.sent.rates(now)
        return PeerStats(
            rtt=None,
            jitter=None,
            loss_in=0.0,
            loss_out=0.0,
            packets_in=exchange.received.packets,
            packets_out=exchange.sent.packets,
            bytes_in=exchange.received.bytes,
            bytes_out=exchange.sent.bytes,
            packets_per_second_out=packets,
            bytes_per_second_out=octets,
            lead=exchange.lead.ours or 0.0,
            their_lead=exchange.lead.theirs or 0.0,
            unacknowledged=self.engine.local_frontier - 1 - exchange.acknowledged,
            dropped=dict(exchange.dropped),
        )

    def _collect(self, exchange: Exchange) -> None:
        for event in exchange.events:
            if isinstance(event, DesyncDetected) and self.alarm is None:
                self.alarm = event
        self._events += exchange.events
        exchange.events.clear()

    def _stall(self, now: float) -> None:
        self._stalled_since = now
        self._stalls += 1
        self._resend_at = now
        frontier = self.engine.frame - self.config.prediction_window
        missing = (player for peer in self.exchanges.values() for player in peer.players)
        late = tuple(sorted(player for player in missing if self.engine.first_missing(player) <= frontier))
        self._events.append(Stalled(frame=self.engine.frame, waiting_for=late))

    def _resume(self, now: float) -> None:
        seconds = now - (self._stalled_since or now)
        self._stalled_since = None
        self._stalled_seconds += seconds
        self.pace.start_over(now)
        self._events.append(Resumed(frame=self.engine.frame, seconds=seconds))

    def _count_depth(self) -> None:
        engine = self.engine
        rollbacks, frames = engine.rollbacks - self._rollbacks, engine.resimulated - self._resimulated
        self._depths[frames // rollbacks] += rollbacks
        self._rollbacks, self._resimulated = engine.rollbacks, engine.resimulated

    def _write_checksums(self) -> None:
        """Note the checksum of each due frame whose state has become final."""
        final = self.engine.final_state_frame
        while self._next_checksum <= final:
            frame = int(self._next_checksum)
            checksum = self.engine.checksum_at(frame)
            for exchange in self.exchanges.values():
                exchange.write_checksum(frame, checksum)
                self._collect(exchange)
            self._next_checksum += self.config.checksum_interval
