"""Lost peers: survivors agree on the frame, tell each other what they know, and play on."""

from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

import pytest

from retick.errors import UsageError
from retick.link import Reason
from retick.rollback.events import (
    MatchEnded,
    PeerDisconnected,
    PeerUnheard,
    PlayersDropped,
)
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.inside import inside_of
from retick.rollback.session.messages.decisions import Drop, Known, encode_drop
from retick.rollback.session.session import RollbackSession
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions
from tests.rollback.session.matches import (
    LINK,
    STAY,
    assert_all_play,
    assert_nobody_saw_a_desync,
    leave,
    playing_mesh,
    started_mesh,
    towards,
)
from tests.toys import Tally

pytestmark = pytest.mark.long


@pytest.mark.parametrize("seed", range(4))
def test_survivors_drop_a_lost_peer_at_one_frame_though_they_had_different_inputs_from_it(seed: int) -> None:
    mesh = started_mesh(4, seed=seed)
    mesh.play(120)
    # One survivor stops hearing the victim long before the others do.
    mesh.cut("peer3", "peer1", 60.0)
    mesh.run(0.1)
    (seat,) = mesh.crash("peer3").session.local_players
    mesh.run(6.0)
    drops = [peer.events_of(PlayersDropped) for peer in mesh.alive]
    assert all(drops)
    assert len({(event.players, event.frame) for events in drops for event in events}) == 1
    mesh.play(600)
    mesh.verify()
    assert_nobody_saw_a_desync(mesh)
    frame = drops[0][0].frame
    assert all(peer.rows[at][seat] == 0 for peer in mesh.alive for at in range(frame, 600))


def test_two_peers_lost_at_once_are_dropped_by_agreement() -> None:
    mesh = started_mesh(5)
    mesh.play(60)
    seats = {mesh.crash("peer1").session.local_players}
    mesh.run(0.02)
    seats.add(mesh.crash("peer4").session.local_players)
    mesh.run(8.0)
    dropped = {frozenset((e.players, e.frame) for e in peer.events_of(PlayersDropped)) for peer in mesh.alive}
    assert len(dropped) == 1
    assert {players for players, _ in next(iter(dropped))} == seats
    mesh.play(500)
    mesh.verify()


def test_when_everyone_else_is_gone_the_match_ends_unless_the_config_says_otherwise() -> None:
    mesh = started_mesh(2, config=MatchConfig(disconnect_after=3.0))
    mesh.play(60)
    mesh.crash("peer1")
    mesh.run(6.0)
    assert mesh["peer0"].events_of(MatchEnded)[0].reason == "everyone else has left"


@pytest.mark.parametrize("steps", [range(0, 14, 4), pytest.param(range(14), marks=pytest.mark.soak)])
def test_a_peer_that_speaks_of_the_lost_before_it_knows_of_a_newcomer_tells_it_too(steps: range) -> None:
    """The newcomer's sponsor is lost between its word to one member and its word to another."""
    conditions = Conditions(latency=0.05, jitter=0.01)
    for step in steps:
        mesh = playing_mesh(4, seed=step, conditions=conditions)
        leave(mesh, "peer1")
        mesh.restart("peer1")
        mesh.run(0.5 + 0.03 * step)
        mesh.cut("peer2", "peer0", 60.0)
        mesh.pause("peer0", 2.5)
        mesh.run(20.0)
        others = [mesh[name] for name in ("peer2", "peer3")]
        frames = [peer.final_frame for peer in others]
        mesh.run(3.0)
        assert all(peer.final_frame > frame + 100 for peer, frame in zip(others, frames, strict=True)), step


def test_a_drop_is_reported_to_the_application_once_and_its_seat_is_free() -> None:
    mesh = playing_mesh(3)
    (seat,) = mesh["peer2"].session.local_players
    leave(mesh, "peer2")
    for peer in mesh.alive:
        [dropped] = peer.events_of(PlayersDropped)
        assert dropped.players == peer.session.gone == (seat,)
        assert len(peer.events_of(PeerDisconnected)) == 1
    assert_all_play(mesh, 0)


def test_one_that_is_called_lost_by_a_peer_that_it_hears_plays_on_through_the_others() -> None:
    mesh = playing_mesh(3)
    lost = mesh["peer2"].session.peer_id
    towards(mesh, "peer0", "peer2").send(encode_drop(Drop(frozenset({lost}), (), ()), 2))
    mesh.run(1.0)
    assert not towards(mesh, "peer2", "peer0").is_heard
    assert not towards(mesh, "peer0", "peer2").is_heard
    assert_all_play(mesh, 0)
    assert mesh["peer1"].session.gone == ()


def test_one_who_claims_inputs_and_does_not_show_them_is_expelled_with_an_event() -> None:
    mesh = playing_mesh(4)
    liar: Any = mesh["peer2"].session
    view = inside_of(liar).drop_agreement.view

    def lie(*details: Any) -> Drop:
        drop: Drop = view(*details)
        return drop._replace(known=tuple(Known(each.player, each.missing + 5, ()) for each in drop.known))

    inside_of(liar).drop_agreement.view = lie
    mesh.crash("peer3")
    mesh.run(12.0)
    gone = [event for event in mesh["peer0"].events_of(PeerDisconnected) if event.peer == liar.peer_id]
    assert [event.reason for event in gone] == [Reason.VIOLATION]
    assert gone[0].text == "inputs that are claimed and not shown"
    mesh.crash("peer2")
    mesh.run(4.0)
    assert_all_play(mesh, 0)


@pytest.mark.parametrize("players", [3, 4])
def test_two_departures_further_apart_than_any_history_do_not_end_the_match(players: int) -> None:
    """Attack 1: inputs of the first who left are evicted when the second leaves."""
    mesh = playing_mesh(players, conditions=Conditions(latency=0.02))
    seats = [mesh[f"peer{players - 1}"].session.local_players]
    leave(mesh, f"peer{players - 1}")
    mesh.play(mesh.config.inputs_remembered + 600)
    seats.append(mesh[f"peer{players - 2}"].session.local_players)
    leave(mesh, f"peer{players - 2}")
    assert_all_play(mesh, 0)
    for peer in mesh.alive:
        assert [event.players for event in peer.events_of(PlayersDropped)] == seats


def accuse(mesh: Mesh, accuser: str, victim: str, receivers: tuple[str, ...], *, lost: bool) -> None:
    """One peer says to others, truly or not, that it does not hear another one."""
    peer_id = mesh[victim].session.peer_id
    drop = Drop(frozenset({peer_id} if lost else ()), (), (), unheard=((peer_id, Reason.TIMEOUT),), serial=9)
    for receiver in receivers:
        towards(mesh, accuser, receiver).send(encode_drop(drop, 2))


@pytest.mark.parametrize("lost", [False, True])
@pytest.mark.parametrize("players", [3, 4])
def test_one_accuser_removes_nobody_and_is_named(players: int, lost: bool) -> None:
    """Attack 7: one false DROP removed any player."""
    mesh = playing_mesh(players)
    accuser, victim = (mesh[name].session.peer_id for name in ("peer0", "peer2"))
    receivers = tuple(f"peer{number}" for number in range(players) if number not in (0, 2))
    accuse(mesh, "peer0", "peer2", receivers, lost=lost)
    mesh.run(30.0)
    for peer in mesh.alive:
        assert peer.events_of(PlayersDropped) == peer.events_of(PeerDisconnected) == []
    for name in receivers:
        assert mesh[name].events_of(PeerUnheard) == [
            PeerUnheard(peer=victim, by=accuser, reason=Reason.TIMEOUT, text="nothing heard for too long")
        ]
    assert_all_play(mesh, 0)


@pytest.mark.parametrize("players", [3, 5])
@pytest.mark.parametrize("how", ["goodbye", "silence", "violation"])
def test_a_peer_that_behaves_badly_to_one_and_well_to_the_others_stays_in_the_match(players: int, how: str) -> None:
    """Attack 7: it looks like a broken path, and nobody honest is dropped."""
    mesh = playing_mesh(players)
    bad = towards(mesh, "peer2", "peer0")
    if how == "silence":
        mesh.network.link("peer2", "peer0", Conditions(loss=1.0), LINK)
    elif how == "violation":
        bad.send(bytes((0x77,)))
    elif bad.connection is not None:
        bad.connection.close(Reason.GOODBYE, "bye to you alone")
    mesh.run(20.0)
    assert not towards(mesh, "peer0", "peer2").is_heard
    for peer in mesh.alive:
        assert peer.events_of(PlayersDropped) == []
    assert_all_play(mesh, 0)
    stalled = mesh["peer0"].session.stats(now=mesh.network.now).stalled_seconds
    assert stalled < 2.0


def test_a_peer_that_nobody_hears_any_more_is_dropped_and_the_first_accuser_is_named() -> None:
    mesh = playing_mesh(4)
    victim, accuser = (mesh[name].session.peer_id for name in ("peer3", "peer1"))
    for number, name in enumerate(("peer1", "peer0", "peer2")):
        mesh.at(number * 2.0, partial(mesh[name].session.drop, victim))
    mesh.run(3.5)
    assert all(not peer.events_of(PlayersDropped) for peer in mesh.alive)
    mesh.run(3.0)
    mesh.crash("peer3")
    for peer in mesh.alive:
        assert [event.accuser for event in peer.events_of(PlayersDropped)] == [accuser]
    assert_all_play(mesh, 0)


def test_two_groups_that_do_not_hear_each_other_play_two_matches() -> None:
    mesh = playing_mesh(4)
    for first in ("peer0", "peer1"):
        for second in ("peer2", "peer3"):
            mesh.cut(first, second, 600.0)
    mesh.run(8.0)
    left, right = (
        tuple(sorted(seat for name in names for seat in mesh[name].session.local_players))
        for names in (("peer0", "peer1"), ("peer2", "peer3"))
    )
    gone = [mesh[f"peer{number}"].session.gone for number in range(4)]
    assert gone == [right, right, left, left]
    frames = [peer.final_frame for peer in mesh.alive]
    mesh.run(3.0)
    assert all(peer.final_frame > frame + 120 for peer, frame in zip(mesh.alive, frames, strict=True))


def test_a_survivor_that_does_not_agree_is_expelled_and_the_others_play_on() -> None:
    mesh = playing_mesh(4)
    stubborn: Any = mesh["peer2"].session
    unheard = ((mesh["peer3"].session.peer_id, Reason.TIMEOUT),)
    inside_of(stubborn).drop_agreement.view = lambda *details: Drop(frozenset(), (), (), serial=1, unheard=unheard)
    mesh.crash("peer3")
    mesh.run(3.0 + STAY.disconnect_after + 3.0)
    assert mesh["peer0"].events_of(PlayersDropped) == mesh["peer1"].events_of(PlayersDropped) == []
    mesh.run(6.0)
    for name in ("peer0", "peer1"):
        texts = [event.text for event in mesh[name].events_of(PeerDisconnected) if event.peer == stubborn.peer_id]
        assert texts == ["does not agree who is lost"]
    mesh.crash("peer2")
    mesh.run(1.0)
    assert_all_play(mesh, 0)


def test_a_drop_that_claims_inputs_of_next_year_shows_its_sender_out() -> None:
    mesh = playing_mesh(3)
    drop = Drop(frozenset(), (Known(1, 1 << 30, (1,)),), ())
    towards(mesh, "peer2", "peer0").send(encode_drop(drop, 2))
    mesh.run(1.0)
    assert not towards(mesh, "peer0", "peer2").is_heard
    assert_all_play(mesh, 0)


def test_peers_with_a_shorter_history_drop_a_lost_peer_like_the_others() -> None:
    """Inputs that one peer has may not fit into the history of another."""
    configs = iter([STAY, STAY, replace(STAY, history=16, prediction_window=8)])

    def make(sim: Any, **details: Any) -> RollbackSession:
        return RollbackSession(sim, **{**details, "config": next(configs)})

    dice = Random(3)
    mesh = Mesh(lambda: Tally(3), config=STAY, conditions=LINK, make_session=make, press=lambda *_: dice.choice((0, 5)))
    mesh.start()
    mesh.play(60)
    mesh.cut("peer2", "peer1", 60.0)
    mesh.run(0.1)
    leave(mesh, "peer1")
    assert_all_play(mesh, 0)


def test_the_application_can_show_a_peer_out_of_the_lobby_and_keep_it_out() -> None:
    mesh = Mesh(lambda: Tally(3), seats={"peer0": 1, "peer1": 1}, config=STAY, conditions=LINK)
    mesh.run(1.0)
    host = mesh["peer0"].session
    host.drop(1, ban=True)
    mesh.run(1.0)
    assert inside_of(host).peers == {}
    assert mesh["peer1"].events_of(MatchEnded)[0].reason == "shown out"
    mesh.seats["peer1"] = 1
    mesh.crash("peer1")
    again = mesh._enter("peer1", {"host_address": "peer0"})
    mesh.run(1.0)
    assert again.events_of(MatchEnded)[0].reason == "refused: this address is banned"


def test_a_peer_that_is_not_there_cannot_be_dropped() -> None:
    mesh = playing_mesh(3)
    for peer_id in (0, 7):
        with pytest.raises(UsageError, match=f"there is no peer {peer_id} in this match"):
            mesh["peer0"].session.drop(peer_id)


def test_with_two_peers_a_drop_is_final_at_once() -> None:
    mesh = playing_mesh(2)
    mesh["peer0"].session.drop(1)
    mesh.run(1.0)
    assert mesh["peer0"].events_of(PlayersDropped)[0].accuser == 0
    assert mesh["peer1"].events_of(PlayersDropped)[0].players == (0,)


@pytest.mark.parametrize("players", [4, 5])
def test_one_that_keeps_its_drop_from_a_single_peer_is_expelled_by_it_and_that_peer_stays(players: int) -> None:
    mesh = playing_mesh(players)
    liar: Any = inside_of(mesh["peer2"].session)
    victim = mesh["peer1"].session.peer_id
    send = liar.drops._send_drop
    liar.drops._send_drop = lambda match, peers: send(match, [peer for peer in peers if peer.peer_id != victim])
    liar.drops._expel_who_keeps_us_waiting = lambda match, now: None
    mesh["peer3"].session.close("bye")
    mesh.run(20.0)
    honest = [peer for peer in mesh.alive if peer.name not in ("peer2", "peer3")]
    ids = {peer.session.peer_id for peer in honest}
    assert all(ids <= {peer.session.peer_id, *inside_of(peer.session).peers} for peer in honest)
    assert not towards(mesh, "peer1", "peer2").is_heard
    assert len({event.frame for peer in honest for event in peer.events_of(PlayersDropped)}) == 1


def test_one_that_says_other_things_to_each_peer_does_not_set_them_against_each_other() -> None:
    mesh = playing_mesh(5)
    liar = mesh["peer4"].session
    for name, other in (("peer0", "peer1"), ("peer1", "peer2"), ("peer2", "peer3"), ("peer3", "peer0")):
        unheard = ((mesh[other].session.peer_id, Reason.TIMEOUT),)
        towards(mesh, "peer4", name).send(encode_drop(Drop(frozenset(), (), (), 0, frozenset(), unheard, (), 9), 2))
    mesh["peer4"].session.close("bye")
    mesh.run(6.0)
    honest = [mesh[f"peer{index}"] for index in range(4)]
    assert all(
        {peer.session.peer_id for peer in honest} == {p.session.peer_id, *inside_of(p.session).peers} for p in honest
    )
    assert all(event.players == liar.local_players for p in honest for event in p.events_of(PlayersDropped))
    mesh.crash("peer4")
    assert_all_play(mesh, 0)


def test_a_survivor_that_takes_back_who_is_lost_is_expelled_at_once() -> None:
    mesh = playing_mesh(4)
    liar: Any = mesh["peer2"].session
    inside_of(liar).drops._send_drop = lambda match, peers: None
    gone = mesh["peer3"].session.peer_id
    # Its claim that it knows more keeps the others from deciding.
    (player,) = mesh["peer3"].session.local_players
    known = (Known(player, inside_of(liar).match.engine.first_missing(player) + 100, ()),)
    mesh.crash("peer3")
    mesh.run(STAY.disconnect_after + 0.5)
    for serial, lost, claimed in ((1, frozenset({gone}), known), (2, frozenset(), ())):
        for name in ("peer0", "peer1"):
            drop = Drop(lost, claimed, (), 0, frozenset(), ((gone, Reason.TIMEOUT),), (), serial)
            towards(mesh, "peer2", name).send(encode_drop(drop, 2))
    mesh.run(1.0)
    for name in ("peer0", "peer1"):
        assert [e.reason for e in mesh[name].events_of(PeerDisconnected) if e.peer == liar.peer_id] == [
            Reason.VIOLATION
        ]
    mesh.crash("peer2")
    assert_all_play(mesh, 0)
