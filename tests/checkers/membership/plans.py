"""Plans from seeds: matches of four and five with one liar or two, too many states to visit all.

A plan says who has news when, how long each message between honest peers is under way, who stands still and for how
long, and what each liar sends to whom, mostly in the last unit in which it is accepted, or in the first in which it is
not any more.
"""

import time
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from retick.errors import DecodeError
from retick.rollback.session.agreement import vector_hash
from retick.rollback.session.messages.agreement import Consent, decode_item, encode_consent, encode_item
from retick.rollback.session.messages.kinds import MessageKind
from tests.checkers.membership.honest import (
    ITEM_KINDS,
    TRAVEL,
    Honest,
    Rules,
    View,
    chain,
    scaled,
    signed,
    statement_body,
    view_of,
)
from tests.checkers.membership.liar import GARBAGE, Alphabet, letters
from tests.checkers.membership.slots import differences

STEP_UNITS = 3
"""Units of one step of the deadlines."""
MOST_UNITS = 60
"""Units after which every plan has ended."""


class PlanRules(NamedTuple):
    """What is drawn."""

    name: str
    rules: Rules
    sleeps: int = 0
    """For how many units one honest peer may stand still while a slot is open there; 0 if nobody does. In such plans
    nobody waits for members in doubt."""


class _Lie(NamedTuple):
    """What one liar sends to one honest peer, once."""

    slot: int
    liar: int
    target: int
    is_consent: bool
    content: int
    """Which of its statements; or to whose vector it consents."""
    age: int
    """The age of the target's slot at which it arrives."""
    signers: tuple[int, ...]


class _Plan:
    def __init__(self, setup: PlanRules, seed: int) -> None:
        self.setup, self.rules = setup, setup.rules
        self.dice = dice = Random(seed)
        self.alphabet = Alphabet(names=((), tuple(dice.sample(range(self.rules.size), 1))))
        self.peers = [Honest(own, self.rules) for own in range(self.rules.honest)]
        self.under_way: list[tuple[int, int, int, bytes]] = []
        """When each message arrives at the latest, from whom, to whom."""
        self.seen: list[bytes] = []
        """What honest peers have sent to liars."""
        self.travel = dice.choice(((0,), (TRAVEL,), range(TRAVEL + 1)))
        self.noise = dice.choice((0.0, 0.0, 0.03, 0.2))
        self.lies = [lie for slot in range(self.rules.slots) for lie in self._lies(slot)]
        self.news_at = [dice.randrange(4) if own == 0 or dice.random() < 0.5 else None for own in self._honest]
        self.losses = [
            (dice.randrange(2, 5) + dice.choice((0, 0, 1, 4)), own, gone)
            for own in self._honest
            for gone in self.rules.gone
        ]
        sleeps = dice.randint(1, setup.sleeps) if setup.sleeps else 0
        self.sleeper = dice.choice(self._honest)
        self.sleeps_after, self.sleeps_for = dice.randrange(8), sleeps
        self.asleep = range(0)

    @property
    def _honest(self) -> range:
        return range(self.rules.honest)

    def _lies(self, slot: int) -> Iterator[_Lie]:
        dice, rules = self.dice, self.rules
        patience, liars = rules.patience[0], min(2, rules.size - 2)
        statements_end = patience + liars * STEP_UNITS
        for liar in rules.liars:
            is_plain = dice.random() < 0.4
            for target in self._honest:
                for content in range(1 if dice.random() < 0.6 else 2):
                    signers = self._signers(liar)
                    edge = patience + (len(signers) - 1) * STEP_UNITS
                    age = 0 if is_plain else self._age(edge)
                    variant = dice.randrange(2) if content == 0 and not is_plain else content
                    if dice.random() < 0.85:
                        yield _Lie(slot, liar, target, False, variant, age, signers)
                for _ in range(1 if dice.random() < 0.6 else 2):
                    signers = self._signers(liar)
                    edge = statements_end + len(signers) * STEP_UNITS
                    if dice.random() < 0.8:
                        yield _Lie(slot, liar, target, True, dice.randrange(rules.honest + 1), self._age(edge), signers)

    def _signers(self, liar: int) -> tuple[int, ...]:
        others = [each for each in self.rules.liars if each != liar]
        return (liar, *self.dice.sample(others, self.dice.randint(0, len(others))))

    def _age(self, edge: int) -> int:
        dice = self.dice
        return dice.choice((0, 1, edge - 1, edge, edge, edge, edge + 1, dice.randrange(edge + 3)))

    def run(self) -> list[str]:
        for now in range(MOST_UNITS):
            self._pass_time(now)
            for own in self._honest:
                self._news_of(own, now)
            self._lie(now)
            wrongs = self._wrongs()
            if wrongs:
                return wrongs
            if all(len(peer.decisions) >= self.rules.slots for peer in self.peers):
                return []
            if now > 12 and not self.under_way and not any(peer.agreement.is_busy for peer in self.peers):
                break
        return self._wrongs_at_end()

    def _is_asleep(self, own: int, now: int) -> bool:
        return own == self.sleeper and now in self.asleep

    def _pass_time(self, now: int) -> None:
        opened_at = self.peers[self.sleeper].agreement.opened_at
        if self.sleeps_for and opened_at is not None and now == opened_at + self.sleeps_after + 1:
            self.asleep, self.sleeps_for = range(now, now + self.sleeps_for), 0
        for own in self._honest:
            if not self._is_asleep(own, now):
                self.peers[own].poll(now)
                self._post(own, now)
        for _ in range(2):
            # What was under way comes first; what was sent just now may come as well.
            mail, self.under_way = self.under_way, []
            kept = []
            for at, source, target, data in mail:
                if at > now or self._is_asleep(target, now):
                    kept.append((at, source, target, data))
                else:
                    self.peers[target].receive(source, data, now)
                    self._post(target, now)
            self.under_way = kept + self.under_way

    def _post(self, own: int, now: int) -> None:
        for target, data in self.peers[own].drain():
            if target < self.rules.honest:
                earlier = max((at for at, *pair, _ in self.under_way if pair == [own, target]), default=0)
                self.under_way.append((max(now + self.dice.choice(self.travel), earlier), own, target, data))
            else:
                self.seen.append(data)

    def _news_of(self, own: int, now: int) -> None:
        peer = self.peers[own]
        if self._is_asleep(own, now) or peer.slot >= self.rules.slots:
            return
        if self.news_at[own] == now and peer.agreement.may_open(now):
            peer.news(now)
        for at, loser, gone in self.losses:
            if loser == own and at <= now and gone in peer.agreement.members and gone not in peer.unheard:
                peer.lose(gone, now)
        if peer.slot and peer.agreement.may_open(now) and self.dice.random() < 0.2:
            peer.news(now)
        if peer.agreement.wants_statement and (self.setup.sleeps or self.dice.random() < 0.5):
            peer.state(now)
        self._post(own, now)

    # Lies.

    def _lie(self, now: int) -> None:
        views = [view_of(peer) for peer in self.peers]
        left = []
        for lie in self.lies:
            data = self._written(lie, views, now)
            if data is None:
                left.append(lie)
            else:
                self._send(lie.signers[-1], lie.target, data, now)
        self.lies = left
        for target in self._honest:
            if self.dice.random() < self.noise:
                self._send_any(target, now)

    def _send(self, liar: int, target: int, data: bytes, now: int) -> None:
        if not self._is_asleep(target, now):
            self.peers[target].receive(liar, data, now)
            self._post(target, now)

    def _send_any(self, target: int, now: int) -> None:
        liars = [liar for liar in self.rules.liars if liar in self.peers[target].agreement.members]
        views = tuple(view_of(peer) for peer in self.peers)
        choices = letters(target, views, self.rules, self.alphabet)
        for data in self.dice.sample(self.seen, min(len(self.seen), 3)):
            if data[0] in ITEM_KINDS and liars:
                item = decode_item(data)
                liar = self.dice.choice(liars)
                if all(each.peer_id not in (liar, target) for each in item.signatures):
                    choices.append((liar, encode_item(chain(item, liar))))
        if choices:
            self._send(*self._picked(target, choices), now)

    def _picked(self, target: int, choices: list[tuple[int, bytes]]) -> tuple[int, int, bytes]:
        liar, data = self.dice.choice(choices)
        return liar, target, data

    def _written(self, lie: _Lie, views: list[View], now: int) -> bytes | None:
        """What is sent, if it is time; None if not."""
        at = views[lie.target]
        here = [view for view in views if view.slot == lie.slot and lie.liar in view.members]
        if not here or at.slot > lie.slot:
            return None
        if at.slot == lie.slot:
            age = -1.0 if at.opened_at is None else now - at.opened_at
            if lie.age and age < lie.age:
                return None
        history = (at if at.slot == lie.slot else here[0]).history
        if not lie.is_consent:
            body = statement_body(lie.slot, history, lie.liar, self._named_by(lie), lie.content)
            return signed(MessageKind.STATEMENT, body, *lie.signers)
        vector = GARBAGE
        if lie.content < len(views):
            chosen = views[lie.content]
            if chosen.slot != lie.slot or chosen.history != history or chosen.vector is None:
                return None
            vector = vector_hash(dict(chosen.vector))
        return signed(MessageKind.CONSENT, encode_consent(Consent(lie.slot, history, lie.liar, vector)), *lie.signers)

    def _named_by(self, lie: _Lie) -> tuple[int, ...]:
        return tuple(each for each in self.alphabet.names[lie.content] if each != lie.liar)

    # What must hold.

    def _wrongs(self) -> list[str]:
        found = [wrong for peer in self.peers for wrong in peer.wrongs]
        return [*found, *differences(tuple(peer.decisions for peer in self.peers))]

    def _wrongs_at_end(self) -> list[str]:
        late = [peer.own for peer in self.peers if peer.agreement.is_open and len(peer.agreement.members) > 2]
        counts = {len(peer.decisions) for peer in self.peers}
        found = [f"{late} have decided nothing"] if late else []
        return [*found, *([f"some have decided more slots than others: {counts}"] if len(counts) > 1 else [])]


class PlansFound(NamedTuple):
    """What plans have shown."""

    plans: int
    seconds: float
    wrongs: dict[int, list[str]]
    """What went wrong, by seed."""


def run_plans(setup: PlanRules, plans: int, seed: int = 0, *, is_enough: int = 1) -> PlansFound:
    """Play so many plans, until in ``is_enough`` of them something was wrong."""
    began = time.process_time()
    wrongs: dict[int, list[str]] = {}
    with scaled():
        for number in range(plans):
            found = play(setup, seed + number)
            if found:
                wrongs[seed + number] = found
            if len(wrongs) >= is_enough:
                return PlansFound(number + 1, time.process_time() - began, wrongs)
    return PlansFound(plans, time.process_time() - began, wrongs)


def play(setup: PlanRules, seed: int) -> list[str]:
    """Play one plan; what is wrong."""
    try:
        return _Plan(setup, seed).run()
    except DecodeError as error:
        return [f"an error escapes: {error}"]
