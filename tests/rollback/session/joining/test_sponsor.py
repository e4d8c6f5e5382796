"""The peer that lets newcomers in: who may come, and whose word counts."""

from dataclasses import replace
from itertools import pairwise
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from retick.link import Accept, LinkEndpoint, Reason, Refused, Request
from retick.rollback.events import (
    PeerConnected,
    PeerDisconnected,
    PlayersReturned,
)
from retick.rollback.session.inside import inside_of
from retick.rollback.session.joining import joins
from retick.rollback.session.joining.sponsor import FIRST_WAIT, LONGEST_JOIN, LONGEST_STANDSTILL
from retick.rollback.session.link_config import link_config_for
from retick.rollback.session.messages.connect import encode_call, encode_play
from retick.rollback.session.messages.join import LARGEST_STATE
from retick.rollback.session.messages.roster import Reach
from retick.rollback.session.peer import NO_ID, Peer, Phase, Role
from retick.rollback.session.session import RollbackSession
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions
from tests.rollback.session.matches import (
    STAY,
    assert_all_play,
    leave,
    started_mesh,
    with_a_free_seat,
)
from tests.toys import Tally

KEY = b"k" * 32
"""With which nobody signs anything here."""

pytestmark = pytest.mark.long


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
        "1 seat asked for, 0 free"
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


def test_a_newcomer_that_never_reports_is_given_up_after_half_a_minute() -> None:
    mesh = with_a_free_seat(3)
    mesh.restart("peer2", every=600.0)
    newcomer: Any = mesh["peer2"].session
    inside_of(newcomer).newcomer._report_when_level = lambda match: None
    mesh.run(20.0)
    assert inside_of(mesh["peer0"].session).sponsor.newcomer is not None
    mesh.run(15.0)
    assert inside_of(mesh["peer0"].session).sponsor.newcomer is None
    assert newcomer.phase is Phase.ENDED
    mesh.crash("peer2")
    mesh.run(1.0)
    assert_all_play(mesh, 0)


def test_a_newcomer_is_let_in_with_a_history_that_is_hardly_longer_than_the_window() -> None:
    config = replace(STAY, history=42, prediction_window=38)
    mesh = started_mesh(3, conditions=Conditions(latency=0.08, jitter=0.02), config=config)
    mesh.play(60)
    mesh.crash("peer2")
    mesh.run(5.0)
    mesh.restart("peer2")
    mesh.run_until(lambda: mesh["peer2"].playing, limit=10.0, what="it is in")
    assert_all_play(mesh, 0)


def test_no_player_can_call_in_the_name_of_a_newcomer() -> None:
    """It has heard of the newcomer by MEET, and calls first: the newcomer's path to the other player is slow."""
    mesh = with_a_free_seat(4)
    mesh.link("peer1", "peer3", Conditions(latency=0.2))
    liar: Any = inside_of(mesh["peer2"].session)
    expect, calls = liar.expect, []

    def expect_and_call(peer: Peer) -> None:
        expect(peer)
        data = encode_call(liar.token, peer.peer_id, peer.reach, peer.pair_token, peer.key)
        calls.append(liar.link.dial("peer1", seats=0, data=data))

    liar.expect = expect_and_call
    mesh.restart("peer3", through="peer0")
    mesh.run_until(lambda: mesh["peer3"].playing, limit=5.0, what="it is in")
    assert [call.close_reason for call in calls] == [Reason.DENIED]
    assert_all_play(mesh, 0)


def stranger_at(mesh: Mesh, address: str) -> LinkEndpoint:
    """Asks for a seat, acknowledges what it is sent, and does nothing else."""
    link = LinkEndpoint(link_config_for(Tally(3), STAY), entropy=Random(address).randbytes)
    mesh.network.attach(address, link)
    link.dial("peer0", data=encode_play(Reach(12, 2), key=KEY))
    return link


def test_a_newcomer_that_makes_no_progress_frees_the_place_and_others_come_first() -> None:
    mesh = with_a_free_seat(3)
    sponsor: Any = inside_of(mesh["peer0"].session).sponsor
    link = stranger_at(mesh, "stranger")
    mesh.run(1.0)
    assert sponsor.newcomer is not None
    mesh.run(LONGEST_STANDSTILL + 0.5)
    assert sponsor.newcomer is None
    # It tries again at once, and so does another one.
    link.dial("peer0", data=encode_play(Reach(12, 2), key=KEY))
    mesh.network.flush("stranger")
    mesh.run(0.5)
    refused = [event.text for event in link.events() if isinstance(event, Refused)]
    assert refused == ["the last one from there led to nothing: try again in 4 s"]
    mesh.restart("peer2")
    mesh.run_until(lambda: mesh["peer2"].playing, limit=4.0, what="the other one is in")
    mesh.run(FIRST_WAIT)
    assert sponsor._held_off.seconds_left("stranger") <= 0.0
    assert_all_play(mesh, 0)


def come_in_and_fall_silent(mesh: Mesh, way: str) -> float:
    """A peer asks for a seat, holds everybody until it is lost in one way or the other. How long it asked."""
    if mesh["peer2"].alive:
        mesh.crash("peer2")
    asked_at, came = mesh.network.now, len(mesh["peer0"].events_of(PlayersReturned))
    mesh.restart("peer2", through="peer0", every=0.25)
    mesh.run_until(lambda: len(mesh["peer0"].events_of(PlayersReturned)) > came, limit=60.0, what="it is in")
    waited = mesh.network.now - asked_at
    mesh.run_until(lambda: mesh["peer2"].playing, limit=2.0, what="it plays")
    liar: Any = mesh["peer2"].session
    liar.due = lambda *, now: False
    mesh.run(1.5)
    if way == "is cut off":
        mesh.crash("peer2")
    elif way == "says goodbye":
        liar.close("again")
    others = inside_of(mesh["peer0"].session)
    mesh.run_until(lambda: len(others.heard_peers()) < 2, limit=16.0, what="it is lost")
    return waited


@pytest.mark.parametrize("way", ["sends no inputs", "is cut off", "says goodbye"])
def test_whoever_comes_in_and_falls_silent_waits_longer_each_time(way: str) -> None:
    mesh = started_mesh(3, config=replace(STAY, input_timeout=2.0, disconnect_after=2.5))
    leave(mesh, "peer2")
    waits = [come_in_and_fall_silent(mesh, way) for _ in range(3)]
    assert waits[0] < 3.0
    assert FIRST_WAIT - 1.0 < waits[1] < FIRST_WAIT + 3.0
    assert 2 * FIRST_WAIT - 1.0 < waits[2] < 2 * FIRST_WAIT + 3.0


def test_one_whose_link_is_not_up_has_no_place() -> None:
    mesh = with_a_free_seat(3)
    sponsor: Any = inside_of(mesh["peer0"].session).sponsor
    for _ in range(300):
        connection: Any = SimpleNamespace(address="nobody", tag=None)
        asked = Request(connection=connection, address="nobody", capabilities=0, tick_rate=60, seats=1, data=b"")
        assert sponsor.admit(asked) == Accept(seats=inside_of(mesh["peer0"].session).gone)
    assert sponsor.newcomer is None
    mesh.restart("peer2")
    mesh.run_until(lambda: mesh["peer2"].playing, limit=4.0, what="it is in")
    assert_all_play(mesh, 0)


def test_of_two_whose_links_come_up_together_one_gets_the_place() -> None:
    mesh = with_a_free_seat(3)
    for name in ("one", "other"):
        stranger_at(mesh, name)
    mesh.run(0.5)
    assert inside_of(mesh["peer0"].session).sponsor.newcomer is not None
    assert len([peer for peer in inside_of(mesh["peer0"].session).peers.values() if peer.role is Role.NEWCOMER]) == 1
    assert NO_ID not in {event.peer for event in mesh["peer0"].events_of(PeerConnected)}
    assert_all_play(mesh, 0)


def test_a_newcomer_is_given_up_in_time_also_while_no_frame_can_run() -> None:
    mesh = with_a_free_seat(3)
    mesh.restart("peer2", every=600.0)
    newcomer: Any = inside_of(mesh["peer2"].session)
    newcomer.newcomer._report_when_level = lambda match: None
    mesh.run(2.0)
    assert inside_of(mesh["peer0"].session).sponsor.newcomer is not None
    for name in ("peer0", "peer1"):
        inside_of(mesh[name].session).match.barrier = mesh[name].session.frame
    mesh.run(LONGEST_JOIN)
    assert inside_of(mesh["peer0"].session).sponsor.newcomer is None


def test_ids_are_given_again_and_a_match_stays_open_to_newcomers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joins, "LAST_PEER_ID", 6)
    mesh = with_a_free_seat(4)
    given = []
    for _ in range(14):
        mesh.restart("peer3")
        mesh.run_until(lambda: mesh["peer3"].playing, limit=6.0, what="it is in")
        given.append(mesh["peer3"].session.peer_id)
        mesh.run(0.3)
        mesh["peer3"].session.close()
        mesh.run(0.3)
        mesh.crash("peer3")
        mesh.run_until(lambda: all(len(peer.session.gone) == 1 for peer in mesh.alive), limit=6.0, what="it is out")
    stay = {peer.session.peer_id for peer in mesh.alive}
    assert not stay & set(given)
    assert all(one != other for one, other in pairwise(given))
    for peer in mesh.alive:
        joins_part = inside_of(peer.session).joins
        assert len(joins_part._first_frames) <= 6
        assert len(inside_of(peer.session).hearing._unheard) <= 6
    assert_all_play(mesh, 0)


def test_those_that_never_became_players_use_up_no_ids(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(joins, "LAST_PEER_ID", 5)
    mesh = with_a_free_seat(3)
    for number in range(12):
        link = stranger_at(mesh, f"stranger{number}")
        mesh.run(0.3)
        link.close()
        mesh.run(0.3)
    mesh.restart("peer2")
    mesh.run_until(lambda: mesh["peer2"].playing, limit=4.0, what="it is in")
    assert_all_play(mesh, 0)
