"""One agreement for everything that peers decide together: signed statements, passed on, and consents to them.

Theory of operation. Decisions are numbered slots. In a slot each member signs one *statement* of what it sees and
wants; everybody passes the statements of others on, with its own signature added, and a copy with more signatures is
accepted for longer: so what one honest peer accepts in time, all honest peers accept in time, whatever a liar tells
whom. Who has all statements signs one *consent* to them. With the consents of all the slot is decided; who did not take
part is lost. docs/formats/membership.md has the steps, the times and what is promised.

This module knows no game, no session and no clock: what the statements say is decided in ``outcome``. Whoever uses it
gives it messages and the time, sends what ``drain`` returns, and states when ``wants_statement``.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import blake2s
from typing import NamedTuple

from retick.errors import InvalidValue
from retick.rollback.desync.equivocation import NO_KEY, SIGNATURE_SIZE, Sign
from retick.rollback.session.messages.agreement import (
    Consent,
    Signature,
    SignedItem,
    Statement,
    ToldOutcome,
    decode_consent,
    decode_decided,
    decode_item,
    decode_outcome,
    decode_statement,
    encode_consent,
    encode_decided,
    encode_item,
    encode_outcome,
    encode_statement,
    head_of,
)
from retick.rollback.session.messages.kinds import MessageKind

DELTA = 1.0
"""Seconds within which a message between honest peers arrives, one hop through a third included."""
STEP = 2 * DELTA
"""Seconds for which each further signature makes a copy acceptable: clocks differ by one delta, and travel is one."""
EAGER = 0.3
"""The age of a slot in seconds from which on everything is passed on; before, most have it from its author."""
INTERVAL = 0.25
"""Seconds after a decision before this peer opens another slot."""
MOST_WAITING = 64
"""The most messages of one sender about a slot that has not begun here."""
TEXT = b"retick agreement 1"

Verify = Callable[[bytes, bytes, bytes], None]
"""Checks a signature: key, signature, what was signed; raises InvalidValue if it is wrong."""


def most_liars(members: int) -> int:
    """For how many liars the agreement of so many members allows."""
    return max(min(2, members - 2), 0)


def verify_signature(key: bytes, signature: bytes, data: bytes) -> None:
    from retick.link.sealing import primitives  # with cryptography, which plain links do without

    primitives.verify(key, signature, data)


def vector_hash(bodies: Mapping[int, bytes]) -> bytes:
    """The hash of a vector of statements, by author."""
    found = blake2s(person=b"vector")
    for author in sorted(bodies):
        found.update(bytes((author,)) + blake2s(bodies[author]).digest())
    return found.digest()


class Decision(NamedTuple):
    """What was decided in a slot: the statements that count, and who is lost because it did not take part or leaves."""

    slot: int
    bodies: dict[int, bytes]
    lost: frozenset[int]

    @property
    def digest(self) -> bytes:
        return blake2s(vector_hash(self.bodies) + bytes(sorted(self.lost)), person=b"decision").digest()


@dataclass(slots=True)
class _Copy:
    """A statement or consent that was accepted."""

    item: SignedItem
    known_to: set[int]
    """The peers that have it, as far as we know."""
    is_passed_on: bool = False
    is_late: bool = False
    """Whether it came in time only because our process, and our clock with it, stood still."""


_Items = dict[int, list[_Copy]]


@dataclass(slots=True)
class _Slot:
    """What is known of one slot."""

    number: int
    opened_at: float | None = None
    """When the first statement was here, or before that when this peer had news; None if neither is so."""
    statements: _Items = field(default_factory=dict)
    consents: _Items = field(default_factory=dict)
    decoded: dict[bytes, Statement] = field(default_factory=dict)
    vector: dict[int, bytes] | None = None
    """The vector to which this peer has consented."""
    absent: frozenset[int] = frozenset()
    told: dict[int, ToldOutcome] = field(default_factory=dict)
    """The decisions that others have told, by sender."""
    done: set[int] = field(default_factory=set)
    """The members that have decided this slot."""
    stood_still: float = 0.0
    """The seconds for which our process stood still while the slot was open, and the clock with it."""
    decision: Decision | None = None
    decided_at: float = 0.0
    is_helped: bool = False


class Agreement:
    """One peer's part in the slots of a match."""

    def __init__(
        self,
        own: int,
        members: Mapping[int, bytes],
        history: bytes,
        *,
        disconnect_after: float,
        sign: Sign,
        input_size: int,
        first_slot: int = 0,
        verify: Verify = verify_signature,
    ) -> None:
        """``members`` have their keys; ``disconnect_after`` is the same for all of them."""
        self.own = own
        self.members = dict(members)
        self.history = history
        self._disconnect_after = max(disconnect_after, STEP)
        self._sign, self._verify, self._input_size = sign, verify, input_size
        self._slot = _Slot(first_slot)
        self._before: _Slot | None = None
        """The slot before this one, in which others may still need help, with its members."""
        self._members_before: dict[int, bytes] = {}
        self._history_before = b""
        self._waiting: dict[int, list[bytes]] = {}
        """Messages about the next slot, by sender."""
        self._out: list[tuple[int, bytes]] = []
        self._unheard: set[int] = set()
        self._apart: set[tuple[int, int]] = set()
        """Pairs of members of whom one does not hear the other."""
        self._looked_at = 0.0
        self._late_for: defaultdict[int, float] = defaultdict(float)
        self.round_trip = 0.0
        """The longest round trip to a member in seconds, as far as it is known: no answer can be here sooner."""
        self.refused: Counter[str] = Counter()
        """Messages that were refused without blame, by reason."""

    # What the user of an agreement asks and says.

    @property
    def slot(self) -> int:
        """The number of the present slot."""
        return self._slot.number

    @property
    def opened_at(self) -> float | None:
        """When the present slot was opened here; None if it is not open."""
        return self._slot.opened_at

    @property
    def last_opened_at(self) -> float:
        """When the last decided slot was opened here: what members state of others was true then, or later."""
        return -math.inf if self._before is None or self._before.opened_at is None else self._before.opened_at

    @property
    def is_open(self) -> bool:
        """Whether a decision is under way."""
        return self._slot.opened_at is not None

    @property
    def is_busy(self) -> bool:
        """Whether ``poll`` may have something to do before anything else happens."""
        return self.is_open or (self._before is not None and not self._before.is_helped)

    @property
    def wants_statement(self) -> bool:
        """Whether ``state`` should be called as soon as nobody is in doubt."""
        slot = self._slot
        return slot.opened_at is not None and slot.decision is None and self.own not in slot.statements

    @property
    def latest_statement_at(self) -> float:
        """When to state at the latest, whoever is in doubt: at once if our process has let the others wait already."""
        wait = 0.0 if self._slot.stood_still else self._disconnect_after - STEP
        return (self._slot.opened_at or 0.0) + wait

    @property
    def liars(self) -> int:
        """For how many liars the deadlines allow."""
        return most_liars(len(self.members))

    @property
    def _patience(self) -> float:
        """Seconds for a statement with its author's signature alone.

        Two members have nobody to be lied to about: the other one is waited for as long as it is heard.
        """
        return self._disconnect_after if len(self.members) > 2 else math.inf

    def may_open(self, now: float) -> bool:
        """Whether this peer may open a slot: none is open, and the last decision is not too fresh."""
        before = self._before
        is_fresh = before is not None and now < before.decided_at + INTERVAL
        return not self.is_open and not is_fresh

    def open(self, now: float) -> None:
        """Open the present slot, because there is news here; who has not decided the one before gets what it lacks.

        For clocks of honest peers may differ by one delta only.
        """
        if self._slot.opened_at is None:
            self._slot.opened_at = now
            self._help(now)

    def _start_clock(self, now: float) -> None:
        """Count from the first statement on, which all honest peers have within one delta, and not from news here."""
        if not self._slot.statements:
            self.open(now)
            self._slot.opened_at = now

    def stop_hearing(self, peer_id: int, now: float) -> None:
        """Note that nothing can be sent to this member any more."""
        self._unheard.add(peer_id)
        self._advance(now)

    def drain_late(self) -> dict[int, float]:
        """Seconds for which slots have waited for each member alone, since the last call."""
        late, self._late_for = self._late_for, defaultdict(float)
        return late

    def statements(self) -> Iterable[Statement]:
        """The statements of the present slot that came so far."""
        for author in self._slot.statements:
            for copy in self._slot.statements[author]:
                yield self._slot.decoded[copy.item.body]

    def state(self, said: Statement, now: float) -> None:
        """Sign this peer's statement of the present slot, and send it to all."""
        slot = self._slot
        assert self.wants_statement
        assert (said.slot, said.history, said.author) == (slot.number, self.history, self.own)
        body = encode_statement(said, self._input_size)
        slot.decoded[body] = said
        self._note_apart(said)
        self._start_clock(now)
        self._issue(slot.statements, MessageKind.STATEMENT, body)
        self._advance(now)

    def decision(self) -> Decision | None:
        """What was decided in the present slot; None before. Call ``begin_next`` when it has been applied."""
        return self._slot.decision

    def begin_next(self, members: Mapping[int, bytes]) -> list[tuple[int, bytes]]:
        """Begin the next slot with these members, after a decision.

        Returns messages about it that came before, with their senders: ``receive`` them again.
        """
        before, self._history_before = self._slot, self.history
        assert before.decision is not None
        remaining = bytes(sorted(members))
        self.history = blake2s(self.history + before.decision.digest + remaining, person=b"history").digest()
        self._before, self._members_before = before, self.members
        self.members = dict(members)
        self._slot = _Slot(before.number + 1)
        self._unheard &= self.members.keys()
        self._apart = {pair for pair in self._apart if self.members.keys() >= set(pair)}
        self._tell_decided(before)
        waiting, self._waiting = self._waiting, {}
        return [(sender, data) for sender, messages in waiting.items() for data in messages]

    def drain(self) -> list[tuple[int, bytes]]:
        """The messages to send since the last call, each with the member it goes to."""
        out, self._out = self._out, []
        return out

    # Receiving.

    def receive(self, sender: int, data: bytes, now: float) -> None:
        """Receive a message of a member; raises DecodeError if it is malformed, and its sender is to blame."""
        kind = data[0] if data else -1
        if kind == MessageKind.DECIDED:
            self._receive_decided(sender, data)
        elif kind == MessageKind.OUTCOME:
            self._receive_outcome(sender, data, now)
        else:
            self._receive_item(sender, data, now)

    def _receive_item(self, sender: int, data: bytes, now: float) -> None:
        item = decode_item(data)
        number, history, author = head_of(item.body)
        if item.signatures[0].peer_id != author or item.signatures[-1].peer_id != sender:
            raise InvalidValue("an item that its author or its sender has not signed")
        slot = self._slot
        if number == slot.number + 1:
            self._keep_waiting(sender, data)
        elif number != slot.number or history != self.history:
            self.refused["AnotherSlot"] += number > slot.number or history != self.history
        elif slot.decision is None:
            is_statement = item.kind == MessageKind.STATEMENT
            self._accept(item, slot.statements if is_statement else slot.consents, now)
            self._advance(now)

    def _keep_waiting(self, sender: int, data: bytes) -> None:
        waiting = self._waiting.setdefault(sender, [])
        if len(waiting) >= MOST_WAITING:
            raise InvalidValue(f"{MOST_WAITING} messages of peer {sender} came too early already")
        waiting.append(data)

    def _accept(self, item: SignedItem, items: _Items, now: float) -> None:
        """Accept an item in time: two statements of each author, and one of its consents from each sender.

        So whatever else an author has signed, the consent that one honest peer decides by reaches all of them.
        """
        author, signers = item.signatures[0].peer_id, {each.peer_id for each in item.signatures}
        known = next((copy for copy in items.get(author, ()) if copy.item.body == item.body), None)
        if known is not None:
            known.known_to.add(item.signatures[-1].peer_id)  # the other signatures of this copy are not checked
        elif author == self.own or self._has_enough(item, items.get(author, ())):
            self.refused["NotWanted"] += 1
        elif now > self._deadline(item, now):
            self.refused["TooLate"] += 1
        else:
            self._check(item)
            if item.kind == MessageKind.STATEMENT:
                self._start_clock(now)
            is_late = now > self._deadline(item, now) - self._slot.stood_still
            items.setdefault(author, []).append(_Copy(item, signers | {self.own}, is_late=is_late))

    @staticmethod
    def _has_enough(item: SignedItem, known: Collection[_Copy]) -> bool:
        if item.kind == MessageKind.STATEMENT:
            return len(known) >= 2
        return any(copy.item.signatures[-1].peer_id == item.signatures[-1].peer_id for copy in known)

    def _deadline(self, item: SignedItem, now: float) -> float:
        """Until when an item with these signatures is accepted; more than ``liars`` + 1 give no more time."""
        count = min(len(item.signatures), self.liars + 1)
        if item.kind == MessageKind.STATEMENT:
            started_at = (self._slot.opened_at or 0.0) if self._slot.statements else now
            return started_at + self._patience + (count - 1) * STEP
        return self._statements_end() + count * STEP

    def _check(self, item: SignedItem) -> None:
        """Check the signatures, and read the body; raises DecodeError if anything is wrong.

        Then the sender is to blame: it knows the same members with the same keys, because the history is the same, and
        an honest peer signs only what it has checked itself.
        """
        signed = TEXT + bytes((item.kind,)) + item.body
        for each in item.signatures:
            key = self.members.get(each.peer_id)
            if key is None:
                raise InvalidValue(f"an item signed by peer {each.peer_id}, which is not a member")
            if key != NO_KEY:
                self._verify(key, each.signature, signed)
            signed += bytes((each.peer_id,)) + each.signature
        if item.kind == MessageKind.STATEMENT:
            said = decode_statement(item.body, self._input_size)
            self._slot.decoded[item.body] = said
            self._note_apart(said)
        else:
            decode_consent(item.body)

    def _note_apart(self, said: Statement) -> None:
        for peer_id, _ in said.unheard:
            self._apart |= {(said.author, peer_id), (peer_id, said.author)}

    def _receive_decided(self, sender: int, data: bytes) -> None:
        number = decode_decided(data)
        for slot in (self._before, self._slot):
            if slot is not None and slot.number == number:
                slot.done.add(sender)

    def _receive_outcome(self, sender: int, data: bytes, now: float) -> None:
        told, slot = decode_outcome(data), self._slot
        is_news = slot.decision is None and sender not in slot.told
        if is_news and (told.slot, told.history) == (slot.number, self.history):
            self._check_told(told)
            self.open(now)
            slot.told[sender] = told
            self._advance(now)

    def _check_told(self, told: ToldOutcome) -> None:
        """Raise DecodeError unless a decision that another peer tells is about members, and can be read."""
        slot = self._slot
        authors = [head_of(body)[2] for body in told.bodies]
        is_of_slot = all(head_of(body)[:2] == (slot.number, self.history) for body in told.bodies)
        if len(set(authors)) != len(authors) or not is_of_slot or not self.members.keys() >= {*authors, *told.lost}:
            raise InvalidValue("an outcome with statements of others than the members, or of another slot")
        slot.decoded |= {body: decode_statement(body, self._input_size) for body in told.bodies}

    # What follows from what came, and from time.

    def _statements_end(self) -> float:
        """When statements are complete at the latest (E1)."""
        return (self._slot.opened_at or 0.0) + self._patience + self.liars * STEP

    def _consents_end(self) -> float:
        """When consents are complete at the latest (E2)."""
        return self._statements_end() + (self.liars + 1) * STEP

    def poll(self, now: float) -> None:
        """Do what is due by now. Whoever stood still for long lets its clocks stand as well."""
        slot, looked_at, self._looked_at = self._slot, self._looked_at, now
        if slot.opened_at is not None and slot.decision is None:
            gap = now - max(looked_at, slot.opened_at)
            if gap > DELTA:
                slot.opened_at += gap - DELTA
                slot.stood_still += gap - DELTA
            self._count_late(min(gap, DELTA), now)
            self._advance(now)
            if self.own not in slot.statements:
                # Only by these do the others learn that the slot is open, and start their clocks.
                self._pass_on(slot, self.members, now, is_all=True)
        self._help(now)

    def _count_late(self, seconds: float, now: float) -> None:
        """Count for how long this slot waits for one member alone."""
        slot = self._slot
        soonest = (slot.opened_at or 0.0) + 2 * EAGER + min(self.round_trip, STEP)
        if now < soonest or self.own not in slot.statements:
            return
        missing = self._awaited()
        if len(missing) == 1:
            self._late_for[missing[0]] += seconds

    def _awaited(self) -> list[int]:
        """The members for whose statement or consent the open slot waits.

        Of three and more, who has consented to something else was told something else, and is not late. A slot of two
        has no other end: there only one statement counts, and the consent to it.
        """
        slot = self._slot
        if len(self.members) == 2:
            if slot.vector is None:
                return list(self._without_one_statement())
            return [peer_id for peer_id in slot.vector if not self._has_consented(peer_id, slot.vector)]
        if slot.vector is None:
            return [peer_id for peer_id in self.members if peer_id not in slot.statements]
        return [peer_id for peer_id in slot.vector if peer_id not in slot.consents]

    def _advance(self, now: float) -> None:
        slot = self._slot
        if slot.opened_at is None or slot.decision is not None:
            return
        if slot.vector is None and self.own in slot.statements:
            self._consent_when_complete(now)
        self._decide(now)
        self._pass_on(slot, self.members, now, is_all=False)

    def _consent_when_complete(self, now: float) -> None:
        slot = self._slot
        absent = self._absent_now()
        if absent is None and now >= self._statements_end():
            absent = self._without_one_statement()
        if absent is None:
            return
        slot.absent = absent
        slot.vector = self._vector_without(absent)
        given = Consent(slot.number, self.history, self.own, vector_hash(slot.vector))
        self._issue(slot.consents, MessageKind.CONSENT, encode_consent(given))

    def _without_one_statement(self) -> frozenset[int]:
        """The members that have made no statement, or two."""
        return frozenset(peer_id for peer_id in self.members if len(self._slot.statements.get(peer_id, ())) != 1)

    def _others(self) -> frozenset[int]:
        return frozenset(self.members.keys() - {self.own})

    def _vector_without(self, absent: frozenset[int]) -> dict[int, bytes]:
        statements = self._slot.statements
        return {author: statements[author][0].item.body for author in self.members if author not in absent}

    def _absent_now(self) -> frozenset[int] | None:
        """The largest set of members, without ourselves, that all others name as unheard; None if statements miss.

        The union of two such sets is one too, so the largest is found by adding, one after the other, who must be in it
        and by leaving out nobody whom all others name.
        """
        slot = self._slot
        named = {
            author: {peer_id for peer_id, _ in slot.decoded[copies[0].item.body].unheard}
            for author, copies in slot.statements.items()
            if len(copies) == 1
        }
        present = {self.own}
        while True:
            # Whoever one of those present does not name must be present too, with a statement.
            needed = {
                peer_id
                for peer_id in self.members
                if peer_id not in present and any(peer_id not in named.get(author, set()) for author in present)
            }
            if not needed:
                return frozenset(self.members.keys() - present) if present <= named.keys() else None
            present |= needed

    def _decide(self, now: float) -> None:
        """Decide when all have consented, when enough others tell the same decision, or when the time is over."""
        slot = self._slot
        if self.own in slot.statements and not self._reached(self.members):
            # Nothing more comes or goes.
            self._conclude(self._vector_without(self._others()), self._others(), now)
        elif slot.vector is not None and self._has_all_consents(slot.vector) and not self._must_be_told(now):
            self._conclude(slot.vector, slot.absent, now)
        elif slot.told and (told := self._told_by_enough()) is not None:
            bodies = {head_of(body)[2]: body for body in told.bodies}
            self._conclude(bodies, frozenset(told.lost), now, is_told=True)
        elif now >= self._consents_end() and slot.vector is not None and not self._must_be_told(now):
            self._conclude_without_consents(slot.vector, slot.absent, now)

    def _must_be_told(self, now: float) -> bool:
        """Whether the others may have decided without us, because our process stood still; they will say what.

        Our time, which is longer than theirs, would let us decide by what a liar has sent to us alone. Three members
        cannot tell: of the two others one may lie.
        """
        slot, end = self._slot, self._consents_end()
        if not slot.stood_still or len(self.members) < 4 or now >= end + 2 * STEP:
            return False
        copies = [copy for items in (slot.statements, slot.consents) for each in items.values() for copy in each]
        return now >= end - slot.stood_still or any(copy.is_late for copy in copies)

    def _has_all_consents(self, vector: dict[int, bytes]) -> bool:
        leaves = {author for author, body in vector.items() if self._slot.decoded[body].leaves is not None}
        return all(self._has_consented(author, vector) for author in vector.keys() - leaves)

    def _has_consented(self, author: int, vector: dict[int, bytes]) -> bool:
        """Whether a consent of this member to this vector is here; what else it has consented to means nothing."""
        digest = vector_hash(vector)
        return any(decode_consent(copy.item.body).vector == digest for copy in self._slot.consents.get(author, ()))

    def _told_by_enough(self) -> ToldOutcome | None:
        """The decision that more of the others tell alike than may lie; None if there is none.

        If our process stood still in this slot it is enough that most of the others tell it, and at least two: nobody
        waits for us any more.
        """
        slot, others = self._slot, len(self.members) - 1
        told, count = Counter(slot.told.values()).most_common(1)[0]
        enough = max(self.liars + 1, 2)
        if slot.stood_still:
            enough = min(enough, max(others // 2 + 1, 2))
        return told if count >= enough else None

    def _conclude_without_consents(self, vector: dict[int, bytes], absent: frozenset[int], now: float) -> None:
        """Step 8: lost are those without a single statement; only if there are none, those without a consent."""
        lost = self._without_one_statement()
        if not lost:
            lost = absent | {author for author in vector if not self._has_consented(author, vector)}
        self._conclude(self._vector_without(lost), lost, now)

    def _conclude(self, bodies: dict[int, bytes], lost: frozenset[int], now: float, *, is_told: bool = False) -> None:
        slot = self._slot
        leaving = (
            frozenset()
            if is_told
            else frozenset(author for author, body in bodies.items() if slot.decoded[body].leaves is not None)
        )
        slot.decision = Decision(slot.number, bodies, lost | leaving)
        slot.decided_at = now

    def decided_statements(self) -> dict[int, Statement]:
        """The statements of the decision, by author."""
        decision = self._slot.decision
        assert decision is not None
        return {author: self._slot.decoded[body] for author, body in decision.bodies.items()}

    # Sending.

    def _signed(self, kind: int, before: tuple[Signature, ...], body: bytes) -> SignedItem:
        signed = TEXT + bytes((kind,)) + body
        signed += b"".join(bytes((each.peer_id,)) + each.signature for each in before)
        is_plain = self.members[self.own] == NO_KEY
        signature = bytes(SIGNATURE_SIZE) if is_plain else self._sign(signed)
        return SignedItem(kind, (*before, Signature(self.own, signature)), body)

    def _issue(self, items: _Items, kind: MessageKind, body: bytes) -> None:
        """Sign an item of our own, and send it to all."""
        item = self._signed(kind, (), body)
        items[self.own] = [_Copy(item, set(self.members), is_passed_on=True)]
        data = encode_item(item)
        self._out += [(peer_id, data) for peer_id in self._reached(self.members)]

    def _reached(self, members: Iterable[int]) -> list[int]:
        return [peer_id for peer_id in members if peer_id != self.own and peer_id not in self._unheard]

    def _pass_on(self, slot: _Slot, members: Mapping[int, bytes], now: float, *, is_all: bool) -> None:
        """Pass on what others may lack, each item at most once to each member; of consents, those to our vector."""
        is_all = is_all or now >= (slot.opened_at or 0.0) + EAGER
        digest = None if slot.vector is None else vector_hash(slot.vector)
        for items in (slot.statements, slot.consents):
            for author, copies in items.items():
                for copy in copies:
                    is_ours = items is slot.statements or decode_consent(copy.item.body).vector == digest
                    if author != self.own and is_ours and not copy.is_passed_on:
                        self._pass_copy_on(copy, author, slot, members, is_all=is_all)

    def _pass_copy_on(
        self, copy: _Copy, author: int, slot: _Slot, members: Mapping[int, bytes], *, is_all: bool
    ) -> None:
        lacking = [peer_id for peer_id in self._reached(members) if peer_id not in copy.known_to | slot.done]
        chosen = lacking if is_all else [peer_id for peer_id in lacking if (author, peer_id) in self._apart]
        if chosen:
            data = encode_item(self._signed(copy.item.kind, copy.item.signatures, copy.item.body))
            self._out += [(peer_id, data) for peer_id in chosen]
            copy.known_to |= set(chosen)
        copy.is_passed_on = is_all

    def _tell_decided(self, slot: _Slot) -> None:
        """Tell all members of a decided slot that it is decided here."""
        data = encode_decided(slot.number)
        self._out += [(peer_id, data) for peer_id in self._reached(self._members_before) if peer_id in self.members]

    def _help(self, now: float) -> None:
        """Pass on everything of the last slot to those that have not decided it, and later the decision itself."""
        slot = self._before
        if slot is None or slot.is_helped or slot.decision is None:
            return
        left = [
            peer_id
            for peer_id in self._reached(self.members)
            if peer_id in self._members_before and peer_id not in slot.done
        ]
        if not left:
            slot.is_helped = True
        elif now >= slot.decided_at + STEP:
            slot.is_helped = True
            _, bodies, lost = slot.decision
            told = tuple(bodies[author] for author in sorted(bodies))
            data = encode_outcome(ToldOutcome(slot.number, self._history_before, tuple(sorted(lost)), told))
            self._out += [(peer_id, data) for peer_id in left]
        elif self.is_open or now >= slot.decided_at + EAGER:
            self._pass_on(slot, dict.fromkeys(left, b""), now, is_all=True)
