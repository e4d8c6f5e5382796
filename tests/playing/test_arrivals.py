"""A line for each peer that connects: once, when its name is known, and again when it comes back."""

from types import SimpleNamespace
from typing import Any

from retick.playing.story import Arrivals, in_words
from retick.rollback.events import (
    MatchStarted,
    PeerConnected,
    PeerDisconnected,
    RosterChanged,
    RosterPeer,
)
from tests.playing.test_match_driver import World

ANN, BOB = RosterPeer(0, (0,), "Ann", b"", "ab" * 16), RosterPeer(1, (1, 2), "", b"")


def test_a_line_has_the_name_and_the_fingerprint_if_there_are_any() -> None:
    assert in_words(ANN) == f"connected: player 1 (Ann), fingerprint {'ab' * 16}"
    assert in_words(BOB) == "connected: player 2 and 3"


def test_a_peer_has_one_line_for_each_time_that_it_connects() -> None:
    arrivals, session = Arrivals(), SimpleNamespace(roster=(ANN, BOB))
    said: list[str] = []
    came: Any = PeerConnected(peer=0, players=(0,), fingerprint="ab" * 16)
    listed = RosterChanged(roster=session.roster)
    gone = PeerDisconnected(peer=0, players=(0,), reason=1, text="")
    for event in (came, listed, listed, MatchStarted(seed=1, local_players=(1, 2)), gone, came, gone, came, listed):
        said += arrivals.lines_after(event, session)
    assert said == [in_words(ANN)] * 2


def test_both_sides_of_a_match_say_who_the_other_one_is() -> None:
    world = World()
    world.run(2)
    assert [list(side.arrivals) for side in world.sides] == [["connected: player 2"], ["connected: player 1"]]
