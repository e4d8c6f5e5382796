"""Honest peers of the model: the real agreement and the real meaning of decisions, in a time of whole units.

Theory of operation. Peers share nothing but messages, so what one does is a function of its own state and of what
happens to it. Each such pair is run once on the real code and remembered. A state that was met is kept as bytes; its
clock always stands at 0, so that the same state later is the same one.

A unit is 0.4 s, and the module's times are scaled with it exactly: messages between honest peers take 0, 1 or 2 units,
which is less than delta, and everybody looks at its clock in every unit.
"""

import math
import pickle
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from hashlib import blake2b
from typing import Any, NamedTuple
from unittest import mock

from retick.errors import DecodeError, InvalidValue
from retick.rollback.session import agreement as agreement_module
from retick.rollback.session.agreement import TEXT, Agreement, Decision, most_liars
from retick.rollback.session.messages.agreement import (
    Signature,
    SignedItem,
    Statement,
    Wishes,
    decode_item,
    decode_statement,
    encode_item,
    encode_statement,
    head_of,
)
from retick.rollback.session.messages.kinds import MessageKind
from retick.rollback.session.messages.roster import MemberTerms, Reach
from retick.rollback.session.outcome import SlotMembers, decided

UNIT = 2 / 3
"""Seconds in one unit of the model's time."""
TRAVEL = 1
"""The most units for which a message between honest peers is under way."""
INPUT_SIZE = 1
SCALED = ("DELTA", "STEP", "EAGER", "INTERVAL")
SECONDS = {name: getattr(agreement_module, name) for name in SCALED}
ITEM_KINDS = (MessageKind.STATEMENT, MessageKind.CONSENT)
ROSTER = b"roster".ljust(32, b".")
"""The history before the first slot."""
ELSEWHERE = b"elsewhere".ljust(32, b".")
"""The history of another match of the same peers with the same keys."""

Happening = tuple[Any, ...]
"""What happens to a peer: a word for its kind, and its details."""


@contextmanager
def scaled() -> Iterator[None]:
    """The agreement's times are in units while this lasts."""
    units = {name: seconds / UNIT for name, seconds in SECONDS.items()}
    with mock.patch.multiple(agreement_module, **units):
        yield


def key_of(peer_id: int) -> bytes:
    return bytes((peer_id + 1,)) * 32


def sign(peer_id: int, data: bytes) -> bytes:
    """A stand-in for a signature, which only the model makes."""
    return blake2b(data, key=key_of(peer_id), digest_size=64).digest()


def verify(key: bytes, signature: bytes, data: bytes) -> None:
    if signature != blake2b(data, key=key, digest_size=64).digest():
        raise InvalidValue("a wrong signature")


def signed(kind: int, body: bytes, *signers: int) -> bytes:
    """An item with the signatures of these, the first one its author."""
    return encode_item(chain(SignedItem(kind, (), body), *signers))


def chain(item: SignedItem, *signers: int) -> SignedItem:
    """An item with more signatures."""
    kind, signatures, body = item
    data = TEXT + bytes((kind,)) + body + b"".join(bytes((each.peer_id,)) + each.signature for each in signatures)
    for peer_id in signers:
        signature = sign(peer_id, data)
        signatures = (*signatures, Signature(peer_id, signature))
        data += bytes((peer_id,)) + signature
    return SignedItem(kind, signatures, body)


def forged(data: bytes) -> bytes:
    """The same item with a first signature that its author did not make."""
    kind, (first, *rest), body = decode_item(data)
    bad = Signature(first.peer_id, bytes(reversed(first.signature)))
    return encode_item(SignedItem(kind, (bad, *rest), body))


class Rules(NamedTuple):
    """One match of the model."""

    size: int
    """How many members there are; the first ``honest`` of them are."""
    honest: int
    patience: tuple[int, ...]
    """The D of each honest peer in units: the same for all, but where a planted flaw has it otherwise."""
    slots: int = 1
    """How many slots are played."""
    crashed: int = 0
    """How many of the last members are gone from the start, each of which the honest notice when they notice it."""
    is_owner: bool = True
    """Whether honest peers that are lost without a fault of their own count as wrong."""

    @property
    def liars(self) -> tuple[int, ...]:
        return tuple(range(self.honest, self.size - self.crashed))

    @property
    def gone(self) -> tuple[int, ...]:
        return tuple(range(self.size - self.crashed, self.size))


def statement_body(slot: int, history: bytes, author: int, unheard: tuple[int, ...], variant: int = 0) -> bytes:
    """A statement: ``variant`` tells two of one author apart."""
    wishes = Wishes(pause=bool(variant & 1))
    stop = 30 + 7 * author + 1000 * variant
    return encode_statement(
        Statement(slot, history, author, stop, wishes, unheard=tuple((peer_id, 1) for peer_id in unheard)), INPUT_SIZE
    )


class Honest:
    """One honest peer: an agreement, and what the session around it does with it."""

    def __init__(self, own: int, rules: Rules) -> None:
        self.own = own
        self.rules = rules
        self.agreement = Agreement(
            own,
            {peer_id: key_of(peer_id) for peer_id in range(rules.size)},
            ROSTER,
            disconnect_after=rules.patience[own],
            sign=partial(sign, own),
            input_size=INPUT_SIZE,
            verify=verify,
        )
        self.unheard: tuple[int, ...] = ()
        self.decisions: tuple[bytes, ...] = ()
        """What was decided in each slot, with all that follows from it."""
        self.own_items: dict[tuple[int, int], bytes] = {}
        """What it has signed as author, by kind and slot."""
        self.slept = 0
        """Units for which its process stood still in the open slot."""
        self.wrongs: list[str] = []

    @property
    def slot(self) -> int:
        return self.agreement.slot

    def poll(self, now: float) -> None:
        self.agreement.poll(now)
        self._turn(now)

    def receive(self, sender: int, data: bytes, now: float) -> None:
        if sender not in self.agreement.members or sender in self.unheard:
            return
        try:
            self.agreement.receive(sender, data, now)
        except DecodeError as error:
            if sender < self.rules.honest:
                self.wrongs.append(f"{self.own} blames the honest {sender}: {error}")
        self._turn(now)

    def news(self, now: float) -> None:
        self.agreement.open(now)
        self._turn(now)

    def lose(self, peer_id: int, now: float) -> None:
        self.unheard = (*self.unheard, peer_id)
        self.agreement.stop_hearing(peer_id, now)
        self.agreement.open(now)
        self._turn(now)

    def state(self, now: float) -> None:
        self._state(now)
        self._turn(now)

    def _state(self, now: float) -> None:
        agreement = self.agreement
        body = statement_body(agreement.slot, agreement.history, self.own, self.unheard)
        agreement.state(decode_statement(body, INPUT_SIZE), now)

    def _turn(self, now: float) -> None:
        """What the session does after anything has happened."""
        agreement = self.agreement
        if agreement.wants_statement and now >= agreement.latest_statement_at:
            self._state(now)
        while (decision := agreement.decision()) is not None:
            self._apply(decision, now)
        if agreement.wants_statement:
            agreement.poll(now)  # its next frame is so soon that no time passes
        if agreement.is_open and len(agreement.members) > 2 and now > self._latest_end():
            self.wrongs.append(f"{self.own} has not decided slot {self.slot} in time")

    def _latest_end(self) -> float:
        """When the slot must be decided, as docs/formats/membership.md has it."""
        agreement: Any = self.agreement
        steps = 2 * min(2, len(agreement.members) - 2) + 1
        if agreement._slot.stood_still and len(agreement.members) > 3:
            steps += 2
        return float(agreement.opened_at + self.rules.patience[self.own] + steps * 2 * SECONDS["DELTA"] / UNIT)

    def _apply(self, decision: Decision, now: float) -> None:
        agreement = self.agreement
        terms = {peer_id: MemberTerms((peer_id,), b"", Reach(2, 1)) for peer_id in agreement.members}
        members = SlotMembers(terms, {}, (), self.rules.size, 60)
        found = decided(self.own, members, decision.lost, agreement.decided_statements())
        said = repr((decision.digest, sorted(found.lost), found[1:]))
        self.decisions += (blake2b(said.encode(), digest_size=8).digest(),)
        lost = [peer_id for peer_id in sorted(found.lost) if peer_id < self.rules.honest]
        if lost and self.rules.is_owner:
            self.wrongs.append(f"{self.own} loses the honest {lost} in slot {self.slot}")
        remaining = {peer_id: key for peer_id, key in agreement.members.items() if peer_id not in found.lost}
        if self.own not in remaining:
            remaining[self.own] = key_of(self.own)
            self.wrongs += [] if lost else [f"{self.own} has lost itself in slot {self.slot}"]
        self.unheard = tuple(peer_id for peer_id in self.unheard if peer_id in remaining)
        self.slept = 0
        for sender, data in agreement.begin_next(remaining):
            if self.slot < self.rules.slots:
                self.receive(sender, data, now)

    def drain(self) -> list[tuple[int, bytes]]:
        """The messages to honest peers; whoever signs two items of one kind in a slot is wrong."""
        out = []
        for target, data in self.agreement.drain():
            if data[0] in ITEM_KINDS:
                kind, signatures, body = decode_item(data)
                if signatures[0].peer_id == self.own:
                    slot = head_of(body)[0]
                    if self.own_items.setdefault((kind, slot), body) != body:
                        self.wrongs.append(f"{self.own} signs two different items in slot {slot}")
            out.append((target, data))
        self.own_items = {name: body for name, body in self.own_items.items() if name[1] >= self.slot - 1}
        return out

    def shift(self, by: float) -> None:
        """Set all clocks back: the same state at another time."""
        agreement: Any = self.agreement
        agreement._looked_at -= by
        for slot in (agreement._slot, agreement._before):
            if slot is not None:
                slot.opened_at = None if slot.opened_at is None else slot.opened_at - by
                slot.decided_at -= by


AGREEMENT_FIELDS = {
    "own",
    "members",
    "history",
    "_disconnect_after",
    "_sign",
    "_verify",
    "_input_size",
    "_slot",
    "_before",
    "_members_before",
    "_history_before",
    "_waiting",
    "_out",
    "_unheard",
    "_apart",
    "_looked_at",
    "_late_for",
    "round_trip",
    "refused",
}
"""All fields of an agreement: a new one must be looked at here."""
SLOT_FIELDS = {
    "number",
    "opened_at",
    "statements",
    "consents",
    "decoded",
    "vector",
    "absent",
    "told",
    "done",
    "stood_still",
    "decision",
    "decided_at",
    "is_helped",
}


def digest_of(peer: Honest) -> bytes:
    """What the future of a peer depends on, at time 0.

    Left out: what an item was signed with and who knows it once it was passed on, for that is what it is kept for; the
    slot before once all have decided it; lateness with its round trip, and refusals, which only count.
    """
    agreement: Any = peer.agreement
    now = agreement._slot
    others = {each for each in range(peer.rules.honest) if each in agreement.members and each not in agreement._unheard}
    lacking = others - now.done
    is_over = now.number >= peer.rules.slots
    opened_at = None if is_over else now.opened_at
    told = sorted((sender, repr(each)) for sender, each in now.told.items())
    present = (
        now.number,
        opened_at,
        None if is_over else (_items_of(now.statements, lacking), _items_of(now.consents, lacking)),
        None if now.vector is None else sorted(now.vector.items()),
        sorted(now.absent),
        sorted(now.done & others),
        None if is_over else told,
        now.stood_still,
        agreement.history,
        sorted(agreement.members),
        sorted(agreement._unheard),
        sorted(agreement._apart) if not is_over else None,
        None if is_over else sorted(agreement._waiting.items()),
        peer.unheard,
        peer.decisions,
        agreement._looked_at,
        [] if is_over else sorted((kind, slot, body) for (kind, slot), body in peer.own_items.items()),
    )
    return blake2b(repr((present, _before_of(agreement, others))).encode(), digest_size=16).digest()


def _items_of(items: Mapping[int, Any], others: set[int]) -> tuple[Any, ...]:
    """The items by whether they are still to be passed on to honest peers; in that case with how they came."""
    done, left = [], []
    for author in items:
        for copy in items[author]:
            if copy.is_passed_on or copy.known_to >= others:
                done.append((author, copy.item.body))
            else:
                left.append((author, copy.item.body, copy.item.signatures, sorted(others - copy.known_to)))
    return sorted(done), left


def _before_of(agreement: Any, others: set[int]) -> tuple[Any, ...]:
    """The slot before, as long as this peer waits for its next one, or honest peers need its help."""
    slot = agreement._before
    if slot is None:
        return ()
    is_fresh = slot.decided_at + agreement_module.INTERVAL > 0
    left = others & agreement._members_before.keys() - slot.done - {agreement.own}
    if slot.is_helped or not left:
        return (slot.decided_at if is_fresh else None,)
    waiting = (_items_of(slot.statements, left)[1], _items_of(slot.consents, left)[1])
    return slot.decided_at, waiting, sorted(left)


class Result(NamedTuple):
    """What a peer has done."""

    state: int
    """The number of its next state."""
    sent: tuple[tuple[int, int], ...]
    """The messages to honest peers: to whom, and the number of the message."""
    wrongs: tuple[str, ...]


class View(NamedTuple):
    """What a search looks at in a state."""

    slot: int
    history: bytes
    members: frozenset[int]
    is_open: bool
    may_state: bool
    may_open: bool
    opened_at: float | None
    own_statement: SignedItem | None
    bodies: tuple[tuple[int, tuple[bytes, ...]], ...]
    """The statements of the present slot, by author."""
    vector: tuple[tuple[int, bytes], ...] | None
    waiting: frozenset[bytes]
    decisions: tuple[bytes, ...]
    unheard: tuple[int, ...]
    is_busy: bool
    held: tuple[SignedItem, ...]
    """All items of the present slot, as they came."""


def view_of(peer: Honest) -> View:
    agreement: Any = peer.agreement
    slot = agreement._slot
    own = slot.statements.get(peer.own)
    return View(
        slot.number,
        agreement.history,
        frozenset(agreement.members),
        agreement.is_open,
        agreement.wants_statement,
        bool(agreement.may_open(0.0)),
        slot.opened_at,
        own[0].item if own else None,
        tuple((author, tuple(copy.item.body for copy in copies)) for author, copies in slot.statements.items()),
        None if slot.vector is None else tuple(sorted(slot.vector.items())),
        frozenset(data for messages in agreement._waiting.values() for data in messages),
        peer.decisions,
        peer.unheard,
        agreement.is_busy,
        tuple(copy.item for items in (slot.statements, slot.consents) for copies in items.values() for copy in copies),
    )


class Peers:
    """Every state of an honest peer that was met, by number, and what follows from it."""

    def __init__(self, rules: Rules, *, is_remembered: bool = True) -> None:
        self.rules = rules
        self.messages: list[bytes] = []
        """Everything that was sent, by number."""
        self.views: list[View] = []
        self.runs = 0
        self._message_numbers: dict[bytes, int] = {}
        self._kept: list[bytes] = []
        self._numbers: dict[tuple[int, bytes], int] = {}
        self._results: dict[tuple[int, Happening], Result] = {}

    def begin(self) -> tuple[int, ...]:
        """The states of all honest peers at the start."""
        return tuple(self._put_away(Honest(own, self.rules)).state for own in range(self.rules.honest))

    def number(self, data: bytes) -> int:
        """The number of a message."""
        found = self._message_numbers.setdefault(data, len(self.messages))
        if found == len(self.messages):
            self.messages.append(data)
        return found

    def after(self, state: int, happening: Happening) -> Result:
        """What a peer does when this happens."""
        found = self._results.get((state, happening))
        if found is None:
            found = self._results[state, happening] = self._run(state, happening)
        return found

    def _run(self, state: int, happening: Happening) -> Result:
        self.runs += 1
        peer: Honest = pickle.loads(self._kept[state])
        kind, *details = happening
        if kind == "poll":
            peer.poll(1.0)
            peer.shift(1.0)
        elif kind == "receive":
            sender, message = details
            peer.receive(sender, self.messages[message], 0.0)
        else:
            doing: Callable[..., None] = getattr(peer, kind)
            doing(*details, 0.0)
        return self._put_away(peer)

    def _put_away(self, peer: Honest) -> Result:
        sent = tuple((target, self.number(data)) for target, data in peer.drain() if target < self.rules.honest)
        wrongs, peer.wrongs = tuple(peer.wrongs), []
        name = (peer.own, digest_of(peer))
        number = self._numbers.get(name)
        if number is None:
            number = self._numbers[name] = len(self._kept)
            self._kept.append(pickle.dumps(peer, pickle.HIGHEST_PROTOCOL))
            self.views.append(view_of(peer))
        return Result(number, sent, wrongs)


__all__ = ["ELSEWHERE", "TRAVEL", "UNIT", "Honest", "Peers", "Result", "Rules", "View", "most_liars", "scaled"]
assert math.isclose(SECONDS["STEP"], 2 * SECONDS["DELTA"])
