# cython: nonecheck=True
"""The exchange of inputs with one remote peer: what it has of ours, and what it sent of its own. Speaks RBN1.

Every packet carries the oldest inputs that the other side has not acknowledged, up to 32 frames, so that any one
packet that gets through moves the match on. An acknowledgement of 0 means "frame 0" as well as "nothing yet":
frame 0 is therefore sent until a greater one comes back.
"""

from collections import Counter
from operator import index
from typing import Any

from retick.errors import DecodeError, EncodeError, InputConflict, ProtocolViolation, UsageError
from retick.rollback.events import DesyncDetected, InputConflictDetected, MatchEvent
from retick.rollback.match.config import MatchConfig
from retick.rollback.match.peer import MatchPeer
from retick.sim.contract import input_size_of
from retick.wire import rbn1

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.libc.math import rint
    from cython.cimports.retick.rollback.engine.arrivals import check_run
    from cython.cimports.retick.rollback.engine.engine import RollbackEngine
    from cython.cimports.retick.rollback.engine.inputs import UNSEEN
    from cython.cimports.retick.rollback.match.checksums import ChecksumBook
    from cython.cimports.retick.rollback.match.timesync import LeadEstimate
    from cython.cimports.retick.wire.rbn1_run import InputRun
else:
    from retick.rollback.engine.arrivals import check_run
    from retick.rollback.engine.engine import RollbackEngine
    from retick.rollback.engine.inputs import UNSEEN
    from retick.rollback.match.checksums import ChecksumBook
    from retick.rollback.match.timesync import LeadEstimate
    from retick.wire.rbn1_run import InputRun

__all__ = ["Exchange"]

TIME_SYNC_EVERY = 4
"""Packets from one time sync block to the next, where the other side knows them."""
FRAME_BITS = 0xFFFFFF
"""The bits of a number on the wire that are the frame; the rest counts rematches: so an old packet is recognised."""
ALL_BITS = 0xFFFFFFFF
UNLIMITED = 1 << 32
"""More frames than there are."""
CHECKSUM_EVERY = 4
"""Packets from one checksum block to the next: a lost one comes again soon."""


@cython.cclass
class Exchange:
    """Inputs, acknowledgements, leads and checksums between the local engine and one remote peer."""

    if not cython.compiled:
        peer: MatchPeer
        players: tuple[int, ...]
        lead: LeadEstimate
        dropped: Counter[str]
        packets_out: int
        bytes_out: int
        packets_in: int
        bytes_in: int
        acknowledged: int
        known_below: int
        their_frame: int
        newest: int
        is_passed_on: bool
        events: list[MatchEvent]
        book: ChecksumBook | None
        engine: RollbackEngine
        run: InputRun
        compares: bool
        knows_sync: bool
        size: int
        seats: int
        local_seats: int
        only_player: int
        only_local: int
        newest_frame: int
        newest_checksum: int
        conflicts: set[int]
        base: int
        mask: int
        start: int
        reach: int
        most_frames: int

    @cython.annotation_typing(False)  # numbers are looked at as they were given, before they become C's
    def __init__(
        self,
        peer: MatchPeer,
        engine: RollbackEngine,
        config: MatchConfig,
        *,
        extensions: int = 0,
        compare_checksums: bool = True,
        first_frame: int = 0,
        number: int | None = 0,
        reach: int | None = None,
    ) -> None:
        """``first_frame`` is the first of our inputs that the other side needs.

        ``reach`` is its window and delay: by how many frames its inputs may be ahead of ours; None if it did not say.
        ``number`` is that of the match, modulo 256; None where all 32 bits on the wire are the frame's.
        """
        self.engine = engine
        players = tuple(peer.players)
        for player in players:
            self.engine.check_seat(player)
        if number is not None and not (isinstance(number, int) and 0 <= number <= 255):
            raise UsageError(f"the number of a match is 0 to 255, not {number!r}")
        self.peer = peer
        """The remote peer."""
        self.players = players
        """The seats played there in this match, ascending."""
        self.lead = LeadEstimate()
        self.dropped = Counter()
        self.packets_out = self.bytes_out = self.packets_in = self.bytes_in = 0
        self.acknowledged = first_frame - 1
        """The newest frame of our inputs that the other side has, with all before it."""
        self.known_below = 0
        """The other side waits for none of our inputs below this frame: those of a newcomer that does not play yet."""
        self.reach = UNLIMITED if reach is None else reach
        self.newest = -1
        """The newest frame for which they have sent us an input."""
        self.is_passed_on = False
        """Whether others have passed on inputs of theirs. These were perhaps never made: only what their own sender has
        shown us is acknowledged to it."""
        self.their_frame = -1
        """The frame at which the other side was when it last said so; -1 before."""
        self.events = []
        self.book = ChecksumBook(min(config.checksum_interval, UNLIMITED)) if config.checksum_interval else None
        self.run = InputRun(extensions & rbn1.ALL_EXTENSIONS)
        self.knows_sync = extensions & rbn1.TIME_SYNC != 0
        self.compares = compare_checksums
        self.size = input_size_of(engine.sim)
        self.newest_frame = -1
        self.newest_checksum = 0
        self.conflicts = set()
        self.base = 0 if number is None else number << 24
        self.mask = ALL_BITS if number is None else FRAME_BITS
        self.start = engine.start_frame
        # Nearly every peer has one player: these are its seat and ours, for the code of every frame; -1 for more.
        self.seats, self.local_seats = len(players), len(engine.local_players)
        self.only_player = players[0] if self.seats == 1 else -1
        self.only_local = engine.local_players[0] if self.local_seats == 1 else -1
        self.most_frames = min(rbn1.MAX_COUNT, rbn1.MAX_INPUT_BYTES // max(self.size * self.local_seats, 1))

    @property
    def next_expected(self) -> int:
        """The first frame whose inputs from there are not all known."""
        return self.expected()

    def expected(self) -> cython.longlong:
        """``next_expected``, for the kernels."""
        if self.only_player >= 0:
            return self.engine.missing_from(self.only_player)
        return min([self.engine.missing_from(player) for player in self.players])

    @property
    def unacknowledged(self) -> int:
        """Frames of our inputs that the other side has not acknowledged."""
        return max(self.engine.local_frontier - 1 - max(self.acknowledged, self.known_below - 1), 0)

    def packet(self) -> bytes | None:
        """The packet to send now; None while there is no input to send."""
        end: cython.longlong = self.engine.local.upto
        if end <= self.start:
            return None
        first: cython.longlong = self.acknowledged + 1
        if first < self.known_below:
            first = self.known_below
        if first >= end:
            first = end - 1
        # Not before the start; and what was not acknowledged for so long that it is forgotten cannot be sent.
        if first < self.engine.held_from():
            first = self.engine.held_from()
        if end > first + self.most_frames:
            end = first + self.most_frames
        ack: cython.longlong = self.expected() - 1
        if self.is_passed_on and ack > self.newest:
            ack = self.newest
        if ack < 0:
            ack = 0
        run = self.run
        run.start = first & self.mask | self.base
        run.ack = ack & self.mask | self.base
        run.count, run.size, run.seats = end - first, self.size, self.local_seats
        run.claimed = run.sync = -1
        if self.packets_out % CHECKSUM_EVERY == 0 and self.newest_frame >= 0:
            run.claimed, run.checksum = self.newest_frame & self.mask | self.base, self.newest_checksum
        elif self.packets_out % TIME_SYNC_EVERY == 1 and self.knows_sync:
            run.sync, run.lead = self.engine.current & 0xFFFF, _in_64ths(self.lead.mine)
        if self.only_local >= 0:
            self.engine.copy_inputs(self.only_local, first, run.count, run.values, 0)
        else:
            self.copy_rows(first, run)
        data = run.write()
        self.packets_out += 1
        self.bytes_out += len(data)
        return data

    def copy_rows(self, first: cython.longlong, run: InputRun) -> cython.int:
        """The inputs of several local players."""
        seat: cython.int
        for seat in range(self.local_seats):
            self.engine.copy_inputs(self.engine.local_players[seat], first, run.count, run.values, seat * run.count)
        return 0

    def receive(self, data: Any, phase: cython.double) -> cython.bint:
        """Receive a packet, or drop and count it; nothing of a bad packet is used. ``phase`` is Pace's."""
        self.packets_in += 1
        self.bytes_in += len(data)
        reason = self.refusal(data, phase)
        if reason is not None:
            self.dropped[reason] += 1
            return False
        return True

    def refusal(self, data: Any, phase: cython.double) -> Any:
        """The reason why the packet was dropped, None when it was not."""
        run = self.run
        try:
            run.read(data if type(data) is bytes else bytes(memoryview(data)))
        except DecodeError as error:
            return type(error).__name__
        if run.size != self.size or run.seats != self.seats:
            return "WrongShape"
        if run.start & ~self.mask != self.base or run.ack & ~self.mask != self.base:
            return "AnotherMatch"
        engine = self.engine
        start: cython.longlong = self.widened(run.start, engine.current)
        ack: cython.longlong = self.widened(run.ack, engine.local.upto)
        ours: cython.longlong = engine.local.upto
        if ours < self.known_below:
            ours = self.known_below
        if ack < 0 or (ack >= ours and ack > 0):
            return "AckFromTheFuture"
        if start < 0:
            return "ProtocolViolation"
        newest: cython.longlong = start + run.count - 1
        if newest >= ours + self.reach:
            return "InputsTooFarAhead"
        last: cython.longlong = engine.current + engine.history
        count: cython.int = run.count
        if start <= last < newest:
            # We are catching up: the rest cannot be held yet, and comes again.
            count = last + 1 - start
        try:
            if start > last or start >= UNSEEN:
                engine.check_frames(start, count)
            if self.only_player >= 0:
                engine.add_run(self.only_player, start, run.values, 0, count)
            else:
                self.receive_rows(start, count)
        except InputConflict as conflict:
            self._report(conflict)
            if self.is_passed_on:
                # Perhaps others have passed on inputs that it never made. The two must not expel each other for it.
                self.note_acknowledged(ack, newest)
            return "InputConflict"
        except (ProtocolViolation, UsageError) as error:
            return type(error).__name__
        self.note_acknowledged(ack, newest)
        self.lead.measure_ours(engine.current + phase - newest)
        if run.sync >= 0:
            self.lead.learn_theirs(run.lead / 64.0)
            self.their_frame = newest + ((run.sync - newest + 0x8000) & 0xFFFF) - 0x8000
        elif not self.knows_sync:
            # They sent this right after a frame, and had our newest input for half a frame on average.
            self.lead.measure_theirs(newest + 0.5 - engine.local.delay - ack)
        if run.claimed >= 0 and self.compares:
            self.claim(run.claimed, run.checksum)
        return None

    def note_acknowledged(self, ack: cython.longlong, newest: cython.longlong) -> cython.void:
        if newest > self.newest:
            self.newest = newest
        if ack > self.acknowledged and ack > 0:
            self.acknowledged = ack

    def widened(self, number: cython.longlong, near: cython.longlong) -> cython.longlong:
        """The frame that a number on the wire stands for: of those that it may be, the one nearest to ``near``."""
        half: cython.longlong = (self.mask >> 1) + 1
        return near + ((number - near + half) & self.mask) - half

    def receive_rows(self, start: cython.longlong, count: cython.int) -> cython.int:
        """The inputs of several players at one peer: all are accepted, or none."""
        run, engine = self.run, self.engine
        seat: cython.int
        for seat in range(self.seats):
            at: cython.int = seat * run.count
            check_run(engine.inputs, self.players[seat], start, run.values, at, count, engine.current, engine.history)
        for seat in range(self.seats):
            engine.add_run(self.players[seat], start, run.values, seat * run.count, count)
        return 0

    def _report(self, conflict: InputConflict) -> None:
        """Tell the application once for each player: a flood of lies makes no flood of events."""
        if conflict.player not in self.conflicts:
            self.conflicts.add(conflict.player)
            self.events.append(
                InputConflictDetected(
                    peer=self.peer.peer_id,
                    player=conflict.player,
                    frame=conflict.frame,
                    confirmed=conflict.confirmed,
                    received=conflict.received,
                )
            )

    @property
    def compared(self) -> int:
        """Frames whose checksums were compared with the other side's."""
        return 0 if self.book is None else self.book.compared

    def write_checksum(self, frame: cython.longlong, checksum: Any) -> None:
        """Note the checksum of a final state of ours: it will be sent, and compared with theirs."""
        self.newest_frame, self.newest_checksum = frame, _checked(checksum)
        if self.book is not None:
            difference = self.book.write(frame, self.newest_checksum)
            if difference is not None:
                self._alarm(difference)

    def claim(self, number: cython.longlong, checksum: cython.longlong) -> cython.int:
        frame: cython.longlong = self.widened(number, self.engine.current) if number & ~self.mask == self.base else -1
        if self.book is None or not 0 <= frame <= self.expected() + rbn1.MAX_COUNT:
            self.dropped["ChecksumOfNoFrame"] += 1
            return 0
        difference = self.book.claim(frame, checksum)
        if difference is not None:
            self._alarm(difference)
        return 0

    def _alarm(self, difference: tuple[int, int, int]) -> None:
        """Note two checksums that differ; the match decides whether that is news (``Alarm``)."""
        assert self.book is not None, "only a book finds differences"
        frame, ours, theirs = difference
        self.events.append(
            DesyncDetected(
                peer=self.peer.peer_id, frame=frame, ours=ours, theirs=theirs, last_agreed=self.book.last_agreed
            )
        )


def _checked(checksum: Any) -> Any:
    """A game's checksum as a number that fits the wire, from any kind of integer (NumPy has its own)."""
    try:
        number = index(checksum)
    except TypeError:
        raise EncodeError(f"checksum is a whole number, not {checksum!r}") from None
    if not 0 <= number <= ALL_BITS:
        raise EncodeError(f"checksum is 0 to {ALL_BITS}, not {number}")
    return number


@cython.cfunc
def _in_64ths(frames: cython.double) -> cython.int:
    found: cython.double = frames * 64.0
    if not -32768.0 < found < 32767.0:
        return 32767 if found > 0.0 else -32768
    # Both round a half to the even neighbour.
    if cython.compiled:
        return cython.cast(cython.int, rint(found))
    return round(found)
