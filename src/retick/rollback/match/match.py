# cython: nonecheck=True
"""A running match, without any connection: the engine, its pace, and an exchange with each remote peer.

Contents: the pace; checksums; the exchange of inputs; the players that a stalled match waits for; the match.

Sessions differ in how peers find and trust each other; everything from frame 0 to the last is here. Time is an argument
everywhere.
"""

from collections import Counter
from dataclasses import asdict
from operator import index
from typing import Any, TypeAlias

from retick.errors import DecodeError, EncodeError, InputConflict, ProtocolViolation, UsageError
from retick.rollback.engine.engine import RollbackEngine
from retick.rollback.events import DesyncDetected, InputConflictDetected, MatchEvent, Resumed, Stalled
from retick.rollback.match.alarm import Alarm
from retick.rollback.match.config import MatchConfig
from retick.rollback.match.peer import MatchPeer
from retick.rollback.match.stats import MatchCounts, SessionStats
from retick.sim.contract import Frame, Input, input_size_of
from retick.wire import rbn1

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.libc.math import rint
    from cython.cimports.retick.rollback.engine.engine import UNSEEN, RollbackEngine, check_run
    from cython.cimports.retick.wire.rbn1 import InputRun
else:
    from retick.rollback.engine.engine import UNSEEN, RollbackEngine, check_run
    from retick.wire.rbn1 import InputRun

# The pace: it is the same for all peers, so that they roll back equally.
#
# A side's *lead* is how far its own frame is ahead of the newest input that it has of another side: the depth that it
# has to roll back, travel time included. If both leads are equal, both sides roll back equally, whatever the two
# directions of the link are like. The side with the greater lead stretches its frames a little, a few per cent at most,
# until they are: no frame is ever skipped or shown twice.

SMOOTHING = cython.declare(cython.double, 1.0 / 24.0)
"""The weight of a new measurement: jitter averages out over about half a second."""
FRAMES_TO_CORRECT = cython.declare(cython.double, 90.0)
"""How many frames it takes to correct a lead that is too great."""
TOLERATED = cython.declare(cython.double, 0.25)
"""Half a difference of leads below this many frames is ignored."""


@cython.cclass
class LeadEstimate:
    """Our lead and the other side's, towards one other side."""

    mine: cython.double
    other: cython.double
    knows_mine: cython.bint
    knows_other: cython.bint

    def __init__(self) -> None:
        self.mine = self.other = 0.0
        self.knows_mine = self.knows_other = False

    @property
    def ours(self) -> float | None:
        """Our lead in frames; None before the first measurement."""
        return self.mine if self.knows_mine else None

    @property
    def theirs(self) -> float | None:
        """The other side's lead in frames; None before the first measurement."""
        return self.other if self.knows_other else None

    @cython.ccall
    @cython.exceptval(check=False)
    def measure_ours(self, lead: cython.double) -> cython.void:
        self.mine = self.mine + (lead - self.mine) * SMOOTHING if self.knows_mine else lead
        self.knows_mine = True

    @cython.ccall
    @cython.exceptval(check=False)
    def measure_theirs(self, lead: cython.double) -> cython.void:
        self.other = self.other + (lead - self.other) * SMOOTHING if self.knows_other else lead
        self.knows_other = True

    @cython.ccall
    @cython.exceptval(check=False)
    def learn_theirs(self, lead: cython.double) -> cython.void:
        """Adopt a lead that the other side has smoothed itself."""
        self.other = lead
        self.knows_other = True

    @property
    def ahead(self) -> float:
        """How many frames this side is ahead of its fair share; negative if it is behind."""
        return self.by()

    @cython.cfunc
    @cython.exceptval(check=False)
    def by(self) -> cython.double:
        """``ahead`` for the kernels."""
        return (self.mine - self.other) / 2 if self.knows_mine and self.knows_other else 0.0


@cython.cclass
class Pace:
    """When the next frame is due.

    ``at`` is that time. ``schedule`` is when it would have been due without lost time: it advances by one interval per
    frame, and is at most ``most_owed`` seconds behind. ``at`` is never before it. So code that runs frames early only
    while ``is_behind_schedule`` runs at most ``(T + most_owed) / interval + 1`` frames in T seconds.
    """

    interval: cython.double  # readonly
    slowing: cython.double  # readonly
    most_slowing: cython.double
    longest_catch_up: cython.double
    most_owed: cython.double
    at: cython.double
    schedule: cython.double
    is_planned: cython.bint

    @cython.annotation_typing(False)  # a rate with a fraction would lose it
    def __init__(self, *, tick_rate: int, most_slowing: float, longest_catch_up: float, most_owed: float = 0.0) -> None:
        """``most_owed``: the most seconds of frames that may run early, in all, and after time was lost."""
        self.interval = 1.0 / tick_rate
        """The length of an unstretched frame in seconds."""
        self.slowing = 0.0
        """The share by which frames are now stretched."""
        self.most_slowing = most_slowing
        self.longest_catch_up = longest_catch_up
        self.most_owed = max(most_owed, longest_catch_up)
        self.at = self.schedule = 0.0
        self.is_planned = False

    @property
    def next_frame_at(self) -> float | None:
        """When the next frame is due; None before the first."""
        return self.at if self.is_planned else None

    @cython.cfunc
    @cython.exceptval(check=False)
    def is_early(self, now: cython.double) -> cython.bint:
        return self.is_planned and now < self.at

    @cython.ccall
    @cython.exceptval(check=False)
    def is_due(self, now: cython.double) -> cython.bint:
        return not self.is_early(now)

    @cython.ccall
    @cython.exceptval(check=False)
    def phase(self, now: cython.double) -> cython.double:
        """The part of the present frame that has passed, from 0 to 1."""
        if not self.is_planned:
            return 0.0
        passed: cython.double = 1.0 - (self.at - now) / self.interval
        if passed < 0.0:
            return 0.0
        return passed if passed < 1.0 else 1.0

    @cython.ccall
    @cython.exceptval(check=False)
    def frame_run(self, now: cython.double, ahead: cython.double) -> cython.void:
        """Note that a frame was run, and plan the next, a little later if this side is ahead."""
        slowing: cython.double = ahead / FRAMES_TO_CORRECT if ahead > TOLERATED else 0.0
        self.slowing = slowing if slowing < self.most_slowing else self.most_slowing
        if not self.is_planned:
            self.owe_most(now)
        if not self.is_planned or now - self.at > self.longest_catch_up:
            self.at = now
        if now - self.schedule > self.most_owed:
            self.owe_most(now)
        self.at += self.interval * (1.0 + self.slowing)
        self.schedule += self.interval
        self.is_planned = True

    @cython.ccall
    @cython.exceptval(check=False)
    def start_over(self, now: cython.double) -> cython.void:
        """Restart after waiting: the next frame is due now, and the clock does not make up lost time."""
        if not self.is_planned:
            self.owe_most(now)
        self.at = now
        self.is_planned = True

    @cython.ccall
    @cython.exceptval(check=False)
    def is_behind_schedule(self, now: cython.double) -> cython.bint:
        """Whether a frame may run before the clock says so, because time was lost before."""
        return now >= self.schedule

    @cython.ccall
    @cython.exceptval(check=False)
    def owe_most(self, now: cython.double) -> cython.void:
        """Allow the most early frames again: at the start, when others may have begun before us."""
        self.schedule = now - self.most_owed


# Checksums: those of our final states are compared with those of one peer.
#
# A state is final if every input before it is confirmed, so that no rollback can change it. Only checksums of final
# states are written here, and a peer sends only those of its final states. So between peers that keep to the protocol
# two different checksums mean that the states have diverged, never that one of them was a guess. A peer can still send
# a checksum that is not true: only the investigation shows whether an alarm was true (``alarm``).
#
# Each side has a ring of pages, one for each compared frame: a new page replaces the one that is ``PAGES`` compared
# frames older, and a page older than the one in its place is ignored.

PAGES = 128
"""How many checksums are kept of each side."""


@cython.cclass
class ChecksumBook:
    """The final checksums of this side, and those that one peer sent. Frames and checksums fit 32 bits."""

    interval: cython.longlong  # readonly
    last_agreed: cython.longlong  # readonly
    compared: cython.longlong  # readonly
    judged: cython.longlong
    skipped: cython.longlong
    pages: cython.longlong
    if cython.compiled:
        our_frames: cython.longlong[128]
        their_frames: cython.longlong[128]
        our_sums: cython.longlong[128]
        their_sums: cython.longlong[128]
    else:
        our_frames: list[int]
        their_frames: list[int]
        our_sums: list[int]
        their_sums: list[int]

    def __init__(self, interval: cython.longlong) -> None:
        self.interval = interval
        """The frames from one compared frame to the next."""
        self.last_agreed = -1
        """The newest frame that was compared and equal."""
        self.compared = 0
        """How many frames were compared."""
        self.judged = self.skipped = -1
        self.pages = PAGES
        if not cython.compiled:
            self.our_frames, self.their_frames = [0] * PAGES, [0] * PAGES
            self.our_sums, self.their_sums = [0] * PAGES, [0] * PAGES
        page: cython.int
        for page in range(PAGES):
            self.our_frames[page] = self.their_frames[page] = -1

    @cython.ccall
    def write(self, frame: cython.longlong, checksum: cython.longlong) -> "tuple[int, int, int] | None":
        """Note our final checksum; returns the frame, ours and theirs if they differ."""
        page: cython.longlong = frame // self.interval % self.pages
        if frame < self.our_frames[page]:
            return None
        self.our_frames[page] = frame
        self.our_sums[page] = checksum
        return self.compare(page, frame)

    @cython.ccall
    def claim(self, frame: cython.longlong, checksum: cython.longlong) -> "tuple[int, int, int] | None":
        """Note a checksum that the peer sent; returns the frame, ours and theirs if they differ."""
        if frame % self.interval or frame <= self.judged:
            return None
        page: cython.longlong = frame // self.interval % self.pages
        if frame < self.their_frames[page]:
            return None
        self.their_frames[page] = frame
        self.their_sums[page] = checksum
        return self.compare(page, frame)

    @cython.ccall
    @cython.exceptval(check=False)
    def skip(self, frame: cython.longlong) -> cython.void:
        """Compare no frame up to this one: what was final there may not be so any more."""
        if frame > self.skipped:
            self.skipped = frame

    @cython.cfunc
    def compare(self, page: cython.longlong, frame: cython.longlong) -> "tuple[int, int, int] | None":
        """Compare a page if both sides have it."""
        if self.our_frames[page] != frame or self.their_frames[page] != frame or frame <= self.skipped:
            return None
        if frame > self.judged:
            self.judged = frame
        self.compared += 1
        if self.our_sums[page] != self.their_sums[page]:
            return frame, self.our_sums[page], self.their_sums[page]
        if frame > self.last_agreed:
            self.last_agreed = frame
        return None


# The exchange of inputs with one remote peer: what it has of ours, and what it sent of its own. Speaks RBN1.
#
# Every packet carries the oldest inputs that the other side has not acknowledged, up to 32 frames, so that any packet
# that gets through moves the match on. An acknowledgement of 0 means "frame 0" as well as "nothing yet": frame 0 is
# therefore sent until a greater one comes back.


TIME_SYNC_EVERY = cython.declare(cython.int, 4)
"""Packets from one time sync block to the next, if the other side knows them."""
FRAME_BITS = cython.declare(cython.longlong, 0xFFFFFF)
"""The bits of a number on the wire that are the frame; the rest counts rematches, so that old packets are noticed."""
ALL_BITS = cython.declare(cython.longlong, 0xFFFFFFFF)
UNLIMITED = cython.declare(cython.longlong, 1 << 32)
"""A number of frames that is never reached."""
CHECKSUM_EVERY = cython.declare(cython.int, 4)
"""Packets from one checksum block to the next: a lost one is soon repeated."""


@cython.cclass
class Exchange:
    """Inputs, acknowledgements, leads and checksums between the local engine and one remote peer."""

    peer: MatchPeer  # readonly
    players: tuple[int, ...]  # readonly
    lead: LeadEstimate  # readonly
    dropped: Counter[str]  # readonly
    packets_out: cython.longlong  # readonly
    bytes_out: cython.longlong  # readonly
    packets_in: cython.longlong  # readonly
    bytes_in: cython.longlong  # readonly
    acknowledged: cython.longlong  # public
    known_below: cython.longlong  # public
    their_frame: cython.longlong  # readonly
    newest: cython.longlong  # readonly
    is_passed_on: cython.bint  # public
    events: list[MatchEvent]  # readonly
    book: ChecksumBook | None  # readonly
    engine: RollbackEngine
    run: InputRun
    compares: cython.bint
    knows_sync: cython.bint
    size: cython.int
    seats: cython.int
    local_seats: cython.int
    only_player: cython.int
    only_local: cython.int
    newest_frame: cython.longlong
    newest_checksum: cython.longlong
    conflicts: set[int]
    base: cython.longlong
    mask: cython.longlong
    start: cython.longlong
    reach: cython.longlong
    most_frames: cython.int
    __weakref__: object

    @cython.annotation_typing(False)  # numbers are checked as they were given, before they become C's
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
        ``number`` is the match's, modulo 256; None if all 32 bits on the wire are the frame's.
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
        """The other side needs none of our inputs below this frame: those of a newcomer that does not play yet."""
        self.reach = UNLIMITED if reach is None else reach
        self.newest = -1
        """The newest frame for which they have sent us an input."""
        self.is_passed_on = False
        """Whether others have forwarded inputs of theirs. They may never have made these: only inputs that their own
        sender has shown us are acknowledged to it."""
        self.their_frame = -1
        """The other side's frame, when it last said so; -1 before."""
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
        # Nearly every peer has one player: these are its seat and ours, for the code of every frame; -1 for several.
        self.seats, self.local_seats = len(players), len(engine.local_players)
        self.only_player = players[0] if self.seats == 1 else -1
        self.only_local = engine.local_players[0] if self.local_seats == 1 else -1
        self.most_frames = min(rbn1.MAX_COUNT, rbn1.MAX_INPUT_BYTES // max(self.size * self.local_seats, 1))

    @property
    def next_expected(self) -> int:
        """The first frame for which not all inputs from there are known."""
        return self.expected()

    @cython.cfunc
    @cython.exceptval(-2, check=False)
    def expected(self) -> cython.longlong:
        """``next_expected`` for the kernels."""
        if self.only_player >= 0:
            return self.engine.missing_from(self.only_player)
        return min([self.engine.missing_from(player) for player in self.players])

    @property
    def unacknowledged(self) -> int:
        """How many frames of our inputs the other side has not acknowledged."""
        return max(self.engine.local_frontier - 1 - max(self.acknowledged, self.known_below - 1), 0)

    @cython.ccall
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
        # Not before the start; and inputs unacknowledged for so long that they are forgotten cannot be sent.
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

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def copy_rows(self, first: cython.longlong, run: InputRun) -> cython.int:
        """Copy the inputs of several local players."""
        seat: cython.int
        for seat in range(self.local_seats):
            self.engine.copy_inputs(self.engine.local_players[seat], first, run.count, run.values, seat * run.count)
        return 0

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def receive(self, data: Any, phase: cython.double) -> cython.bint:
        """Receive a packet, or drop and count it; nothing of a bad packet is used. ``phase`` is that of Pace."""
        self.packets_in += 1
        self.bytes_in += len(data)
        reason = self.refusal(data, phase)
        if reason is not None:
            self.dropped[reason] += 1
            return False
        return True

    @cython.cfunc
    def refusal(self, data: Any, phase: cython.double) -> Any:
        """Process a packet; returns the reason for dropping it, or None."""
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
            # We are catching up: the rest cannot be held yet, and will be sent again.
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
                # Others may have forwarded inputs that it never made. The two must not expel each other for that.
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

    @cython.cfunc
    @cython.exceptval(check=False)
    def note_acknowledged(self, ack: cython.longlong, newest: cython.longlong) -> cython.void:
        if newest > self.newest:
            self.newest = newest
        if ack > self.acknowledged and ack > 0:
            self.acknowledged = ack

    @cython.cfunc
    @cython.exceptval(check=False)
    def widened(self, number: cython.longlong, near: cython.longlong) -> cython.longlong:
        """The frame that a number on the wire stands for: of all possible ones, the nearest to ``near``."""
        half: cython.longlong = (self.mask >> 1) + 1
        return near + ((number - near + half) & self.mask) - half

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def receive_rows(self, start: cython.longlong, count: cython.int) -> cython.int:
        """Receive the inputs of several players at one peer: all are accepted, or none."""
        run, engine = self.run, self.engine
        seat: cython.int
        for seat in range(self.seats):
            at: cython.int = seat * run.count
            check_run(engine.inputs, self.players[seat], start, run.values, at, count, engine.current, engine.history)
        for seat in range(self.seats):
            engine.add_run(self.players[seat], start, run.values, seat * run.count, count)
        return 0

    def _report(self, conflict: InputConflict) -> None:
        """Report a conflict once for each player: a flood of lies causes no flood of events."""
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
        """How many frames had their checksums compared with the other side's."""
        return 0 if self.book is None else self.book.compared

    @cython.ccall
    def write_checksum(self, frame: cython.longlong, checksum: Any) -> None:
        """Note the checksum of a final state of ours, to be sent and compared with theirs."""
        self.newest_frame, self.newest_checksum = frame, _checked(checksum)
        if self.book is not None:
            difference = self.book.write(frame, self.newest_checksum)
            if difference is not None:
                self._alarm(difference)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
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
        """Note two different checksums; the match decides whether that is new (``Alarm``)."""
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


# The players that a stalled match waits for.

NO_END = 1 << 62


def waited_for(engine: RollbackEngine, frontier: int) -> tuple[int, ...]:
    """The players whose inputs are missing, even of peers that we do not hear or have no link with yet.

    While all wait before an agreed frame, no input may be missing. Then these are the free seats, because a newcomer is
    about to play; without free seats all others, because they must agree first.
    """
    others = [player for player in range(engine.sim.num_players) if player not in engine.local_players]
    late = [player for player in others if engine.is_missing(player, frontier)]
    return tuple(late or [player for player in others if not engine.is_missing(player, NO_END)] or others)


def missing_of(exchange: Exchange, engine: RollbackEngine, frontier: int) -> list[int]:
    """The players of a peer without whose inputs the next frame cannot run.

    A peer that keeps to the protocol and itself waits for somebody else is not among them: it has sent its inputs for
    its window and its delay beyond the frame that it waits for, which together are at least one frame.
    """
    return [player for player in exchange.players if engine.is_missing(player, frontier)]


# The match itself.

Addressed: TypeAlias = tuple[Any, bytes]
"""A peer, and a packet for it."""

NEVER = cython.declare(cython.longlong, 1 << 62)
"""A frame that is never reached."""
CATCH_UP_FROM = cython.declare(cython.longlong, 10)
"""If more frames of inputs than this are known ahead of us, we run them without waiting for the clock, as far as our
own schedule."""
LONG_STALL = cython.declare(cython.double, 0.1)
"""Seconds of a stall after which somebody may have to be blamed for it."""
SAMPLE_EVERY = cython.declare(cython.double, 1.0)
"""Seconds between two samples of the rates."""


@cython.cclass
class Match:
    """One peer's side of a match."""

    sim: Any  # readonly
    seed: "int"  # readonly
    config: MatchConfig  # readonly
    number: cython.int  # readonly
    engine: RollbackEngine  # readonly
    exchanges: list[Exchange]  # readonly
    compared_with_left: cython.longlong
    pace: Pace  # readonly
    alarm: Alarm  # readonly
    happened: list[MatchEvent]
    follower: Any  # public
    depths: Counter[int]
    rollbacks: cython.longlong
    resimulated: cython.longlong
    counts: MatchCounts
    is_stalled: cython.bint  # readonly
    is_stall_told: cython.bint
    stalled_since: cython.double
    next_checksum: cython.longlong
    first_own: cython.longlong
    fence: cython.longlong
    pause_fence: cython.longlong
    is_single: cython.bint
    is_catching_up: cython.bint
    is_unsent: cython.bint
    wakes_parts: cython.bint  # public
    asks_at: cython.longlong  # public
    resend_at: cython.double
    sent_at: cython.double
    resend_interval: cython.double
    sample_at: cython.double
    __weakref__: object

    @cython.annotation_typing(False)  # numbers are checked as they were given, before they become C's
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
        """Begin a match at its start; or, with ``state`` and ``start_frame``, join one that others already play.

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
        """A recording, if any: its ``frame_run`` is called with the match after each frame."""
        self.depths = Counter()
        self.rollbacks = self.resimulated = 0
        self.counts = MatchCounts()
        self.is_stalled = self.is_stall_told = False
        self.stalled_since = 0.0
        interval = config.checksum_interval
        self.next_checksum = min((start_frame // interval + 1) * interval, NEVER) if interval else NEVER
        self.number = number
        self.joins_at = joins_at
        self.barrier = self.pause_at = None
        self.is_catching_up = joins_at is None
        self.is_unsent = self.wakes_parts = False
        self.asks_at = NEVER
        self.resend_at = 0.0
        self.resend_interval = config.resend_interval
        self.sample_at = self.sent_at = float("-inf")

    @property
    def joins_at(self) -> int | None:
        """The first frame with our own input; None while that is not agreed."""
        return None if self.first_own == NEVER else self.first_own

    @joins_at.setter
    def joins_at(self, frame: Frame | None) -> None:
        self.first_own = NEVER if frame is None else frame
        # The peers that already play. A later one needs our inputs from its state on, the neutral ones included.
        for exchange in self.exchanges:
            exchange.known_below = self.first_own

    @property
    def barrier(self) -> int | None:
        """A frame that must not run before all peers have agreed to something."""
        return None if self.fence == NEVER else self.fence

    @barrier.setter
    def barrier(self, frame: Frame | None) -> None:
        self.fence = NEVER if frame is None else frame

    @property
    def pause_at(self) -> int | None:
        """A frame that must not run while the peers have paused the match."""
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
        """Add a remote peer with its seats; it needs our inputs from ``first_frame`` on.

        ``reach`` is its window and delay: by how many frames its inputs may be ahead of ours; None if it did not say.
        ``numbered`` is False if frames on the wire use all 32 bits, without a match number.
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
        """Stop receiving from, and sending to, a peer."""
        self.compared_with_left += sum(each.compared for each in self.exchanges if each.peer is peer)
        self.exchanges = [exchange for exchange in self.exchanges if exchange.peer is not peer]
        peer.exchange = None

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def due(self, now: cython.double) -> cython.bint:
        """Whether to run the next frame now; notes a stall if it is time and inputs are missing."""
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

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def may_run_early(self, now: cython.double) -> cython.bint:
        """Whether known inputs may run without the clock: before we play, or as far as our own schedule."""
        return self.engine.current < self.first_own or self.pace.is_behind_schedule(now)

    @cython.cfunc
    @cython.exceptval(-1, check=False)
    def may_advance(self, behind: cython.longlong) -> cython.bint:
        if self.engine.current >= self.fence or self.engine.current >= self.pause_fence:
            return False
        if self.engine.current < self.first_own:
            # Not playing yet: run only what is known for sure, as fast as it comes.
            return behind >= 0
        return self.engine.can_advance()

    @cython.ccall
    def advance(self, pressed: Input | tuple[Input, ...], now: cython.double) -> None:
        """Run the next frame. Raises PredictionLimit if the window is full: ask ``due`` first."""
        engine = self.engine
        if engine.local.upto < self.first_own:
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

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def receive(self, exchange: Exchange, data: Any, now: cython.double) -> cython.bint:
        """Receive a packet of a remote peer; returns False if it was dropped."""
        is_good: cython.bint = exchange.receive(data, self.pace.phase(now))
        if exchange.events:
            self._collect(exchange)
        return is_good

    @cython.ccall
    def packets(self, now: cython.double) -> list[Addressed]:
        """The packets to send now, each with its peer: after each frame, and now and then while waiting."""
        if not self.sends(now):
            return []
        made = [(exchange.peer, exchange.packet()) for exchange in self.exchanges]
        return [(peer, data) for peer, data in made if data is not None]

    @cython.ccall
    @cython.exceptval(-1, check=False)
    def sends(self, now: cython.double) -> cython.bint:
        """Whether to make packets now: by ``packets``, or by the caller for each exchange."""
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

    @cython.ccall
    def next_timeout(self) -> "float | None":
        """When waiting packets are due again; use ``due`` for frames."""
        return self.resend_at if self.is_stalled else None

    @cython.ccall
    def events(self) -> list[MatchEvent]:
        if not self.happened:
            return []
        happened, self.happened = self.happened, []
        return happened

    def stats(self, now: float) -> SessionStats:
        """All statistics now."""
        engine = self.engine.stats
        counted = asdict(self.counts)
        if self.is_stalled and self.is_stall_told:
            counted["stalled_seconds"] += now - self.stalled_since
        return SessionStats(
            frame=self.engine.frame,
            confirmed_frame=self.engine.confirmed_frame,
            rollbacks=engine.rollbacks,
            resimulated_frames=engine.resimulated_frames,
            deepest_rollback=engine.deepest_rollback,
            rollback_depths=dict(sorted(self.depths.items())),
            slowing=self.pace.slowing,
            compared_frames=self.compared_with_left + sum(each.compared for each in self.exchanges),
            peers={exchange.peer.peer_id: exchange.peer.stats(now) for exchange in self.exchanges},
            **counted,
        )

    @cython.cfunc
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
        self.counts.stalls += 1
        self.resend_at = now
        # A newcomer without an agreed first frame has not been told of a match yet; the session reports pauses.
        self.is_stall_told = self.first_own != NEVER and self.engine.frame < self.pause_fence
        if self.is_stall_told:
            self.happened.append(Stalled(frame=self.engine.frame, waiting_for=waited_for(self.engine, self.frontier)))

    def stand(self) -> None:
        """Run no more frames, but keep sending what others need of those that were run."""
        self.fence = self.engine.current
        self.is_stalled = True
        self.is_stall_told = False
        self.resend_at = self.stalled_since = self.sent_at

    def compare_after(self, frame: Frame) -> None:
        """Compare no checksums up to this frame: others may have sent some of states that have changed since."""
        exchange: Exchange
        for exchange in self.exchanges:
            if exchange.book is not None:
                exchange.book.skip(frame)

    def take_back(self, first: Frame) -> None:
        """Note that frames from ``first`` on ran again although they were final: their checksums are written anew."""
        interval = self.config.checksum_interval
        if interval:
            self.next_checksum = min(self.next_checksum, (first // interval + 1) * interval)

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
            self.counts.stalled_seconds += seconds
            self.happened.append(Resumed(frame=self.engine.frame, seconds=seconds))

    @cython.cfunc
    def count_depth(self) -> None:
        engine = self.engine
        rollbacks, frames = engine.rollbacks - self.rollbacks, engine.resimulated - self.resimulated
        self.depths[frames // rollbacks] += rollbacks
        self.rollbacks, self.resimulated = engine.rollbacks, engine.resimulated

    @cython.cfunc
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
