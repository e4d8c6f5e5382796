"""Errors planted in the session, which composed cheats must find: a check that does not see them proves nothing.

``planted(name)`` is a context in which all sessions have the error. ``seeds_until_found`` plays until a match fails.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from unittest import mock

from retick.rollback.session import outcome, signing
from retick.rollback.session.agreement import Agreement
from retick.rollback.session.membership import Membership
from retick.rollback.session.messages.kinds import MessageKind
from retick.rollback.session.part import EarlyMessages
from retick.rollback.session.pause import Pause
from retick.rollback.session.peer import Role
from tests.checkers.cheats.scenarios import CheatScenario
from tests.checkers.cheats.shrink import failure_of

__all__ = ["FLAWS", "planted", "seeds_until_found"]


class Flaw(NamedTuple):
    """An error in the session."""

    what: str
    owner: Any
    name: str
    make: Callable[[Any], Any]
    """Makes the wrong one of the right one."""
    about: frozenset[str] = frozenset()
    """Kinds, deeds, happenings and roles that matches have in which it can show; others are not played."""

    def can_show_in(self, scenario: CheatScenario) -> bool:
        rules = [rule for each in scenario.rules for rule in each]
        words = {scenario.role, *(happening.kind for happening in scenario.happenings)}
        return self.about <= words.union(*((rule.what, rule.kind) for rule in rules))


def _returns(value: Any) -> Callable[[Any], Any]:
    return lambda right: lambda *given, **named: value


def _unsigned(right: Any) -> Any:
    def check(self: Agreement, item: Any) -> None:
        with mock.patch.object(self, "_verify"):
            right(self, item)

    return check


def _any_accuser(right: Any) -> Any:
    def connected(own: int, peer_ids: Any, said: Any) -> set[int]:
        accused = {peer_id for each in said.values() for peer_id, _ in each.unheard}
        return {peer_id for peer_id in right(own, peer_ids, said) if peer_id not in accused or peer_id == own}

    return connected


def _furthest_stop(right: Any) -> Any:
    def furthest(voices: Any, at: int, most: int) -> int:
        return max((each.stop for each in voices.values()), default=0)

    return furthest


def _anybody_resumes(right: Any) -> Any:
    def note_wishes(self: Pause, pause_at: int, match: Any) -> None:
        before = set(self._wanting)
        right(self, pause_at, match)
        if before - self._wanting:
            self._wanting.clear()
            self._go_on(match)

    return note_wishes


def _newcomers_are_members(right: Any) -> Any:
    def keep(self: EarlyMessages, peer: Any, data: bytes) -> None:
        agreement = self._session.membership.agreement
        if peer.role is Role.NEWCOMER and agreement is not None and data[0] == MessageKind.STATEMENT:
            agreement.members[peer.peer_id] = peer.key
            agreement.receive(peer.peer_id, data, self._session.now)
        else:
            right(self, peer, data)

    return keep


def _late_if_told_otherwise(right: Any) -> Any:
    def count_late(self: Agreement, seconds: float, now: float) -> None:
        slot, known = self._slot, self._slot.consents
        if slot.vector is not None:
            slot.consents = {author: known[author] for author in known if self._has_consented(author, slot.vector)}
        right(self, seconds, now)
        slot.consents = known

    return count_late


def _nothing_else(right: Any) -> Any:
    def has_consented(self: Agreement, author: int, vector: Any) -> bool:
        return bool(right(self, author, vector)) and len(self._slot.consents[author]) == 1

    return has_consented


def _roster_alone(right: Any) -> Any:
    return lambda self, match: self._roster_hash()


def _about(*words: str) -> frozenset[str]:
    return frozenset(words)


FLAWS: dict[str, Flaw] = {
    "no-consents": Flaw("decides without consents", Agreement, "_has_all_consents", _returns(True)),
    "nothing-else": Flaw(
        "one more consent makes the right one void", Agreement, "_has_consented", _nothing_else, _about("CONSENT")
    ),
    "not-passed-on": Flaw("passes nothing on", Agreement, "_pass_copy_on", _returns(None)),
    "unsigned": Flaw("checks no signature of statements", Agreement, "_check", _unsigned, _about("STATEMENT")),
    "late-if-told-otherwise": Flaw(
        "other consents count as none", Agreement, "_count_late", _late_if_told_otherwise, _about("STATEMENT")
    ),
    "any-accuser": Flaw("whom one no longer hears is lost", outcome, "connected", _any_accuser),
    "far-stop": Flaw("the furthest stop counts", outcome, "_furthest", _furthest_stop, _about("pause", "stand-by")),
    "anybody-resumes": Flaw(
        "one resumes the pause of another", Pause, "note_wishes", _anybody_resumes, _about("pause", "stand-by")
    ),
    "no-excuse": Flaw("a stop excuses no missing inputs", Membership, "excuses", _returns(False)),
    "blames-in-a-slot": Flaw("who could not state it is blamed", Membership, "has_decided_since", _returns(True)),
    "newcomers-are-members": Flaw(
        "newcomers take part",
        EarlyMessages,
        "keep",
        _newcomers_are_members,
        _about("newcomer", "unasked", "STATEMENT"),
    ),
    "roster-alone": Flaw(
        "a newcomer's match and seed are not compared", Membership, "_taken_hash", _roster_alone, _about("WELCOME")
    ),
    "forged-ranges": Flaw(
        "checks no signature of inputs", signing, "check_signature", _returns(None), _about("SIGNED")
    ),
}
"""The errors by name."""


@contextmanager
def planted(name: str) -> Iterator[None]:
    """All sessions have this error meanwhile."""
    flaw = FLAWS[name]
    with mock.patch.object(flaw.owner, flaw.name, flaw.make(getattr(flaw.owner, flaw.name))):
        yield


def seeds_until_found(name: str, *, first: int = 1, most: int = 1000) -> tuple[int, str]:
    """How many seeds it takes until a match fails because of an error, and how; 0 and "" if none of them does."""
    for seed in range(first, first + most):
        scenario = CheatScenario.drawn(seed)
        if not FLAWS[name].can_show_in(scenario):
            continue
        with planted(name):
            failure = failure_of(scenario)
        if failure and not failure_of(scenario):
            return seed - first + 1, failure
    return 0, ""
