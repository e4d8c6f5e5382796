"""What liars can send: everything that they can sign, out of a few contents, to anybody at any time.

They know all that honest peers have signed, at once, and what each other one is about to do. They share their keys.
"""

from collections.abc import Iterable, Iterator
from itertools import permutations
from typing import NamedTuple

from retick.rollback.session.agreement import vector_hash
from retick.rollback.session.messages.agreement import (
    Consent,
    ToldOutcome,
    encode_consent,
    encode_decided,
    encode_item,
    encode_outcome,
)
from retick.rollback.session.messages.kinds import MessageKind
from tests.checkers.membership.honest import ELSEWHERE, Rules, View, chain, forged, signed, statement_body

GARBAGE = b"garbage".ljust(32, b".")
"""A vector that there is not."""

Letter = tuple[int, bytes]
"""A message of a liar: its sender, and what it sends."""


class Alphabet(NamedTuple):
    """What liars may say, in a search."""

    variants: tuple[int, ...] = (2, 2)
    """How many different statements each liar makes in each slot."""
    names: tuple[tuple[int, ...], ...] = ((), ())
    """Whom each of the statements names as unheard."""
    is_chained: bool = True
    """Whether liars sign each other's items, and pass on those of honest peers."""
    consents: str = "vnh"
    """To what they consent: "v" to each vector that honest peers have or may get, "n" to one without themselves,
    "g" and "h" to vectors that there are not."""
    tells: bool = True
    """Whether they tell decisions, true ones and others, and that they have decided."""
    forges: bool = True
    """Whether they forge signatures, and repeat what was said in another match."""


def letters(target: int, views: tuple[View, ...], rules: Rules, alphabet: Alphabet) -> list[Letter]:
    """Everything that liars may send to an honest peer now, beside what it has waiting already."""
    found: dict[Letter, None] = {}
    at = views[target]
    for slot, history, members in {(view.slot, view.history, view.members) for view in views}:
        liars = [liar for liar in rules.liars if liar in members]
        if slot < at.slot or slot > at.slot + 1 or slot >= rules.slots or target not in members:
            continue
        here = tuple((own, view) for own, view in enumerate(views) if (view.slot, view.history) == (slot, history))
        for each in _of_slot(target, slot, history, here, liars, rules, alphabet):
            found[each] = None
    return [each for each in found if each[1] not in at.waiting]


def _of_slot(
    target: int,
    slot: int,
    history: bytes,
    here: tuple[tuple[int, View], ...],
    liars: list[int],
    rules: Rules,
    alphabet: Alphabet,
) -> Iterator[Letter]:
    bodies = {liar: _statements(slot, history, liar, alphabet) for liar in liars}
    for liar in liars:
        for body in bodies[liar]:
            yield from _chains(MessageKind.STATEMENT, body, liar, liars, alphabet)
    for vector in sorted({*_vectors(here, bodies, alphabet)}):
        for liar in liars:
            body = encode_consent(Consent(slot, history, liar, vector))
            yield from _chains(MessageKind.CONSENT, body, liar, liars, alphabet)
    for own, view in here:
        if own != target and view.own_statement is not None:
            for liar in liars if alphabet.is_chained else ():
                yield liar, encode_item(chain(view.own_statement, liar))
        if own != target and alphabet.forges:
            for liar in liars:
                yield liar, forged(signed(MessageKind.STATEMENT, statement_body(slot, history, own, (), 1), own, liar))
                # This was said, and signed, in another match of the same two.
                yield liar, signed(MessageKind.STATEMENT, statement_body(slot, ELSEWHERE, own, ()), own, liar)
    if alphabet.tells:
        for told in _decisions(target, slot, history, here, bodies):
            yield from ((liar, encode_outcome(told)) for liar in liars)
        yield from ((liar, encode_decided(slot)) for liar in liars)
    if alphabet.forges and slot + 1 < rules.slots:
        for liar in liars:
            yield liar, signed(MessageKind.STATEMENT, statement_body(slot + 1, ELSEWHERE, liar, ()), liar)


def _statements(slot: int, history: bytes, liar: int, alphabet: Alphabet) -> list[bytes]:
    return [
        statement_body(slot, history, liar, alphabet.names[variant], variant)
        for variant in range(alphabet.variants[slot])
    ]


def _chains(kind: int, body: bytes, author: int, liars: Iterable[int], alphabet: Alphabet) -> Iterator[Letter]:
    yield author, signed(kind, body, author)
    others = [liar for liar in liars if liar != author]
    for count in range(1, len(others) + 1) if alphabet.is_chained else ():
        for more in permutations(others, count):
            yield more[-1], signed(kind, body, author, *more)


def _vectors(here: tuple[tuple[int, View], ...], bodies: dict[int, list[bytes]], alphabet: Alphabet) -> Iterator[bytes]:
    """The hashes of vectors to which a liar may consent."""
    for each in alphabet.consents:
        if each in "gh":
            yield GARBAGE[:-1] + each.encode()
    stated = {own: dict(view.bodies)[own][0] for own, view in here if own in dict(view.bodies)}
    for _, view in here:
        if view.vector is not None:
            yield vector_hash(dict(view.vector))
            if "n" in alphabet.consents:
                yield vector_hash({author: body for author, body in view.vector if author not in bodies})
    if len(stated) == len(here) and "n" in alphabet.consents:
        yield vector_hash(stated)
    if "v" in alphabet.consents and len(stated) == len(here) and len(bodies) == 1:
        [(liar, mine)] = bodies.items()
        for body in mine:
            yield vector_hash({**stated, liar: body})


def _decisions(
    target: int, slot: int, history: bytes, here: tuple[tuple[int, View], ...], bodies: dict[int, list[bytes]]
) -> Iterator[ToldOutcome]:
    """Decisions that a liar may tell: that the other honest peers are lost, and what they are about to decide."""
    others = tuple(own for own, _ in here if own != target)
    for own, view in here:
        if own == target and view.own_statement is not None:
            mine = [bodies[liar][0] for liar in sorted(bodies)]
            yield ToldOutcome(slot, history, others, (view.own_statement.body, *mine))
        elif view.vector is not None:
            yield ToldOutcome(slot, history, (), tuple(body for _, body in view.vector))
