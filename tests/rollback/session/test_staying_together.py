"""Machines leave, return, watch and play again; everyone who is there agrees on every final frame."""

from random import Random
from typing import Any

import pytest

from retick.rollback.events import (
    DesyncDetected,
    MatchEnded,
    MatchStarted,
    PeerDisconnected,
    PlayersDropped,
    PlayersReturned,
    RematchProposed,
    SourceChanged,
    Stalled,
    WatchingStarted,
)
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.messages.join import Meet, encode_meet
from retick.rollback.session.messages.kinds import Kind, encode_byte, encode_byte_and_number
from retick.rollback.session.messages.state import encode_chunk
from retick.rollback.session.peer import Phase
from retick.rollback.session.session import RollbackSession
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions
from tests.toys import Tally

LINK = Conditions(latency=0.05, jitter=0.005, loss=0.02)
STAY = MatchConfig(end_when_alone=False, disconnect_after=3.0)


def presses(seed: int) -> Any:
    dice = Random(seed)
    return lambda player, state: dice.choice((0, 1, 2, 8, 9)) if dice.random() < 0.5 else player


def mesh_of(players: int, *, seed: int = 1, conditions: Conditions = LINK, config: MatchConfig = STAY) -> Mesh:
    mesh = Mesh(lambda: Tally(players), seed=seed, conditions=conditions, config=config, press=presses(seed))
    mesh.start()
    return mesh


def assert_nobody_saw_a_desync(mesh: Mesh) -> None:
    for peer in mesh.peers.values():
        assert peer.events_of(DesyncDetected) == []


@pytest.mark.parametrize("seed", range(4))
def test_survivors_drop_a_lost_machine_at_one_frame_though_they_had_different_inputs_from_it(seed: int) -> None:
    mesh = mesh_of(4, seed=seed)
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


def test_two_machines_lost_at_once_are_dropped_by_agreement() -> None:
    mesh = mesh_of(5)
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


def test_a_machine_returns_within_two_seconds_and_nobody_stalls_for_it() -> None:
    mesh = mesh_of(4, conditions=Conditions(latency=0.05, loss=0.02))
    mesh.play(120)
    seat = mesh.crash("peer2").session.local_players
    mesh.run(30.0)
    stalls = {peer.name: len(peer.events_of(Stalled)) for peer in mesh.alive}
    before = mesh.network.now
    mesh.restart("peer2")
    mesh.run_until(lambda: mesh["peer2"].playing, limit=2.0, what="the machine plays again")
    first = mesh["peer2"].events_of(MatchStarted)[0].frame
    mesh.run_until(lambda: mesh["peer2"].final_frame > first, limit=2.0, what="its own inputs count")
    assert mesh.network.now - before < 2.0
    mesh.run(5.0)
    assert {p.name: len(p.events_of(Stalled)) for p in mesh.alive if p.name != "peer2"} == stalls
    returns = {(e.players, e.frame) for p in mesh.alive for e in p.events_of(PlayersReturned)}
    assert returns == {(seat, first)}
    mesh.verify()
    assert_nobody_saw_a_desync(mesh)


def test_the_host_can_leave_and_come_back_like_anyone_else() -> None:
    mesh = mesh_of(3)
    mesh.play(60)
    mesh.crash("peer0")
    mesh.run(6.0)
    mesh.restart("peer0", through="peer2")
    mesh.run(6.0)
    assert mesh["peer0"].playing
    mesh.verify()


def test_one_who_is_alone_waits_for_somebody_to_join() -> None:
    mesh = mesh_of(2)
    mesh.play(60)
    mesh["peer1"].session.close()
    mesh.run(0.5)
    mesh.crash("peer1")
    mesh.run(3.0)
    assert mesh["peer0"].session.running
    assert mesh["peer0"].events_of(PeerDisconnected)[0].text == "goodbye"
    mesh.restart("peer1")
    mesh.run(4.0)
    assert mesh["peer1"].playing
    mesh.verify()


def test_two_who_want_the_same_seat_get_it_one_after_the_other_or_not_at_all() -> None:
    mesh = mesh_of(3)
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
    mesh = mesh_of(2)
    mesh.play(60)
    stranger = RollbackSession(Tally(2), entropy=Random(9).randbytes, host_address="peer0")
    mesh.network.attach("stranger", stranger)
    mesh.run(3.0)
    assert stranger.phase is Phase.ENDED
    assert [event.text for event in stranger.events() if isinstance(event, PeerDisconnected)] == [
        "1 seats were asked for, 0 are free"
    ]
    mesh.verify()


def test_spectators_come_at_any_time_and_move_on_when_their_source_leaves() -> None:
    mesh = mesh_of(3)
    mesh.play(120)
    early = mesh.watch("early", "peer1")
    mesh.run(2.0)
    late = mesh.watch("late", "peer2")
    mesh.run(2.0)
    assert [type(event) for event in early.events] == [WatchingStarted]
    mesh.crash("peer1")
    mesh.run(12.0)
    assert any(isinstance(event, SourceChanged) for event in early.events)
    mesh.run(4.0)
    mesh.verify()
    for spectator in (early, late):
        assert spectator.session.frame > 800
        assert len(spectator.checksums) > 5
        first = spectator.session.start_frame
        assert sorted(spectator.rows) == list(range(first, spectator.session.frame))


def test_a_rematch_starts_when_all_want_it_with_seats_moved_on() -> None:
    mesh = mesh_of(3)
    mesh.play(60)
    first_seed = mesh["peer0"].session.match.seed
    by_number = sorted((peer.session.peer_id, peer.session.local_players) for peer in mesh.alive)
    for name in ("peer0", "peer1"):
        mesh[name].session.rematch()
    mesh.run(1.0)
    assert mesh["peer2"].session.match.number == 0
    assert len(mesh["peer2"].events_of(RematchProposed)) == 2
    mesh["peer2"].session.rematch()
    for peer in mesh.alive:
        peer.rows.clear()
        peer.checksums.clear()
        peer._final = -1
    mesh.run(5.0)
    assert [peer.session.match.number for peer in mesh.alive] == [1, 1, 1]
    assert by_number == [(0, (0,)), (1, (1,)), (2, (2,))]
    moved = sorted((peer.session.peer_id, peer.session.local_players) for peer in mesh.alive)
    assert moved == [(0, (1,)), (1, (2,)), (2, (0,))]
    assert mesh["peer0"].session.match.seed != first_seed
    engines = [peer.session.match.engine for peer in mesh.alive]
    final = min(engine.final_state_frame for engine in engines)
    assert final > 150
    assert len({engine.checksum_at(final) for engine in engines}) == 1
    assert_nobody_saw_a_desync(mesh)


LIES = {
    "a drop that does not decode": bytes((Kind.DROP, 9, 9)),
    "a welcome in mid-match": bytes((Kind.WELCOME,)) + bytes(60),
    "a state nobody asked for": encode_chunk(0, b"state"),
    "a meeting for a seat that is taken": encode_meet(Meet(9, (0,), 10, "nowhere")),
    "a proposal for one whom it did not announce": encode_byte(Kind.PROPOSE, 77),
    "a proposal for one who plays": encode_byte(Kind.PROPOSE, 1),
    "an unknown kind": b"\x77",
    "nothing": b"",
}


@pytest.mark.parametrize("lie", LIES)
def test_a_machine_that_breaks_the_rules_is_shown_out_and_the_others_play_on(lie: str) -> None:
    mesh = mesh_of(3)
    mesh.play(60)
    liar = mesh["peer2"].session
    for peer in liar.players_peers():
        peer.send(LIES[lie])
    if lie == "nothing":
        mesh.run(2.0)
    else:
        mesh.run_until(lambda: liar.phase is Phase.ENDED or not liar.players_peers(), limit=8.0, what="it is out")
    mesh.crash("peer2")
    mesh.run(6.0)
    assert all(peer.session.running for peer in mesh.alive)
    mesh.play(400)
    mesh.verify()
    assert_nobody_saw_a_desync(mesh)


def test_a_commit_and_a_promise_out_of_the_blue_change_nothing() -> None:
    mesh = mesh_of(2)
    mesh.play(60)
    for number in (0, 1, 77):
        mesh["peer1"].session.peers[0].send(encode_byte_and_number(Kind.COMMIT, number, 5))
        mesh["peer1"].session.peers[0].send(encode_byte_and_number(Kind.PROMISE, number, 5))
        mesh["peer1"].session.peers[0].send(encode_byte(Kind.CANCEL, number))
    mesh.play(300)
    mesh.verify()


def test_a_commit_for_one_who_plays_already_does_not_silence_it() -> None:
    mesh = mesh_of(2)
    mesh.play(60)
    mesh["peer1"].session.peers[0].send(encode_byte_and_number(Kind.COMMIT, 0, 100_000))
    mesh.play(300)
    engine = mesh["peer1"].session.match.engine
    assert any(engine.inputs_at(frame)[0] for frame in range(200, engine.final_state_frame))
    assert len(mesh["peer0"].events_of(MatchStarted)) == 1
    mesh.verify()


def test_when_everyone_else_is_gone_the_match_ends_unless_told_otherwise() -> None:
    mesh = mesh_of(2, config=MatchConfig(disconnect_after=3.0))
    mesh.play(60)
    mesh.crash("peer1")
    mesh.run(6.0)
    assert mesh["peer0"].events_of(MatchEnded)[0].reason == "everyone else has left"


def test_a_host_with_every_seat_plays_at_once_and_can_be_watched_to_the_last_frame() -> None:
    mesh = Mesh(lambda: Tally(2), seats={"alone": 2}, conditions=LINK, config=STAY, press=presses(3))
    mesh.start()
    spectator = mesh.watch("fan", "alone", delay=0)
    mesh.run(3.0)
    last = mesh["alone"].session.match.engine.final_state_frame
    mesh["alone"].session.close(linger=1.0)
    mesh.run(3.0)
    assert last > 150
    assert spectator.session.frame == last
