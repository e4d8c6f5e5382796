"""The agreement alone, with liars at the edges of its deadlines; a search finds more of them, these it has found."""

from collections.abc import Iterable

from retick.rollback.desync.equivocation import NO_KEY, SIGNATURE_SIZE
from retick.rollback.session.agreement import DELTA, EAGER, INTERVAL, STEP, Agreement, vector_hash
from retick.rollback.session.messages.agreement import (
    Consent,
    Signature,
    SignedItem,
    Statement,
    decode_item,
    encode_consent,
    encode_item,
    encode_statement,
)
from retick.rollback.session.messages.kinds import MessageKind

PATIENCE = 8.0
FRAME = 1 / 8
ROSTER = bytes(32)


def unsigned(data: bytes) -> bytes:
    raise AssertionError("peers without keys sign nothing")


class Group:
    """Honest members without keys, the others lie; messages wait until they are delivered."""

    def __init__(self, size: int, honest: int) -> None:
        self.now = 100.0
        self.peers = [
            Agreement(
                own, dict.fromkeys(range(size), NO_KEY), ROSTER, disconnect_after=PATIENCE, sign=unsigned, input_size=1
            )
            for own in range(honest)
        ]
        self.under_way: list[tuple[int, int, bytes]] = []
        self.decided: dict[int, list[frozenset[int]]] = {own: [] for own in range(honest)}

    def state(self, own: int) -> None:
        agreement = self.peers[own]
        agreement.open(self.now)
        agreement.state(Statement(agreement.slot, agreement.history, own), self.now)
        self.settle(own)

    def settle(self, own: int) -> None:
        """Send what there is to send, and go on to the next slot if this one is decided."""
        agreement = self.peers[own]
        decision = agreement.decision()
        if decision is not None:
            self.decided[own].append(decision.lost)
            members = {peer_id: NO_KEY for peer_id in agreement.members if peer_id not in decision.lost}
            waiting = agreement.begin_next(members)
            for sender, data in waiting:
                self.receive(own, sender, data)
        self.under_way += [(own, target, data) for target, data in agreement.drain() if target < len(self.peers)]

    def receive(self, own: int, sender: int, data: bytes) -> None:
        self.peers[own].receive(sender, data, self.now)
        self.settle(own)

    def deliver(self, targets: Iterable[int] | None = None) -> None:
        """All that is under way to these arrives, and all that is sent for it."""
        chosen = set(range(len(self.peers)) if targets is None else targets)
        while any(target in chosen for _, target, _ in self.under_way):
            at = next(at for at, (_, target, _) in enumerate(self.under_way) if target in chosen)
            source, target, data = self.under_way.pop(at)
            self.receive(target, source, data)

    def wait(self, seconds: float, asleep: Iterable[int] = ()) -> None:
        """Time passes, in which nothing arrives."""
        until = self.now + seconds
        while self.now < until:
            self.now = min(self.now + FRAME, until)
            for own, agreement in enumerate(self.peers):
                if own not in asleep:
                    agreement.poll(self.now)
                    self.settle(own)


def item(kind: MessageKind, body: bytes, *signers: int) -> bytes:
    return encode_item(SignedItem(kind, tuple(Signature(signer, bytes(SIGNATURE_SIZE)) for signer in signers), body))


def statement(agreement: Agreement, author: int, stop: int = 0) -> bytes:
    body = encode_statement(Statement(agreement.slot, agreement.history, author, stop), 1)
    return item(MessageKind.STATEMENT, body, author)


def consent(agreement: Agreement, author: int, vector: bytes) -> bytes:
    return item(MessageKind.CONSENT, encode_consent(Consent(agreement.slot, agreement.history, author, vector)), author)


def vector_of(group: Group, *lied: bytes) -> bytes:
    """The hash of the statements of honest members that say nothing, and of these."""
    bodies = {own: encode_statement(Statement(each.slot, each.history, own), 1) for own, each in enumerate(group.peers)}
    bodies |= {decode_item(data).signatures[0].peer_id: decode_item(data).body for data in lied}
    return vector_hash(bodies)


def test_a_liar_that_consents_twice_is_in_for_all_or_for_nobody() -> None:
    group = Group(3, 2)
    lie = statement(group.peers[0], 2)
    for own in range(2):
        group.receive(own, 2, lie)
        group.state(own)
    group.deliver()
    # What 0 hears last, 1 heard first: there, another consent came before, and another one after.
    vector = vector_of(group, lie)
    group.wait(1.0)
    first, second = (consent(group.peers[0], 2, bytes((number,)) * 32) for number in (1, 2))
    third = consent(group.peers[0], 2, vector)
    group.receive(1, 2, first)
    group.receive(1, 2, second)
    group.receive(0, 2, third)
    assert group.decided == {0: [frozenset()], 1: []}
    group.wait(0.5)
    group.deliver()
    assert group.decided == {0: [frozenset()], 1: [frozenset()]}


def test_whoever_opens_a_slot_brings_the_one_before_to_those_that_have_not_decided_it() -> None:
    """Otherwise the clocks of honest members differ by more than one delta in the next slot."""
    group = Group(3, 2)
    lie = statement(group.peers[0], 2)
    for own in range(2):
        group.receive(own, 2, lie)
        group.state(own)
    group.deliver()
    group.receive(0, 2, consent(group.peers[0], 2, vector_of(group, lie)))
    assert (group.peers[0].slot, group.peers[1].slot) == (1, 0)
    group.receive(0, 2, statement(group.peers[0], 2))
    group.deliver()
    assert (group.peers[0].slot, group.peers[1].slot) == (1, 1)
    assert INTERVAL < EAGER  # an honest member may open it, too, before it would help


def test_the_clock_starts_with_the_first_statement_and_not_with_news_of_which_nobody_knows() -> None:
    group = Group(3, 2)
    group.peers[0].open(group.now)
    group.wait(PATIENCE - STEP)
    assert group.now >= group.peers[0].latest_statement_at
    group.state(0)
    group.wait(DELTA)
    group.deliver()
    assert group.peers[1].opened_at == group.now
    group.wait(PATIENCE - STEP)
    group.state(1)
    group.wait(DELTA)
    group.deliver()
    assert {said.author for said in group.peers[0].statements()} == {0, 1}


def test_who_does_not_state_yet_passes_the_first_statement_on_at_once() -> None:
    group = Group(3, 2)
    group.receive(0, 2, statement(group.peers[0], 2))
    assert group.under_way == []
    group.wait(FRAME)
    assert [(source, target) for source, target, _ in group.under_way] == [(0, 1)]


def test_who_stood_still_takes_what_the_others_have_decided_meanwhile() -> None:
    group = Group(4, 3)
    lie = statement(group.peers[0], 3)
    for own in range(3):
        group.receive(own, 3, lie)
        group.state(own)
    group.deliver()
    group.wait(PATIENCE - STEP, asleep=[1])
    group.wait(12.5)
    group.deliver()
    assert group.decided == {0: [frozenset({3})], 1: [], 2: [frozenset({3})]}
    # Its clock stood still as well: it would take this consent, which comes too late for the others.
    group.receive(1, 3, consent(group.peers[1], 3, vector_of(group, lie)))
    assert group.decided[1] == []
    group.wait(STEP)
    group.deliver()
    assert group.decided[1] == [frozenset({3})]


def test_who_stood_still_lets_nobody_wait_for_its_statement() -> None:
    group = Group(4, 3)
    group.state(0)
    group.deliver()
    group.wait(3.0, asleep=[1])
    group.wait(FRAME)
    sleeper, awake = group.peers[1], group.peers[2]
    assert sleeper.latest_statement_at <= group.now < awake.latest_statement_at
