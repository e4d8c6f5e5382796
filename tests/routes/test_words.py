"""Paths in words."""

from random import Random

from retick.routes.path import Path, PathKind
from retick.routes.peer_routes import PeerRoutes
from retick.routes.words import path_words, report_of
from tests.routes.test_peer_routes import Carrier


def made() -> PeerRoutes:
    return PeerRoutes(3, Carrier(), is_first=True, loopback=False, entropy=Random(1).randbytes)


def test_every_kind_of_direct_path_has_words() -> None:
    found = set()
    for kind in set(PathKind) - {PathKind.RELAY}:
        peer = made()
        peer.best = Path(("203.0.113.1", 1), kind)
        found.add(path_words(peer, relay_only=False, is_relayed=True))
        assert "the relay does not answer" in path_words(peer, relay_only=False, is_relayed=False)
    assert len(found) == 5
    assert all(words.startswith("direct") for words in found)


def test_the_relay_has_words_for_why() -> None:
    peer = made()
    assert path_words(peer, relay_only=False, is_relayed=True) == "through the relay; a direct path is looked for"
    assert path_words(peer, relay_only=True, is_relayed=True) == "through the relay, as asked for"
    assert path_words(peer, relay_only=False, is_relayed=False).startswith("not reached")
    peer.was_silent = True
    assert "fell silent" in path_words(peer, relay_only=False, is_relayed=True)
    peer.takes_none = True
    assert "tells no address" in path_words(peer, relay_only=False, is_relayed=True)


def test_a_report_names_all_that_answers() -> None:
    peer = made()
    path = peer.paths["x"] = Path("x", PathKind.LOCAL)
    path.probed(b"12345678", 0.0)
    path.answered(b"12345678", 0.01)
    report = report_of(peer, relay_only=False, is_relayed=True)
    assert (report.member, report.kind, report.round_trip) == (3, PathKind.RELAY, None)
    assert report.answering == (PathKind.LOCAL,)
