"""In a match of three or more, each machine signs its inputs, and tells the others which ranges of whom it has.

Theory of operation. A range is signed a few seconds after its first frame, and sent to all. The receiver checks the
signature, and that the inputs are those that came in packets. With its own next range a machine says, in a few bytes,
which ranges of others it has. If one has another range than we have, ours is shown to all, with its signature: a
machine that then has two contradicting ranges has the proof, shows its own, and drops the liar. Two machines have
nobody to prove anything to, and plain links have no keys: then nothing is signed.
"""

from array import array
from collections import Counter, deque
from collections.abc import Iterator
from sys import byteorder
from typing import TYPE_CHECKING

from retick.errors import DecodeError, HistoryEvicted, InvalidValue
from retick.rollback.desync.equivocation import (
    MOST_INPUT_BYTES,
    NO_KEY,
    EquivocationProof,
    ShownRange,
    SignedBy,
    SignedRange,
    check_signature,
    difference,
    is_of,
    sign_range,
)
from retick.rollback.events import EquivocationProved
from retick.rollback.match.match import Match
from retick.rollback.session.forwarding import ALIVE_SECONDS
from retick.rollback.session.messages.connect import LARGEST_REACH
from retick.rollback.session.messages.forward import (
    SHORT,
    InputRange,
    SeenRanges,
    Signed,
    decode_range,
    decode_signed,
    encode_range,
    encode_signed,
)
from retick.rollback.session.messages.kinds import EQUIVOCATION, UNSIGNED, describe
from retick.rollback.session.part import EarlyMessages, SessionPart
from retick.rollback.session.peer import Peer, Role
from retick.rollback.session.rematch import next_number
from retick.sim.contract import input_size_of

if TYPE_CHECKING:
    from retick.rollback.session.inside import SessionInside

# What one peer has signed, as far as it is kept; what others have shown of it, and what they say they have.

KEPT = 4
"""How many ranges of a peer are kept for comparison, sent by it and shown by others. If they are shorter, more are
kept, for the same frames: signing each frame separately does not make them forgotten sooner."""


class Book:
    """The ranges of one peer in one match."""

    def __init__(self, key: bytes, width: int, span: int = 0) -> None:
        """``span``: the frames of ``KEPT`` usual ranges."""
        self.key = key
        self._span = span
        self.width = width
        """Bytes per frame of inputs."""
        self.end: int | None = None
        """The frame after the newest range; None before the first."""
        self.held: deque[SignedRange] = deque()
        """Received ranges that are not checked yet, because inputs are missing here."""
        self.late_for = 0.0
        """Seconds for which a range has been due."""
        self._kept: deque[ShownRange] = deque()
        self._shown: deque[ShownRange] = deque(maxlen=KEPT)
        """Ranges shown by others."""
        self._claims: dict[int, SeenRanges] = {}
        """The range that each other peer claims to have, if we do not have it yet."""

    @property
    def newest(self) -> SignedRange | None:
        """The newest range that was checked."""
        return self._kept[-1].range if self._kept else None

    def newest_first(self) -> Iterator[ShownRange]:
        """The kept ranges that the peer itself sent."""
        return reversed(self._kept)

    def has(self, found: SignedRange) -> bool:
        """Whether exactly this range was checked already: another copy says nothing new."""
        return any(each.range == found for each in (*self._kept, *self._shown))

    def keep(self, shown: ShownRange) -> tuple[list[tuple[int, ShownRange]], tuple[ShownRange, ShownRange] | None]:
        """Keep a range that its peer has sent; returns what to show, for whose claim, and two ranges that disagree."""
        self._kept.append(shown)
        self.end = end = shown.range.end
        while len(self._kept) > KEPT and self._kept[0].range.end <= end - self._span:
            self._kept.popleft()
        claims, self._claims = self._claims, {}
        to_show = [(by, found) for by, seen in claims.items() for found in self.compare(by, seen)]
        return to_show, self._contradiction(shown, self._shown)

    def add_shown(self, shown: ShownRange) -> tuple[ShownRange, ShownRange] | None:
        """Add a range of this peer that another one has; returns two ranges that disagree, if there are any now."""
        found = self._contradiction(shown, self._kept)
        if found is None and all(each.range != shown.range for each in self._shown):
            self._shown.append(shown)
        return found

    def compare(self, by: int, seen: SeenRanges) -> list[ShownRange]:
        """Compare the range that another peer claims to have; returns ours that differ, to be shown."""
        for shown in self._kept:
            if shown.range.first == seen.first:
                return [] if shown.range.digest[:SHORT] == seen.digest else [shown]
        if self.end is None or seen.first >= self.end:
            self._claims[by] = seen
            return []
        # A range that begins within one of ours was cut differently; older ones than we keep are not compared.
        return [shown for shown in self._kept if shown.range.first < seen.first < shown.range.end]

    def _contradiction(self, shown: ShownRange, others: deque[ShownRange]) -> tuple[ShownRange, ShownRange] | None:
        return next(((shown, other) for other in others if difference(shown, other, self.width) is not None), None)


RANGE_SECONDS = 4.0
"""Seconds of frames in a range: a signature and its checks cost as much for one frame as for many."""
_CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}
LATEST_SECONDS = 4.5
"""Seconds after the last range: then all existing frames are signed, although the match has stood still."""
LONGEST_LATE = 12.0
"""Seconds that a range may be due, while the link of its peer is alive, before that peer is expelled."""
LONGEST_STEP = 1.0
"""The most seconds that count between two checks: nobody else is to blame while our own process is stopped."""
MOST_EARLY = 2 * LARGEST_REACH
"""The most ranges of one peer that wait for the next match to begin here, or for their sender to become a player: it
cannot be that many frames ahead of us."""
MOST_SHOWN = 1024
"""The most SIGNED messages of one peer in a match, and the most ranges that we show."""
MOST_FOR_ONE = 64
"""The most SIGNED messages that we send for one cause: one peer's claims, or one peer's ranges after one alarm. So one
cause leaves room in MOST_SHOWN for the others."""


class SignedRanges(SessionPart):
    """Signs our inputs, and compares what others have signed."""

    def __init__(self, session: "SessionInside") -> None:
        super().__init__(session)
        self.proofs: list[EquivocationProof] = []
        """The proofs of the running match."""
        self._early = EarlyMessages(session, MOST_EARLY)
        """RANGE messages of a match that we have not begun, and of newcomers that already play for other peers."""
        self._forget()

    def _forget(self) -> None:
        self.proofs.clear()
        self._start: int | None = None
        """The frame from which everybody must sign; None as long as we have not been three."""
        self._firsts: dict[int, int] = {}
        """The first frame of each newcomer since we play."""
        self._end: int | None = None
        """Our first frame that is not signed; None if we do not sign."""
        self._signed_at = self._looked_at = 0.0
        self._books: dict[int, Book] = {}
        self._signers: dict[int, Peer] = {}
        """The peers of these books: one that has left may still be proved a liar."""
        self._is_alarmed = False
        self._alarms = 0
        self._have_shown: set[tuple[int, SignedRange]] = set()
        """The ranges that we have shown, by peer: both of a proof, which begin with the same frame."""
        self._shown_for: Counter[object] = Counter()
        """How many were shown for each cause: the peer whose claim it was, or an alarm and the peer that signed."""
        self._received: Counter[int] = Counter()
        """SIGNED messages by sender."""
        self._arrived: list[Peer] = []
        """Newcomers that have become players since the last frame."""

    # When to sign.

    def match_begun(self, match: Match) -> None:
        self._forget()
        self._begin(match, match.joins_at)
        self._early.receive(*self._early)

    def newcomer_became_player(self, newcomer: Peer, frame: int, match: Match) -> None:
        """Begin to sign if the newcomer makes us three: all sign from its first frame on."""
        self._firsts[newcomer.peer_id] = frame
        self._begin(match, frame)
        self._arrived.append(newcomer)
        self._session.is_quiet = False

    def _begin(self, match: Match, first: int | None) -> None:
        """Sign if we are three, or a newcomer, which cannot know whether the others sign already."""
        session = self._session
        if first is None or session.public_key == NO_KEY:
            return
        is_three = len(session.players_peers()) > 1
        if is_three and self._start is None:
            self._start = first
        if self._end is None and (is_three or match.joins_at):
            self._end = max(first, match.joins_at or 0)
            self._signed_at = session.now
            match.asks_at = self._end + self._frames_of(match)

    def _frames_of(self, match: Match) -> int:
        """How many frames a range has; fewer if less is remembered, or if its inputs would be too long to show."""
        by_memory = match.config.inputs_remembered // 4
        by_size = MOST_INPUT_BYTES // max(self._width(match, peer.players) for peer in self._all_players())
        return max(1, min(round(RANGE_SECONDS * match.config.tick_rate), by_memory, by_size, 0xFFFF))

    def _all_players(self) -> list[Peer]:
        own = Peer(self._session.peer_id, self._session.local_players)
        return [own, *self._session.players_peers()]

    def peer_id_given(self, peer_id: int) -> None:
        self._firsts.pop(peer_id, None)
        self._books.pop(peer_id, None)
        self._signers.pop(peer_id, None)
        self._received.pop(peer_id, None)

    def after_frame(self, match: Match, now: float) -> bool:
        """Sign when it is time, and check ranges that have waited for inputs."""
        arrived, self._arrived = self._arrived, []
        self._early.receive(*arrived)
        if self._end is None:
            if match.joins_at:
                self._begin(match, match.joins_at)  # a newcomer whose first frame was agreed just now
            return False
        is_alarm = match.alarm.is_open > self._is_alarmed
        is_urgent = is_alarm or now >= self._signed_at + LATEST_SECONDS
        self._is_alarmed = match.alarm.is_open
        if match.engine.frame >= match.asks_at or is_urgent:
            self._sign(match, now, least=1 if is_urgent else self._frames_of(match))
        if is_alarm:
            self._show_all(match)
        for peer in self._session.heard_peers():
            if peer.peer_id in self._books:
                self._check_held(peer, match)
            self._count_late(peer, match, now)
        self._looked_at = now
        return any(book.held or book.late_for for book in self._books.values())

    # Our own ranges.

    def _sign(self, match: Match, now: float, *, least: int) -> None:
        """Sign the unsigned frames, in ranges of at least ``least`` frames, and send them."""
        session, engine = self._session, match.engine
        assert self._end is not None
        self._signed_at = now
        end = min(engine.first_missing(player) for player in session.local_players)
        while end - self._end >= least:
            until = min(end, self._end + self._frames_of(match))
            by = self.by(session.peer_id, session.local_players, match)
            inputs = inputs_of(match, session.local_players, self._end, until)
            found = sign_range(session.sign, by, self._end, inputs)
            for peer in session.heard_peers():
                peer.send(encode_range(InputRange(match.number, found, self._seen(peer))))
            self._end = until
        match.asks_at = self._end + self._frames_of(match)

    def _seen(self, receiver: Peer) -> tuple[SeenRanges, ...]:
        return tuple(
            SeenRanges(peer_id, book.newest.first, book.newest.digest[:SHORT])
            for peer_id, book in self._books.items()
            if book.newest is not None and peer_id in self._session.peers and peer_id != receiver.peer_id
        )

    # Ranges of others.

    def receive_range(self, peer: Peer, data: bytes) -> None:
        message, match = decode_range(data), self._match
        if peer.role is Role.NEWCOMER or message.match == next_number(match):
            self._early.keep(peer, data)
            return
        if message.match != match.number:
            return
        book = self._book_of(peer, match)
        self._check_place(peer, book, message.range, match)
        book.held.append(message.range)
        book.late_for = 0.0
        self._check_held(peer, match)
        for seen in message.seen:
            third = self._session.peers.get(seen.peer_id)
            if third is not None and third is not peer:
                for shown in self._book_of(third, match).compare(peer.peer_id, seen):
                    self._show(third, shown, match, because=peer.peer_id)

    def receive_signed(self, peer: Peer, data: bytes) -> None:
        """Another peer shows what a third one has signed."""
        message, match = decode_signed(data), self._match
        third = self._session.peers.get(message.peer_id) or self._signers.get(message.peer_id)
        if message.match != match.number or peer.role is not Role.PLAYER:
            return
        self._received[peer.peer_id] += 1
        if self._received[peer.peer_id] > MOST_SHOWN:
            raise InvalidValue(f"peer {peer.peer_id} shows more than {MOST_SHOWN} ranges of others")
        if third is None or third is peer or third.role is not Role.PLAYER:
            return
        book = self._book_of(third, match)
        if book.has(message.range):
            return
        try:
            check_signature(book.key, self.by(third.peer_id, third.players, match), message.range)
        except InvalidValue:
            if book.newest is None:
                return  # we have nothing good of that peer: perhaps we were told a wrong key
            raise
        if message.inputs and not is_of(message.range, message.inputs, book.width):
            raise InvalidValue("a SIGNED with inputs that were not signed")
        found = book.add_shown(ShownRange(message.range, message.inputs))
        if found is not None:
            self._prove(third, found, match)

    def _check_place(self, peer: Peer, book: Book, found: SignedRange, match: Match) -> None:
        """Check that ranges follow each other, and are about frames that their peer can have inputs for.

        So there are never more of them than frames. An honest peer that lost its way to us for long, and whose ranges
        come all at once, has done nothing wrong.
        """
        if book.held and found.first != book.held[-1].end:
            raise InvalidValue(f"a range of peer {peer.peer_id} that does not follow the last one")
        # Ahead of us by its window and delay and our delay, and of a newcomer's frame by what may have been decided.
        ours = max(match.engine.frame, match.joins_at or 0)
        furthest = ours + 2 * LARGEST_REACH + 3 * match.config.history + match.config.tick_rate
        if found.end > furthest:
            raise InvalidValue(f"peer {peer.peer_id} signs frame {found.end - 1}, which it cannot have reached")

    def _check_held(self, peer: Peer, match: Match) -> None:
        """Check the ranges whose inputs are here."""
        book = self._book_of(peer, match)
        known = min(match.engine.first_missing(player) for player in peer.players)
        try:
            while book.held and book.held[0].end <= known:
                self._check(peer, book, book.held.popleft(), match)
        except DecodeError as error:
            self._session.expel(peer, str(error), reason=UNSIGNED)

    def _check(self, peer: Peer, book: Book, found: SignedRange, match: Match) -> None:
        session = self._session
        latest = self._first_of(peer) if book.end is None else book.end
        if latest is not None and (found.first > latest or (book.end is not None and found.first != book.end)):
            raise InvalidValue(f"peer {peer.peer_id} has not signed its inputs from frame {latest} on")
        check_signature(book.key, self.by(peer.peer_id, peer.players, match), found)
        try:
            inputs = inputs_of(match, peer.players, found.first, found.end)
        except HistoryEvicted:
            inputs = b""  # from before we came: only the hash can be compared
        is_true = not inputs or is_of(found, inputs, book.width)
        to_show, contradiction = book.keep(ShownRange(found, inputs if is_true else b""))
        if match.alarm.is_open or not is_true:
            self._show(peer, ShownRange(found, inputs if is_true else b""), match, because=(self._alarms, peer.peer_id))
        for by, shown in to_show:
            self._show(peer, shown, match, because=by)
        if contradiction is not None:
            self._prove(peer, contradiction, match)
        elif not is_true and peer.exchange is not None and not peer.exchange.is_passed_on:
            # It cannot be shown to others: packets are not signed.
            session.expel(peer, f"signed other inputs than it sent, from frame {found.first} on", reason=UNSIGNED)

    def _first_of(self, peer: Peer) -> int | None:
        """The latest frame with which the first range of a peer must begin; None if it need not sign."""
        if self._start is None:
            return None
        own = self._firsts.get(peer.peer_id)
        # What a peer had signed before we were players did not come to us, and reaches ahead by the input delay.
        return self._start + LARGEST_REACH if own is None and self._match.joins_at else max(self._start, own or 0)

    def _show_all(self, match: Match) -> None:
        """Show everything kept, because the states may differ: a lie may not be in the newest range."""
        self._alarms += 1
        for peer_id, book in self._books.items():
            for shown in book.newest_first():
                self._show(self._signers[peer_id], shown, match, because=(self._alarms, peer_id))

    def _show(self, peer: Peer, shown: ShownRange, match: Match, *, because: object) -> None:
        """Show all others what a peer has signed for us, once. ``because``: the cause that it counts for."""
        key = (peer.peer_id, shown.range)
        is_too_much = self._shown_for[because] >= MOST_FOR_ONE or len(self._have_shown) >= MOST_SHOWN
        if key in self._have_shown or is_too_much:
            return
        self._have_shown.add(key)
        self._shown_for[because] += 1
        message = encode_signed(Signed(match.number, peer.peer_id, *shown))
        for other in self._session.heard_peers():
            if other is not peer:
                other.send_if_room(message)  # a range of our own must always fit: a missing one accuses us

    def _prove(self, peer: Peer, found: tuple[ShownRange, ShownRange], match: Match) -> None:
        """Handle two contradicting ranges of a peer: show ours to everybody, and drop the peer."""
        book = self._book_of(peer, match)
        by = self.by(peer.peer_id, peer.players, match)
        proof = EquivocationProof(by=by, key=book.key, one=found[0], other=found[1])
        frame = proof.check()
        for shown in found:
            self._show(peer, shown, match, because=EquivocationProof)
        if all(known.by.peer_id != peer.peer_id for known in self.proofs):
            self.proofs.append(proof)
            told = EquivocationProved(peer=peer.peer_id, players=peer.players, frame=frame, proof=proof)
            self._session.tell(told)
        self._session.admission.shown_out |= {book.key, peer.fingerprint}
        self._session.expel(peer, describe(EQUIVOCATION), reason=EQUIVOCATION)

    def _count_late(self, peer: Peer, match: Match, now: float) -> None:
        """Expel a peer that signs nothing, although its link is alive and its inputs come."""
        book = self._book_of(peer, match)
        signed = book.held[-1].end if book.held else book.end if book.end is not None else self._first_of(peer)
        if signed is None:
            return
        known = min(match.engine.first_missing(player) for player in peer.players)
        link = peer.connection
        if known <= signed + 2 * self._frames_of(match) or link is None or link.stats.silent_for >= ALIVE_SECONDS:
            book.late_for = 0.0
            return
        book.late_for += min(now - self._looked_at, LONGEST_STEP)
        if book.late_for > LONGEST_LATE:
            self._session.expel(peer, f"has signed none of its inputs from frame {signed} on", reason=UNSIGNED)

    def _book_of(self, peer: Peer, match: Match) -> Book:
        book = self._books.get(peer.peer_id)
        if book is None or book.key != peer.key:
            self._signers[peer.peer_id] = peer
            span = KEPT * self._frames_of(match)
            book = self._books[peer.peer_id] = Book(peer.key, self._width(match, peer.players), span)
        return book

    def by(self, peer_id: int, players: tuple[int, ...], match: Match) -> SignedBy:
        """The match and peer under which the ranges of a peer are signed."""
        return SignedBy(self._session.token, self._session.match_count, peer_id, self._width(match, players))

    @staticmethod
    def _width(match: Match, players: tuple[int, ...]) -> int:
        return input_size_of(match.sim) * len(players)


def inputs_of(match: Match, players: tuple[int, ...], first: int, end: int) -> bytes:
    """The inputs of a peer's seats, as they are signed."""
    size = input_size_of(match.sim)
    columns = [match.engine.inputs_of(player, first, end) for player in sorted(players)]
    if len(columns) == 1 and size in _CODES and byteorder == "little":
        return array(_CODES[size], columns[0]).tobytes()  # the usual case, and by far the fastest way
    return b"".join(value.to_bytes(size, "little") for row in zip(*columns, strict=True) for value in row)
