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

MAX_COUNT = rbn1.MAX_COUNT
TIME_SYNC_EVERY = 4
"""Packets from one time sync block to the next, where the other side knows them."""
MATCH_BITS = 0xFF000000
"""The part of a frame number on the wire that counts rematches, so that a late packet of an old match is known."""
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
        first_frame: int = 0,
        base: int = 0,
    ) -> None:
        """``first_frame`` is the first of our inputs that the other side needs, ``base`` frame 0 on the wire."""
        self.key = key
        self.players = players
        """The seats played there, ascending."""
        self.lead = LeadEstimate()
        self.dropped: Counter[str] = Counter()
        self.sent = RateMeter()
        self.received = RateMeter()
        self.acknowledged = first_frame - 1
        """The newest frame of our inputs that the other side has, with all before it."""
        self.acks_below = 0
        """Acknowledgements below this frame are taken even if we have not come that far: of one who joins later."""
        self.their_frame = -1
        """The frame at which the other side was when it last said so; -1 before."""
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
        self._base = base
        self._start = engine.start_frame
        # Nearly every machine has one player, and what is done sixty times a second asks for it by these.
        self._only_local = self._locals[0] if len(self._locals) == 1 else None
        self._plain = self._size == 2 and self._only_local is not None
        self._only_player = players[0] if len(players) == 1 else None

    @property
    def next_expected(self) -> int:
        """The first frame whose inputs from there are not all known."""
        if self._only_player is not None:
            return self._engine.first_missing(self._only_player)
        return min([self._engine.first_missing(player) for player in self.players])

    def packet(self, now: float) -> bytes | None:
        """The packet to send now; None while there is no input to send."""
        engine = self._engine
        end = engine.local_frontier
        if end <= self._start:
            return None
        first = self.acknowledged + 1
        if first >= end:
            first = end - 1
        if first < self._start:
            first = self._start
        if end > first + MAX_COUNT:
            end = first + MAX_COUNT
        if self._only_local is not None:
            inputs = tuple(engine.inputs_of(self._only_local, first, end))
        else:
            columns = [engine.inputs_of(player, first, end) for player in self._locals]
            inputs = tuple([value for row in zip(*columns, strict=True) for value in row])
        checksum_frame = checksum = sync = None
        number = self.sent.packets
        base = self._base
        if number % CHECKSUM_EVERY == 0 and self._newest is not None:
            checksum_frame, checksum = self._newest[0] + base, self._newest[1]
        if number % TIME_SYNC_EVERY == 1 and self._extensions & rbn1.TIME_SYNC:
            sync = rbn1.TimeSync(engine.frame & 0xFFFF, _in_64ths(self.lead.ours or 0.0))
        player = self._only_player
        ack = (engine.first_missing(player) if player is not None else self.next_expected) - 1
        if ack < 0:
            ack = 0
        if self._plain and sync is None and checksum is None:
            data = rbn1.encode_plain(first + base, ack + base, inputs)
        else:
            packet = rbn1.InputPacket(
                first + base, ack + base, inputs, checksum_frame, checksum, sync, None, self._size, len(self._locals)
            )
            data = rbn1.encode(packet, self._extensions)
        self.sent.add(len(data), now)
        return data

    def take(self, data: bytes, now: float, phase: float) -> bool:
        """Take a packet in, or drop and count it; nothing of a bad packet is used. ``phase`` is Pace's."""
        self.received.packets += 1
        self.received.bytes += len(data)
        reason = self._refusal(data, phase)
        if reason is not None:
            self.dropped[reason] += 1
            return False
        return True

    def _refusal(self, data: bytes, phase: float) -> str | None:
        try:
            # Taken apart once: reading a field of the packet by its name costs as much as a comparison.
            start, ack, inputs, claimed, checksum, sync, _, size, seats = rbn1.decode(data, self._extensions)
        except DecodeError as error:
            return type(error).__name__
        if size != self._size or seats != len(self.players):
            return "WrongShape"
        base = self._base
        if start & MATCH_BITS != base or ack & MATCH_BITS != base:
            return "AnotherMatch"
        start -= base
        ack -= base
        engine = self._engine
        if ack >= engine.local_frontier and ack >= self.acks_below and ack > 0:
            return "AckFromTheFuture"
        try:
            if self._only_player is not None:
                engine.add_remote_inputs(self._only_player, start, inputs)
            else:
                self._take_rows(start, inputs)
        except InputConflict as conflict:
            self._report(conflict)
            return "InputConflict"
        except (ProtocolViolation, UsageError) as error:
            return type(error).__name__
        if ack > self.acknowledged and ack > 0:
            self.acknowledged = ack
        newest = start + len(inputs) // seats - 1
        self.lead.measure_ours(engine.frame + phase - newest)
        if sync is not None:
            self.lead.learn_theirs(sync.lead / 64)
            self.their_frame = newest + ((sync.frame - newest + 0x8000) & 0xFFFF) - 0x8000
        elif not self._extensions & rbn1.TIME_SYNC:
            # They sent this right after a frame, and had our newest input for half a frame on average.
            self.lead.measure_theirs(newest + 0.5 - engine.input_delay - ack)
        if claimed is not None and checksum is not None and self._compare:
            self._claim(claimed - base, checksum)
        return None

    def _take_rows(self, start: int, inputs: tuple[int, ...]) -> None:
        """The inputs of several players at one machine: all are taken, or none."""
        engine = self._engine
        columns = [inputs[seat :: len(self.players)] for seat in range(len(self.players))]
        for player, column in zip(self.players, columns, strict=True):
            engine.check_remote_inputs(player, start, column)
        for player, column in zip(self.players, columns, strict=True):
            engine.add_remote_inputs(player, start, column)

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
        if self.book is None or not 0 <= frame <= self.next_expected + MAX_COUNT:
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
