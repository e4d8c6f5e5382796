"""A running match, without any connection: the engine, its pace, and an exchange with each other machine.

Sessions differ in how machines find and trust each other; what happens between frame 0 and the last is here. Time
is an argument everywhere.
"""

from collections import Counter
from typing import Any

from retick.errors import UsageError
from retick.rollback.config import MatchConfig
from retick.rollback.engine import EngineStats, RollbackEngine
from retick.rollback.events import MatchEvent, Resumed, Stalled
from retick.rollback.exchange import Exchange
from retick.rollback.stats import PeerStats, SessionStats
from retick.rollback.timesync import Pace
from retick.sim.contract import Input

__all__ = ["Match"]


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
    ) -> None:
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
        self.exchanges: dict[Any, Exchange] = {}
        self.pace = Pace(
            tick_rate=config.tick_rate,
            most_slowing=config.most_slowing,
            longest_catch_up=config.longest_catch_up,
        )
        self._single = len(local_players) == 1
        self._events: list[MatchEvent] = []
        self._depths: Counter[int] = Counter()
        self._engine_stats = EngineStats(0, 0, 0)
        self._stalls = 0
        self._stalled_since: float | None = None
        self._stalled_seconds = 0.0
        self._next_checksum = start_frame + config.checksum_interval
        self._next_recorded = start_frame
        self._unsent = False
        self._resend_at = 0.0

    def add_peer(
        self, key: Any, players: tuple[int, ...], *, extensions: int = 0, compare_checksums: bool = True
    ) -> Exchange:
        """Another machine takes part, playing ``players``."""
        if key in self.exchanges:
            raise UsageError(f"{key!r} takes part already")
        exchange = Exchange(
            key,
            players,
            self.engine,
            self.config,
            extensions=extensions,
            compare_checksums=compare_checksums,
        )
        self.exchanges[key] = exchange
        return exchange

    def due(self, now: float) -> bool:
        """Whether the next frame is to be run now; notes a stall when it is time and inputs are missing."""
        if not self.pace.is_due(now):
            return False
        if self.engine.can_advance():
            if self._stalled_since is not None:
                self._resume(now)
            return True
        if self._stalled_since is None:
            self._stall(now)
        return False

    def advance(self, pressed: Input | tuple[Input, ...], now: float) -> None:
        """Run the next frame. PredictionLimit when the window is full: ask ``due`` first."""
        self.engine.advance((pressed,) if self._single else pressed)
        self.pace.frame_run(now, max((peer.lead.ahead for peer in self.exchanges.values()), default=0.0))
        self._count_depth()
        self._write_checksums()
        self._unsent = True

    def take(self, key: Any, data: bytes, now: float) -> bool:
        """Take in a packet from another machine; False if it was dropped."""
        exchange = self.exchanges[key]
        taken = exchange.take(data, now, self.pace.phase(now))
        if exchange.events:
            self._events += exchange.events
            exchange.events.clear()
        return taken

    def packets(self, now: float) -> list[tuple[Any, bytes]]:
        """What to send now: after each frame, and now and then while waiting."""
        waiting = self._stalled_since is not None and now >= self._resend_at
        if not self._unsent and not waiting:
            return []
        self._unsent = False
        self._resend_at = now + self.config.resend_interval
        made = ((key, exchange.packet(now)) for key, exchange in self.exchanges.items())
        return [(key, data) for key, data in made if data is not None]

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
        now, before = self.engine.stats, self._engine_stats
        if now.rollbacks != before.rollbacks:
            self._depths[
                (now.resimulated_frames - before.resimulated_frames) // (now.rollbacks - before.rollbacks)
            ] += now.rollbacks - before.rollbacks
            self._engine_stats = now

    def _write_checksums(self) -> None:
        """Note the checksum of each due frame whose state has become final."""
        interval = self.config.checksum_interval
        if not interval:
            return
        final = self.engine.final_state_frame
        while self._next_checksum <= final:
            checksum = self.engine.checksum_at(self._next_checksum)
            for exchange in self.exchanges.values():
                exchange.write_checksum(self._next_checksum, checksum)
                self._events += exchange.events
                exchange.events.clear()
            self._next_checksum += interval
