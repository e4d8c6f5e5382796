"""Machines that lie about who is in the match: those who watch and those who come have no say, members little."""

from random import Random
from typing import Any

import pytest

from retick.rollback.desync.evidence import TIMELINE, Timeline, encode_timeline, split_into_messages
from retick.rollback.events import DesyncReported, MatchEnded, MatchStarted, RematchProposed
from retick.rollback.match.config import MatchConfig
from retick.rollback.session import messages as wire
from retick.rollback.session.peer import Peer, Role
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions
from tests.toys import Tally

STAY = MatchConfig(end_when_alone=False, disconnect_after=3.0)


def mesh_of(players: int) -> Mesh:
    dice = Random(1)
    mesh = Mesh(
        lambda: Tally(players),
        conditions=Conditions(latency=0.05, jitter=0.005),
        config=STAY,
        press=lambda player, state: dice.choice((0, 1, 2, 9)),
    )
    mesh.start()
    mesh.play(60)
    return mesh


def with_a_free_seat(players: int) -> Mesh:
    mesh = mesh_of(players)
    mesh.crash(f"peer{players - 1}")
    mesh.run(5.0)
    return mesh


def towards(mesh: Mesh, sender: str, receiver: str) -> Peer:
    """The one as the other knows it."""
    found: Peer = mesh[sender].session.peers[mesh[receiver].session.number]
    return found


def assert_play_on(mesh: Mesh, names: list[str]) -> None:
    numbers = {mesh[name].session.number for name in names}
    for name in names:
        assert numbers <= {mesh[name].session.number, *mesh[name].session.peers}
    frames = {name: mesh[name].final_frame for name in names}
    mesh.run(3.0)
    assert all(mesh[name].final_frame > frame + 100 for name, frame in frames.items()), mesh.describe()
    mesh.verify()


def evidence(peer_id: int, alarm: int | None) -> bytes:
    line = Timeline(peer_id=peer_id, alarm=alarm, last_agreed=None, first=16, checksums=())
    return bytes((wire.EVIDENCE, 0)) + b"".join(split_into_messages(TIMELINE, encode_timeline(line)))


WORDS = {
    "its host is lost": lambda mesh: wire.encode_drop(wire.Drop(frozenset({0}), (), ()), 2),
    "others are lost": lambda mesh: wire.encode_drop(wire.Drop(frozenset({1, 2}), (), ()), 2),
    "a newcomer": lambda mesh: wire.encode_meeting(wire.Meeting(200, mesh["peer0"].session.gone, 10, "x")),
    "a proposal": lambda mesh: wire.encode_number(wire.PROPOSE, 200),
    "a promise": lambda mesh: wire.encode_numbered(wire.PROMISE, 4, 100),
    "a rematch": lambda mesh: wire.encode_number(wire.REMATCH, 1),
    "evidence": lambda mesh: evidence(255, 32),
    "a state": lambda mesh: wire.encode_resync(1, 1 << 20, 5),
    "a state that it takes": lambda mesh: wire.encode_numbered(wire.RESYNCED, 1, 5),
}


@pytest.mark.parametrize("word", WORDS)
def test_a_spectator_has_no_say(word: str) -> None:
    mesh = with_a_free_seat(4)
    spectator = mesh.watch("fan", "peer0")
    mesh.run(1.0)
    spectator.session._connection.send_reliable(WORDS[word](mesh))
    mesh.run(1.0)
    assert_play_on(mesh, ["peer0", "peer1", "peer2"])
    mesh.run(9.0)
    for peer in mesh.alive:
        assert peer.events_of(RematchProposed) == peer.events_of(DesyncReported) == []
    mesh.restart("peer3")
    mesh.run_until(lambda: mesh["peer3"].playing, limit=4.0, what="the free seat is taken")


def test_one_who_is_coming_in_accuses_nobody() -> None:
    mesh = with_a_free_seat(4)
    mesh.restart("peer3")
    newcomer: Any = mesh["peer3"].session
    newcomer._newcomer.report = lambda: None
    mesh.run_until(lambda: newcomer.match is not None and len(newcomer.peers) == 3, limit=4.0, what="it has a state")
    mesh.run_until(lambda: towards(mesh, "peer3", "peer1").is_connected, limit=2.0, what="it is linked")
    for peer in newcomer.peers.values():
        peer.send(wire.encode_drop(wire.Drop(frozenset(newcomer.peers) - {peer.number}, (), ()), 2))
    mesh.run(1.0)
    mesh.crash("peer3")
    mesh.run(5.0)
    assert_play_on(mesh, ["peer0", "peer1", "peer2"])


def test_only_the_machine_that_lets_people_in_may_announce_one() -> None:
    mesh = with_a_free_seat(4)
    liar = mesh["peer2"].session
    for peer in liar.players_peers():
        peer.send(wire.encode_meeting(wire.Meeting(200, mesh["peer0"].session.gone, 10, "x")))
        peer.send(wire.encode_number(wire.PROPOSE, 200))
    mesh.run(1.0)
    mesh.crash("peer2")
    mesh.run(5.0)
    assert_play_on(mesh, ["peer0", "peer1"])
    mesh.restart("peer3")
    mesh.run_until(lambda: mesh["peer3"].playing, limit=4.0, what="the free seat is taken")


def test_a_false_announcement_does_not_turn_anyone_against_the_true_one() -> None:
    mesh = with_a_free_seat(4)
    mesh.restart("peer3")
    honest = mesh["peer1"].session
    mesh.run_until(lambda: any(p.role is Role.NEWCOMER for p in honest.peers.values()), limit=4.0, what="it is known")
    (number,) = [peer.number for peer in honest.peers.values() if peer.role is Role.NEWCOMER]
    meeting = wire.Meeting(number, honest.peers[number].players, 10, "x")
    towards(mesh, "peer2", "peer1").send(wire.encode_meeting(meeting))
    # The liar says nothing else: one that is shown out and cries first is another matter.
    mesh.run(0.06)
    mesh.crash("peer2")
    mesh.run(8.0)
    assert mesh["peer3"].playing
    assert_play_on(mesh, ["peer0", "peer1", "peer3"])


def test_a_promise_far_ahead_does_not_keep_a_newcomer_out() -> None:
    mesh = with_a_free_seat(4)
    liar: Any = mesh["peer2"].session
    promise = liar.sponsor.promise

    def lie(match: Any) -> int:
        # It says nothing else: one that is shown out and cries first is another matter.
        mesh.at(0.03, lambda: mesh.crash("peer2"))
        return int(promise(match)) | 0x7FFFFFF0

    liar.sponsor.promise = lie
    mesh.restart("peer3")
    mesh.run_until(lambda: mesh["peer3"].playing, limit=12.0, what="it is in")
    (started,) = mesh["peer3"].events_of(MatchStarted)
    assert started.frame < 5000
    assert_play_on(mesh, ["peer0", "peer1", "peer3"])


@pytest.mark.parametrize("more", [3, 1 << 24])
def test_inputs_that_are_claimed_and_not_shown_end_nothing(more: int) -> None:
    mesh = mesh_of(4)
    liar: Any = mesh["peer2"].session
    view = liar.departures.view

    def lie(*details: Any) -> wire.Drop:
        drop: wire.Drop = view(*details)
        return drop._replace(known=tuple(wire.Known(each.player, each.missing + more, ()) for each in drop.known))

    liar.departures.view = lie
    mesh.crash("peer3")
    mesh.run(6.0)
    mesh.crash("peer2")
    mesh.run(5.0)
    assert_play_on(mesh, ["peer0", "peer1"])


def test_one_who_told_two_machines_different_inputs_and_left_ends_nothing() -> None:
    mesh = mesh_of(4)
    seat = mesh["peer3"].session.local_players[0]
    mesh.cut("peer3", "peer1", 60.0)
    mesh.run(0.1)
    engine = mesh["peer1"].session.match.engine
    engine.add_remote_inputs(seat, engine.first_missing(seat), [7])
    mesh.crash("peer3")
    mesh.run(5.0)
    frames = [peer.final_frame for peer in mesh.alive]
    mesh.run(2.0)
    assert all(peer.final_frame > frame + 60 for peer, frame in zip(mesh.alive, frames, strict=True))


@pytest.mark.parametrize("lost", [2, 9])
def test_a_drop_about_oneself_or_about_nobody_is_a_violation(lost: int) -> None:
    mesh = mesh_of(3)
    (liar,) = [peer for peer in mesh.alive if peer.session.number == 2]
    for peer in liar.session.players_peers():
        peer.send(wire.encode_drop(wire.Drop(frozenset({lost}), (), ()), 2))
    mesh.run(2.0)
    mesh.crash(liar.name)
    mesh.run(4.0)
    assert_play_on(mesh, [peer.name for peer in mesh.alive])
    assert all(9 not in peer.session.departures.lost for peer in mesh.alive)
    mesh.restart(liar.name)
    mesh.run_until(lambda: mesh[liar.name].playing, limit=4.0, what="the seat is taken again")


def test_one_who_breaks_the_rules_cannot_turn_the_others_against_whom_it_lied_to() -> None:
    """It is shown out at once, and the others hear so before it can say that it has lost the honest machine."""
    mesh = mesh_of(4)
    towards(mesh, "peer3", "peer1").send(wire.encode_meeting(wire.Meeting(9, (0,), 10, "nowhere")))
    mesh.run(2.0)
    mesh.crash("peer3")
    mesh.run(6.0)
    assert_play_on(mesh, ["peer0", "peer1", "peer2"])


def test_a_match_that_ends_lets_its_spectators_go() -> None:
    mesh = Mesh(lambda: Tally(2), conditions=Conditions(latency=0.05), config=MatchConfig(disconnect_after=3.0))
    mesh.start()
    mesh.play(60)
    watching = mesh.watch("watching", "peer0")
    mesh.run(2.0)
    mesh.crash("peer1")
    mesh.run(10.0)
    assert not mesh["peer0"].session.running
    assert any(isinstance(event, MatchEnded) for event in watching.events)
    assert mesh["peer0"].session.next_timeout() is None
