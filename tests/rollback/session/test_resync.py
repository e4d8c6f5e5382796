"""After an alarm: every peer gets the same report from its session, and the match can go on from one state."""

from random import Random
from typing import Any

import pytest

from retick.errors import UsageError
from retick.rollback.events import DesyncDetected, DesyncReported, MatchStarted, PeerDisconnected
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.inside import inside_of
from retick.rollback.session.messages.join import Chunk, encode_chunk
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions
from tests.rollback.session.matches import (
    assert_all_play,
    leave,
    playing_mesh,
    towards,
    with_a_free_seat,
)
from tests.toys import Tally, TallyState

LINK = Conditions(latency=0.04, jitter=0.005, loss=0.05)


class Slips(Tally):
    """An honest tally, except that one transition adds a thousand to a total."""

    game_id = "Tally"
    game_version = 0

    def step(self, state: TallyState, inputs: Any) -> TallyState:
        after = super().step(state, inputs)
        if after.frame == 205:
            after = after._replace(totals=(after.totals[0] + 1000, *after.totals[1:]))
        return after


def diverged(players: int) -> Mesh:
    dice = Random(players)
    games = {f"peer{number}": lambda: Tally(players) for number in range(players)}
    games["peer1"] = lambda: Slips(players)
    mesh = Mesh(
        games,
        seats=dict.fromkeys(games, 1),
        seed=players,
        conditions=LINK,
        config=MatchConfig(checksum_interval=16),
        press=lambda player, state: dice.choice((0, 1, 2, 9)),
    )
    mesh.start()
    return mesh


@pytest.mark.parametrize("players", [2, 4])
def test_every_peer_reports_the_exact_frame_and_field(players: int) -> None:
    mesh = diverged(players)
    mesh.run_until(
        lambda: all(peer.events_of(DesyncReported) for peer in mesh.alive), limit=20.0, what="everyone reports"
    )
    reports = [peer.events_of(DesyncReported)[0].report for peer in mesh.alive]
    assert all(report == reports[0] for report in reports)
    assert reports[0].first_differing == 205
    assert reports[0].last_agreed == 204
    odd = mesh["peer1"].session.peer_id
    (difference,) = reports[0].fields
    assert difference.name == "totals[0]"
    values = dict(difference.values)
    assert {values[number] + 1000 for number in values if number != odd} == {values[odd]}
    mesh.run(1.0)
    assert all(len(peer.events_of(DesyncReported)) == 1 for peer in mesh.alive)


def test_the_match_goes_on_from_one_peer_when_all_have_named_it() -> None:
    mesh = diverged(3)
    mesh.run_until(lambda: all(p.events_of(DesyncReported) for p in mesh.alive), limit=20.0, what="everyone reports")
    source = mesh["peer0"].session.peer_id
    for name in ("peer0", "peer1"):
        mesh[name].session.resync(source)
    mesh.run(1.0)
    assert [inside_of(peer.session).match.number for peer in mesh.alive] == [0, 0, 0]
    mesh["peer2"].session.resync(source)
    mesh.run(6.0)
    assert [inside_of(peer.session).match.number for peer in mesh.alive] == [1, 1, 1]
    engines = [inside_of(peer.session).match.engine for peer in mesh.alive]
    final = min(engine.final_state_frame for engine in engines)
    assert final > 200
    assert len({engine.checksum_at(final) for engine in engines}) == 1
    assert engines[0].state_at(final).frame > 400
    assert all(len(peer.events_of(MatchStarted)) == 2 for peer in mesh.alive)
    assert all(len(peer.events_of(DesyncDetected)) <= 2 for peer in mesh.alive)


def test_naming_a_peer_that_is_not_there_is_misuse() -> None:
    mesh = diverged(2)
    mesh.play(30)
    with pytest.raises(UsageError, match="there is no peer 9"):
        mesh["peer0"].session.resync(9)


def test_the_match_goes_on_from_a_state_though_a_seat_is_free() -> None:
    mesh = playing_mesh(3)
    leave(mesh, "peer2")
    for peer in mesh.alive:
        peer.session.resync(0)
    mesh.run(1.0)
    assert_all_play(mesh, 1)


def test_another_peer_can_be_named_when_the_one_that_was_is_lost() -> None:
    mesh = playing_mesh(3)
    lost = mesh["peer2"].session.peer_id
    for name in ("peer0", "peer1"):
        mesh[name].session.resync(lost)
        with pytest.raises(UsageError, match="named already"):
            mesh[name].session.resync(0)
    leave(mesh, "peer2")
    assert_all_play(mesh, 0)
    for peer in mesh.alive:
        peer.session.resync(0)
    mesh.run(1.0)
    assert_all_play(mesh, 1)


def test_one_who_does_not_agree_is_waited_for_until_it_leaves() -> None:
    mesh = playing_mesh(3)
    for name in ("peer0", "peer1"):
        mesh[name].session.resync(0)
    mesh.run(1.0)
    assert inside_of(mesh["peer0"].session).match.number == 0
    mesh["peer2"].session.close()
    mesh.run(1.0)
    mesh.crash("peer2")
    mesh.run(1.0)
    assert_all_play(mesh, 1)


def test_all_go_on_from_one_state_though_two_do_not_hear_each_other() -> None:
    mesh = playing_mesh(3)
    for name in ("peer0", "peer1"):
        mesh[name].session.resync(0)
    mesh.run(0.5)
    mesh.cut("peer1", "peer2", 60.0)
    mesh["peer2"].session.resync(0)
    mesh.run(1.5)
    assert [inside_of(mesh[name].session).match.number for name in ("peer0", "peer1")] == [1, 1]
    leave(mesh, "peer2")
    mesh.run(3.0)
    assert_all_play(mesh, 1)


def test_a_second_state_is_taken_though_the_match_from_the_first_has_not_begun_here() -> None:
    mesh = playing_mesh(3)
    mesh.link("peer1", "peer2", Conditions(latency=0.4))
    for peer in mesh.alive:
        peer.session.resync(0)
    mesh.run_until(lambda: inside_of(mesh["peer0"].session).match.number == 1, limit=2.0, what="one has begun")
    assert inside_of(mesh["peer1"].session).match.number == 0
    mesh["peer0"].session.resync(0)
    mesh.run(2.0)
    mesh["peer1"].session.resync(0)
    mesh["peer2"].session.resync(0)
    mesh.run(2.0)
    assert_all_play(mesh, 2)


def test_a_state_that_is_too_large_is_misuse_and_the_match_goes_on() -> None:
    mesh = playing_mesh(2)
    sim: Any = mesh["peer0"].session.sim
    sim.pack_state = lambda state: bytes((16 << 20) + 1)
    with pytest.raises(UsageError, match="cannot be sent"):
        mesh["peer0"].session.resync(mesh["peer0"].session.peer_id)
    assert_all_play(mesh, 0)


def test_a_newcomer_that_becomes_a_player_is_sent_the_state_that_was_offered_before() -> None:
    mesh = with_a_free_seat(3)
    mesh["peer0"].session.resync(0)
    mesh.run(0.5)
    mesh.restart("peer2")
    mesh.run_until(lambda: mesh["peer2"].playing, limit=6.0, what="it is in")
    mesh["peer1"].session.resync(0)
    mesh["peer2"].session.resync(0)
    mesh.run(2.0)
    assert_all_play(mesh, 1)


def test_a_state_that_nobody_announced_shows_its_sender_out() -> None:
    mesh = playing_mesh(3)
    towards(mesh, "peer2", "peer0").send(encode_chunk(Chunk(0, b"state", 1)))
    mesh.run(1.0)
    assert [event.text for event in mesh["peer0"].events_of(PeerDisconnected)] == [
        "a message that the match does not allow"
    ]
