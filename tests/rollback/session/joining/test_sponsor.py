"""The peer that lets newcomers in: who may come, and whose word counts."""

from random import Random
from typing import Any

from retick.link import Reason
from retick.rollback.events import (
    PeerDisconnected,
    PlayersReturned,
)
from retick.rollback.session.messages.join import encode_joined
from retick.rollback.session.messages.state import LARGEST_STATE
from retick.rollback.session.peer import Phase
from retick.rollback.session.session import RollbackSession
from tests.rollback.session.matches import (
    assert_all_play,
    started_mesh,
    towards,
    with_a_free_seat,
)
from tests.toys import Tally


def test_two_who_want_the_same_seat_get_it_one_after_the_other_or_not_at_all() -> None:
    mesh = started_mesh(3)
    mesh.play(60)
    mesh.crash("peer1")
    mesh.crash("peer2")
    mesh.run(5.0)
    mesh.restart("peer1")
    mesh.restart("peer2")
    mesh.run(6.0)
    assert mesh["peer1"].playing
    assert mesh["peer2"].playing
    seats = sorted(player for peer in mesh.alive for player in peer.session.local_players)
    assert seats == [0, 1, 2]
    mesh.verify()


def test_nobody_is_let_in_while_all_seats_are_taken() -> None:
    mesh = started_mesh(2)
    mesh.play(60)
    stranger = RollbackSession(Tally(2), entropy=Random(9).randbytes, host_address="peer0")
    mesh.network.attach("stranger", stranger)
    mesh.run(3.0)
    assert stranger.phase is Phase.ENDED
    assert [event.text for event in stranger.events() if isinstance(event, PeerDisconnected)] == [
        "1 seats were asked for, 0 are free"
    ]
    mesh.verify()


def test_any_peer_sends_a_newcomer_on_to_the_one_with_the_lowest_id() -> None:
    mesh = with_a_free_seat(4)
    mesh.restart("peer3", through="peer2")
    mesh.run_until(lambda: mesh["peer3"].playing, limit=4.0, what="it is in")
    assert mesh["peer3"].session.peer_id == 4
    assert {event.peer for peer in mesh.alive for event in peer.events_of(PlayersReturned)} == {4}
    assert_all_play(mesh, 0)


def test_a_game_whose_state_is_too_large_is_refused_in_words_and_nobody_is_blamed() -> None:
    mesh = with_a_free_seat(3)
    sim: Any = mesh["peer0"].session.sim
    sim.pack_state = lambda state: bytes(LARGEST_STATE + 1)
    mesh.restart("peer2", every=600.0)
    mesh.run(3.0)
    [gone] = mesh["peer2"].events_of(PeerDisconnected)
    assert gone.text.startswith("a state of 16777217 bytes cannot be sent")
    assert gone.reason == Reason.DENIED
    mesh.crash("peer2")
    mesh.run(1.0)
    assert_all_play(mesh, 0)


def test_only_the_sponsors_own_newcomer_may_say_joined() -> None:
    mesh = with_a_free_seat(4)
    mesh.restart("peer3", every=600.0)
    newcomer: Any = mesh["peer3"].session
    newcomer.newcomer._report_when_level = lambda match: None
    mesh.run_until(lambda: newcomer.match is not None and len(newcomer.peers) == 3, limit=4.0, what="it has a state")
    mesh.run_until(lambda: towards(mesh, "peer3", "peer1").is_connected, limit=2.0, what="it is linked")
    towards(mesh, "peer3", "peer1").send(encode_joined())
    mesh.run(1.0)
    assert newcomer.phase is Phase.ENDED
    mesh.crash("peer3")
    mesh.run(1.0)
    assert_all_play(mesh, 0)


def test_a_newcomer_that_never_reports_is_given_up_after_half_a_minute() -> None:
    mesh = with_a_free_seat(3)
    mesh.restart("peer2", every=600.0)
    newcomer: Any = mesh["peer2"].session
    newcomer.newcomer._report_when_level = lambda match: None
    mesh.run(20.0)
    assert mesh["peer0"].session.sponsor.newcomer is not None
    mesh.run(15.0)
    assert mesh["peer0"].session.sponsor.newcomer is None
    assert newcomer.phase is Phase.ENDED
    mesh.crash("peer2")
    mesh.run(1.0)
    assert_all_play(mesh, 0)
