"""One other machine in a match: what of our inputs it has, and what of its own it sent. Speaks RBN1.

Every packet carries the oldest inputs that the other side has not acknowledged, up to 32 frames, so that any one
packet that gets through moves the match on. An acknowledgement of 0 means "frame 0" as well as "nothing yet":
frame 0 is therefore sent until a greater one comes back.
"""

from collections import Counter
from typing import Any

from retick.errors import DecodeError, InputConflict, ProtocolViolation, UsageError
from retick.rollback.config import MatchConfig
from retick.rollback.desync import ChecksumBook
from retick.rollback.engine import RollbackEngine
from retick.rollback.events import DesyncDetected, InputConflictDetected, MatchEvent
from retick.rollback.stats import RateMeter
from retick.rollback.timesync import LeadEstimate
from retick.sim.contract import input_size_of
from retick.wire import rbn1

__all__ = ["Exchange"]

TIME_SYNC_EVERY = 4
"""Packets from one time sync block to the next, where the other side knows them."""
CHECKSUM_EVERY = 4
"""Packets from one checksum block to the next: a lost one comes again soon."""


class Exchange:
    """Inputs, acknowledgements, leads and checksums between the local engine and one other machine."""

    def __init__(
        self,
        key: Any,
        players: tuple[int, ...],
        engine: RollbackEngine,
        config: MatchConfig,
        *,
        extensions: int = 0,
        compare_checksums: bool = True,
    ) -> None:
        self.key = key
        self.players = players
        """The seats played there, ascending."""
        self.lead = LeadEstimate()
        self.dropped: Counter[str] = Counter()
        self.sent = RateMeter()
        self.received = RateMeter()
        self.acknowledged = -1
        """The newest frame of our inputs that the other side has, with all before it."""
        self.events: list[MatchEvent] = []
        self.book = ChecksumBook(config.checksum_interval) if config.checksum_interval else None
        self.desynced = False
        self._engine = engine
        self._locals = engine.local_players
        self._extensions = extensions
        self._compare = compare_checksums
        self._size = input_size_of(engine.sim)
        self._newest: tuple[int, int] | None = None
        self._conflicts: set[int] = set()

    @property
    def next_expected(self) -> int:
        """The first frame whose inputs from there are not all known."""
        return min(self._engine.first_missing(player) for player in self.players)

    def packet(self, now: float) -> bytes | None:
        """The packet to send now; None while there is no input to send."""
        engine = self._engine
        end = engine.local_frontier
        first = min(self.acknowledged + 1, end - 1)
        if first < 0:
            return None
        end = min(end, first + rbn1.MAX_COUNT)
        if len(self._locals) == 1:
            inputs = tuple(engine.inputs_of(self._locals[0], first, end))
        else:
            columns = [engine.inputs_of(player, first, end) for player in self._locals]
            inputs = tuple(value for row in zip(*columns, strict=True) for value in row)
        checksum_frame = checksum = sync = None
        number = self.sent.packets
        if self._newest is not None and number % CHECKSUM_EVERY == 0:
            checksum_frame, checksum = self._newest
        if self._extensions & rbn1.TIME_SYNC and number % TIME_SYNC_EVERY == 1:
            sync = rbn1.TimeSync(engine.frame & 0xFFFF, _in_64ths(self.lead.ours or 0.0))
        ack = max(self.next_expected - 1, 0)
        data = rbn1.encode(
            rbn1.InputPacket(first, ack, inputs, checksum_frame, checksum, sync, None, self._size, len(self._locals)),
            self._extensions,
        )
        self.sent.add(len(data), now)
        return data

    def take(self, data: bytes, now: float, phase: float) -> bool:
        """Take a packet in, or drop and count it; nothing of a bad packet is used. ``phase`` is Pace's."""
        self.received.add(len(data), now)
        reason = self._refusal(data, phase)
        if reason is not None:
            self.dropped[reason] += 1
        return reason is None

    def _refusal(self, data: bytes, phase: float) -> str | None:
        try:
            packet = rbn1.decode(data, self._extensions)
        except DecodeError as error:
            return type(error).__name__
        if packet.input_size != self._size or packet.seats != len(self.players):
            return "WrongShape"
        if packet.ack_frame >= max(self._engine.local_frontier, 1):
            return "AckFromTheFuture"
        try:
            self._take_inputs(packet)
        except InputConflict as conflict:
            self._report(conflict)
            return "InputConflict"
        except (ProtocolViolation, UsageError) as error:
            return type(error).__name__
        if packet.ack_frame > self.acknowledged and packet.ack_frame > 0:
            self.acknowledged = packet.ack_frame
        self._measure(packet, phase)
        if packet.checksum_frame is not None and packet.checksum is not None and self._compare:
            self._claim(packet.checksum_frame, packet.checksum)
        return None

    def _take_inputs(self, packet: rbn1.InputPacket) -> None:
        engine, start, inputs = self._engine, packet.start_frame, packet.inputs
        if len(self.players) == 1:
            engine.add_remote_inputs(self.players[0], start, inputs)
            return
        columns = [inputs[seat :: len(self.players)] for seat in range(len(self.players))]
        for player, column in zip(self.players, columns, strict=True):
            engine.check_remote_inputs(player, start, column)
        for player, column in zip(self.players, columns, strict=True):
            engine.add_remote_inputs(player, start, column)

    def _measure(self, packet: rbn1.InputPacket, phase: float) -> None:
        """Both leads: ours by looking at our own frame, theirs as they say, or as their acknowledgement shows."""
        newest = packet.start_frame + len(packet.inputs) // packet.seats - 1
        self.lead.measure_ours(self._engine.frame + phase - newest)
        if packet.time_sync is not None:
            self.lead.learn_theirs(packet.time_sync.lead / 64)
        elif not self._extensions & rbn1.TIME_SYNC:
            # They sent this right after a frame, and had our newest input for half a frame on average.
            self.lead.measure_theirs(newest + 0.5 - self._engine.input_delay - packet.ack_frame)

    def _report(self, conflict: InputConflict) -> None:
        """Tell the application once for each player: a flood of lies makes no flood of events."""
        if conflict.player not in self._conflicts:
            self._conflicts.add(conflict.player)
            self.events.append(
                InputConflictDetected(
                    peer=self.key,
                    player=conflict.player,
                    frame=conflict.frame,
                    confirmed=conflict.confirmed,
                    received=conflict.received,
                )
            )

    def write_checksum(self, frame: int, checksum: int) -> None:
        """Note the checksum of a final state of ours: it will be sent, and compared with theirs."""
        self._newest = (frame, checksum)
        if self.book is not None:
            self._alarm(self.book.write(frame, checksum))

    def _claim(self, frame: int, checksum: int) -> None:
        if self.book is None or frame > self.next_expected + rbn1.MAX_COUNT:
            self.dropped["ChecksumOfNoFrame"] += 1
            return
        self._alarm(self.book.claim(frame, checksum))

    def _alarm(self, difference: tuple[int, int, int] | None) -> None:
        if difference is None or self.desynced or self.book is None:
            return
        self.desynced = True
        frame, ours, theirs = difference
        self.events.append(
            DesyncDetected(peer=self.key, frame=frame, ours=ours, theirs=theirs, last_agreed=self.book.last_agreed)
        )


def _in_64ths(frames: float) -> int:
    return min(max(round(frames * 64), -32768), 32767)
