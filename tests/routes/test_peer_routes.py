"""The paths to one peer: who is probed how often, and which path is used."""

from collections import Counter
from ipaddress import ip_address
from random import Random
from typing import Any

import pytest

from retick.routes import peer_routes
from retick.routes.notes import Candidate, Candidates, Go, Note, Probe
from retick.routes.path import PathKind
from retick.routes.peer_routes import MOST_TRIED, PeerRoutes

HOME = ("203.0.113.250", 5000)


def told(number: int) -> Candidate:
    return Candidate(PathKind.REFLEXIVE, ip_address("203.0.113.0") + number, 5000)


class Carrier:
    """Notes what is sent."""

    def __init__(self) -> None:
        self.is_relayed = self.has_it = True
        self.sent: list[tuple[Note, Any, int | None]] = []
        self.changed: list[bool] = []
        self.known: list[tuple[Any, Any]] = []

    def is_present(self, number: int) -> bool:
        return self.has_it

    def candidates(self) -> tuple[Candidate, ...]:
        return (told(200),)

    def note(self, peer: PeerRoutes, note: Note, address: Any = None, ttl: int | None = None) -> None:
        self.sent.append((note, address, ttl))

    def path_changed(self, peer: PeerRoutes) -> None:
        self.changed.append(peer.was_silent)

    def path_known(self, peer: PeerRoutes, new: Any, old: Any) -> None:
        self.known.append((new, old))

    def probes(self, *, short: bool | None = None) -> list[tuple[bytes, Any]]:
        """Tokens and addresses of probes; those with a short TTL, the others, or all."""
        return [
            (note.token, address)
            for note, address, ttl in self.sent
            if isinstance(note, Probe) and not note.is_answer and short in (None, ttl is not None)
        ]


def made(*, is_first: bool = False) -> tuple[PeerRoutes, Carrier]:
    carrier = Carrier()
    peer = PeerRoutes(3, carrier, is_first=is_first, loopback=False, entropy=Random(1).randbytes)
    peer.begin(0.0)
    return peer, carrier


def run(peer: PeerRoutes, carrier: Carrier, until: float, *, now: float, answer: bool = True) -> float:
    """Let time pass; probes are answered after 20 ms, or not."""
    while (due := peer.next_timeout()) is not None and due <= until:
        now = max(now, due)
        before = len(carrier.sent)
        peer.handle_timeout(now)
        for note, address, ttl in carrier.sent[before:] if answer else ():
            if isinstance(note, Probe) and not note.is_answer and ttl is None:
                now += 0.02
                peer.receive_probe(Probe(note.token, True), address, now)
    return until


def in_use(**details: Any) -> tuple[PeerRoutes, Carrier]:
    """A peer with one path that answers."""
    peer, carrier = made(**details)
    peer.receive_signal(Candidates(1, (told(1),), False), 0.0)
    peer.receive_signal(Go(1), 0.1)
    token, address = carrier.probes(short=False)[0]
    peer.receive_probe(Probe(token, True), address, 0.15)
    assert peer.best is not None
    return peer, carrier


def test_an_offer_is_replied_to_and_opens_the_own_router_before_anything_reaches_the_other() -> None:
    peer, carrier = made()
    peer.receive_signal(Candidates(1, (told(1), told(2)), False), 0.0)
    assert carrier.sent[0] == (Candidates(1, (told(200),), True), None, None)
    assert [(address, ttl) for _, address, ttl in carrier.sent[1:]] == [(told(1).address, 2), (told(2).address, 2)]
    peer.receive_signal(Go(1), 0.1)
    assert [address for _, address in carrier.probes(short=False)] == [told(1).address, told(2).address]


def test_a_candidate_of_a_third_party_gets_one_probe_in_all_however_often_it_is_named() -> None:
    peer, carrier = made()
    now = 0.0
    for number in range(1, 200):
        peer.receive_signal(Candidates(number % 250 + 1, (told(66),), False), now)
        peer.receive_signal(Go(number % 250 + 1), now)
        now = run(peer, carrier, now + 1.0, now=now, answer=False)
    assert len(carrier.probes(short=False)) == 1


def test_only_so_many_addresses_are_tried_of_one_peer() -> None:
    peer, carrier = made()
    for number in range(1, 60):
        peer.receive_signal(Candidates(1, (told(number),), False), 0.0)
        peer.receive_signal(Go(1), 0.0)
    tried = Counter(address for _, address in carrier.probes(short=False))
    assert len(tried) == MOST_TRIED
    assert set(tried.values()) == {1}


def test_a_peer_that_offers_without_end_makes_no_flood() -> None:
    peer, carrier = made()
    for number in range(1000):
        peer.receive_signal(Candidates(1, (told(1), told(2)), False), number / 1000)
    assert len(carrier.probes(short=True)) <= 2 * 6


def test_nothing_is_offered_to_one_who_is_not_in_the_room() -> None:
    peer, carrier = made(is_first=True)
    carrier.has_it = False
    run(peer, carrier, 10.0, now=0.0)
    assert carrier.sent == []
    carrier.has_it = True
    run(peer, carrier, 11.0, now=10.0)
    assert carrier.sent


def test_on_the_local_network_no_short_probes_are_sent() -> None:
    peer, carrier = made()
    local = Candidate(PathKind.LOCAL, ip_address("10.0.0.5"), 5000)
    peer.receive_signal(Candidates(1, (local,), False), 0.0)
    assert carrier.probes() == []
    peer.receive_signal(Go(1), 0.1)
    assert [address for _, address in carrier.probes(short=False)] == [local.address]


def test_whoever_shows_up_from_another_port_is_answered_and_probed_there() -> None:
    peer, carrier = made()
    peer.receive_probe(Probe(b"12345678", False), HOME, 1.0)
    assert carrier.sent[0] == (Probe(b"12345678", True), HOME, None)
    [(token, address)] = carrier.probes()
    assert address == HOME
    assert peer.best is None, "it has not answered yet"
    peer.receive_probe(Probe(token, True), HOME, 1.1)
    assert peer.best is not None
    assert peer.best.kind is PathKind.SHOWN


def test_a_flood_of_probes_is_answered_and_not_multiplied() -> None:
    peer, carrier = made()
    for number in range(1000):
        peer.receive_probe(Probe(number.to_bytes(8, "little"), False), HOME, 1.0 + number / 10000)
    assert len(carrier.probes()) <= 2


def test_probes_from_many_false_addresses_are_answered_one_for_one_and_few_are_probed() -> None:
    peer, carrier = made()
    for number in range(1000):
        peer.receive_probe(Probe(number.to_bytes(8, "little"), False), ("192.0.2.1", 1000 + number), number / 100)
    now = run(peer, carrier, 60.0, now=10.0, answer=False)
    assert sum(isinstance(note, Probe) and note.is_answer for note, _, _ in carrier.sent) == 1000
    assert len({address for _, address in carrier.probes()}) == MOST_TRIED
    assert len(carrier.probes()) <= 6 * MOST_TRIED
    assert now == 60.0


def test_an_address_that_answers_makes_room_for_another_one() -> None:
    peer, carrier = made()
    for number in range(3 * MOST_TRIED):
        home = ("203.0.113.250", 1000 + number)
        peer.receive_probe(Probe(b"12345678", False), home, float(number))
        token, address = carrier.probes()[-1]
        assert address == home
        peer.receive_probe(Probe(token, True), home, number + 0.05)


def test_an_answer_from_elsewhere_proves_nothing_of_the_address_that_was_probed() -> None:
    peer, carrier = made()
    peer.receive_signal(Candidates(1, (told(1),), False), 0.0)
    peer.receive_signal(Go(1), 0.1)
    token, _ = carrier.probes(short=False)[0]
    peer.receive_probe(Probe(token, True), HOME, 0.2)
    assert peer.best is None


def test_a_silent_path_is_left_for_the_relay_and_new_rounds_begin() -> None:
    peer, carrier = in_use(is_first=True)
    now = run(peer, carrier, 6.0, now=0.2)
    assert carrier.changed == [False]
    run(peer, carrier, now + 1.2, now=now, answer=False)
    assert peer.best is None
    assert carrier.changed == [False, True]
    before = len(carrier.sent)
    run(peer, carrier, now + 6.0, now=now + 1.2, answer=False)
    assert any(isinstance(note, Candidates) for note, _, _ in carrier.sent[before:])


def test_a_silent_path_is_doubted_before_it_is_left() -> None:
    peer, carrier = in_use()
    now = run(peer, carrier, 3.0, now=0.2)
    assert not peer.is_doubted(now)
    now = run(peer, carrier, now + 0.62, now=now, answer=False)
    assert peer.best is not None
    assert peer.is_doubted(now)


def test_without_a_relay_a_silent_path_goes_on() -> None:
    peer, carrier = in_use()
    carrier.is_relayed = False
    run(peer, carrier, 5.0, now=0.2, answer=False)
    assert peer.best is not None


def test_another_path_is_used_only_if_it_is_clearly_faster() -> None:
    for faster, expected in ((0.019, False), (0.004, True)):
        peer, carrier = in_use()
        now = run(peer, carrier, 3.0, now=0.2)
        other = ("203.0.113.9", 9)
        for number in range(30):
            now += 0.2
            peer.receive_probe(Probe(number.to_bytes(8, "little"), False), other, now)
            for token, address in carrier.probes()[-1:]:
                peer.receive_probe(Probe(token, True), address, now + faster)
            path = peer.paths[other]
            token = b"%8d" % number
            path.probed(token, now)
            peer.receive_probe(Probe(token, True), other, now + faster)
        assert peer.best is not None
        assert (peer.best.address == other) == expected


def test_paths_and_tokens_fill_no_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peer_routes, "MOST_PATHS", 3)
    monkeypatch.setattr(peer_routes, "MOST_TOKENS", 2)
    peer, carrier = in_use()
    assert peer.best is not None
    for number in range(20):
        peer.receive_probe(Probe(b"12345678", False), ("203.0.113.7", 1000 + number), 1.0 + number)
    assert len(peer.paths) == 3
    assert peer.best.address in peer.paths, "the one in use stays"
    assert sum(old is not None for _, old in carrier.known) == MOST_TRIED + 1 - 3
    peer.receive_signal(Candidates(2, tuple(told(n) for n in range(20, 28)), False), 30.0)
    assert len(peer._tokens) == 2
