"""One match follows another while machines come and go: all who are there end in the same one, and nobody waits."""

from random import Random
from typing import Any

import pytest

from retick.errors import UsageError
from retick.rollback.events import MatchStarted, PeerDisconnected, PlayersDropped
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.messages.drop import Drop, encode_drop
from retick.rollback.session.peer import Phase, Role
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions
from tests.toys import Tally

LINK = Conditions(latency=0.05, jitter=0.005)
STAY = MatchConfig(end_when_alone=False, disconnect_after=3.0)


def mesh_of(players: int, *, seed: int = 1, conditions: Conditions = LINK, game: Any = None) -> Mesh:
    dice = Random(seed)
    mesh = Mesh(
        game or (lambda: Tally(players)),
        seed=seed,
        conditions=conditions,
        config=STAY,
        press=lambda player, state: dice.choice((0, 1, 2, 9)),
    )
    mesh.start()
    mesh.play(60)
    return mesh


def assert_all_play(mesh: Mesh, number: int) -> None:
    """Everyone who is there plays the match of this number, and goes on in it as one."""
    assert {peer.name: peer.session.match.number for peer in mesh.alive} == {peer.name: number for peer in mesh.alive}
    mesh.play(max(peer.final_frame for peer in mesh.alive) + 120, limit=6.0)
    mesh.verify()
    assert len({peer.session.gone for peer in mesh.alive}) == 1


def leave(mesh: Mesh, name: str) -> None:
    mesh.crash(name)
    mesh.run(5.0)


def test_those_who_are_left_can_play_again_and_a_newcomer_takes_the_free_seat() -> None:
    mesh = mesh_of(3)
    leave(mesh, "peer2")
    for peer in mesh.alive:
        peer.session.rematch()
    mesh.run(1.0)
    assert [peer.session.gone for peer in mesh.alive] == [(2,), (2,)]
    assert sorted(player for peer in mesh.alive for player in peer.session.local_players) == [0, 1]
    assert_all_play(mesh, 1)
    mesh.restart("peer2")
    mesh.run_until(lambda: mesh["peer2"].playing, limit=4.0, what="it is in")
    assert_all_play(mesh, 1)


def test_a_newcomer_hears_what_was_proposed_before_it_came() -> None:
    mesh = mesh_of(4)
    leave(mesh, "peer3")
    mesh["peer0"].session.rematch()
    mesh["peer1"].session.rematch()
    mesh.run(0.5)
    mesh.restart("peer3")
    mesh.run_until(lambda: mesh["peer3"].playing, limit=4.0, what="it is in")
    mesh["peer2"].session.rematch()
    mesh.run(0.5)
    mesh["peer3"].session.rematch()
    mesh.run(1.0)
    assert_all_play(mesh, 1)


def test_a_rematch_sends_one_who_is_still_coming_in_away_to_come_again() -> None:
    mesh = mesh_of(3)
    leave(mesh, "peer2")
    mesh.restart("peer2", every=0.2)
    sponsor = mesh["peer0"].session
    mesh.run_until(lambda: any(p.role is Role.NEWCOMER for p in sponsor.peers.values()), limit=4.0, what="it calls")
    mesh["peer0"].session.rematch()
    mesh["peer1"].session.rematch()
    mesh.run_until(lambda: mesh["peer2"].playing, limit=6.0, what="it is in")
    assert_all_play(mesh, 1)


@pytest.mark.parametrize("seed", range(3))
def test_the_last_word_of_one_who_is_lost_reaches_all_through_one_who_heard_it(seed: int) -> None:
    mesh = mesh_of(3, seed=seed)
    mesh["peer0"].session.rematch()
    mesh["peer1"].session.rematch()
    mesh.run(0.5)
    mesh.cut("peer1", "peer2", 60.0)
    mesh["peer2"].session.rematch()
    mesh.run(0.2)
    assert [mesh[name].session.match.number for name in ("peer0", "peer1")] == [1, 0]
    leave(mesh, "peer2")
    mesh.run(3.0)
    assert_all_play(mesh, 1)


def test_no_match_begins_before_it_is_agreed_who_has_left() -> None:
    mesh = mesh_of(3)
    mesh["peer2"].session.rematch()
    mesh.run(0.5)
    mesh.crash("peer2")
    first = mesh["peer0"]
    mesh.run_until(lambda: bool(first.events_of(PeerDisconnected)), limit=5.0, what="one of them knows")
    mesh["peer1"].session.rematch()
    first.session.rematch()
    mesh.run(5.0)
    assert_all_play(mesh, 1)
    # Dropped in the match that it was lost in.
    for peer in mesh.alive:
        kinds = [type(event) for event in peer.events if isinstance(event, MatchStarted | PlayersDropped)]
        assert kinds == [MatchStarted, PlayersDropped, MatchStarted]


def test_the_match_goes_on_from_a_state_though_a_seat_is_free() -> None:
    mesh = mesh_of(3)
    leave(mesh, "peer2")
    for peer in mesh.alive:
        peer.session.resync(0)
    mesh.run(1.0)
    assert_all_play(mesh, 1)


def test_another_machine_can_be_named_when_the_one_that_was_is_lost() -> None:
    mesh = mesh_of(3)
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
    mesh = mesh_of(3)
    for name in ("peer0", "peer1"):
        mesh[name].session.resync(0)
    mesh.run(1.0)
    assert mesh["peer0"].session.match.number == 0
    mesh["peer2"].session.close()
    mesh.run(1.0)
    mesh.crash("peer2")
    mesh.run(1.0)
    assert_all_play(mesh, 1)


def test_the_last_word_on_a_state_reaches_all_through_one_who_heard_it() -> None:
    mesh = mesh_of(3)
    for name in ("peer0", "peer1"):
        mesh[name].session.resync(0)
    mesh.run(0.5)
    mesh.cut("peer1", "peer2", 60.0)
    mesh["peer2"].session.resync(0)
    mesh.run(0.3)
    assert [mesh[name].session.match.number for name in ("peer0", "peer1")] == [1, 0]
    leave(mesh, "peer2")
    mesh.run(3.0)
    assert_all_play(mesh, 1)


def test_more_rematches_than_numbers() -> None:
    mesh = mesh_of(2, conditions=Conditions(latency=0.002))
    for _ in range(258):
        for peer in mesh.alive:
            peer.session.rematch()
        mesh.run(0.04)
    assert_all_play(mesh, 2)


def test_a_rematch_that_is_proposed_before_the_last_one_has_begun_everywhere_is_heard() -> None:
    mesh = mesh_of(3)
    mesh.link("peer1", "peer2", Conditions(latency=0.4))
    for peer in mesh.alive:
        peer.session.rematch()
    mesh.run_until(lambda: mesh["peer0"].session.match.number == 1, limit=2.0, what="one has begun")
    assert mesh["peer1"].session.match.number == 0
    mesh["peer0"].session.rematch()
    mesh.run(2.0)
    mesh["peer1"].session.rematch()
    mesh["peer2"].session.rematch()
    mesh.run(2.0)
    assert_all_play(mesh, 2)


class Bulky(Tally):
    """A state that takes a link a while."""

    def pack_state(self, state: Any) -> bytes:
        return super().pack_state(state) + bytes(1 << 20)

    def unpack_state(self, data: bytes) -> Any:
        return super().unpack_state(data[: -(1 << 20)])


def test_word_of_the_lost_gets_through_while_a_large_state_fills_the_links() -> None:
    mesh = mesh_of(4, game=lambda: Bulky(4), conditions=Conditions(latency=0.05, loss=0.3))
    source = mesh["peer0"].session
    for name in ("peer0", "peer1", "peer2"):
        mesh[name].session.resync(0)
    mesh["peer3"].session.close()
    mesh.run(0.3)
    mesh.crash("peer3")
    assert all(peer.connection.queued_bytes > 128 << 10 for peer in source.players_peers())
    mesh.run_until(lambda: bool(mesh["peer1"].events_of(PlayersDropped)), limit=20.0, what="it is dropped")
    mesh.run_until(lambda: source.match.number == 1, limit=120.0, what="the state is there")
    mesh.run(2.0)
    assert_all_play(mesh, 1)


def test_a_machine_that_speaks_of_the_lost_before_it_knows_of_a_newcomer_tells_it_too() -> None:
    """The newcomer's sponsor is lost between its word to one member and its word to another."""
    conditions = Conditions(latency=0.05, jitter=0.01)
    for step in range(14):
        mesh = mesh_of(4, seed=step, conditions=conditions)
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


def test_a_second_state_is_taken_though_the_match_from_the_first_has_not_begun_here() -> None:
    mesh = mesh_of(3)
    mesh.link("peer1", "peer2", Conditions(latency=0.4))
    for peer in mesh.alive:
        peer.session.resync(0)
    mesh.run_until(lambda: mesh["peer0"].session.match.number == 1, limit=2.0, what="one has begun")
    assert mesh["peer1"].session.match.number == 0
    mesh["peer0"].session.resync(0)
    mesh.run(2.0)
    mesh["peer1"].session.resync(0)
    mesh["peer2"].session.resync(0)
    mesh.run(2.0)
    assert_all_play(mesh, 2)


def test_a_newcomer_that_only_others_know_to_be_in_hears_it_from_them() -> None:
    """The sponsor's COMMIT reaches the members and not the newcomer, and then the sponsor is lost."""
    mesh = mesh_of(4)
    leave(mesh, "peer3")
    mesh.restart("peer3", every=600.0)
    member, newcomer = mesh["peer1"].session, mesh["peer3"].session
    mesh.run_until(lambda: member.sponsor.has_promised, limit=4.0, what="it is about to come in")
    mesh.cut("peer0", "peer3", 60.0)
    mesh.run_until(lambda: not member.sponsor.has_promised, limit=2.0, what="it is in")
    assert newcomer.match.joins_at is None
    # The members lose the sponsor before the newcomer does.
    mesh["peer0"].session.close()
    mesh.run(0.3)
    mesh.crash("peer0")
    mesh.run(4.0)
    assert mesh["peer3"].playing
    assert_all_play(mesh, 0)


def test_a_newcomer_that_hears_that_its_sponsor_is_lost_gives_up() -> None:
    mesh = mesh_of(4)
    leave(mesh, "peer3")
    mesh.restart("peer3", every=600.0)
    newcomer: Any = mesh["peer3"].session
    mesh.run_until(lambda: newcomer.match is not None and len(newcomer.peers) == 3, limit=4.0, what="it has a state")
    last = newcomer.peers[max(newcomer.peers)]
    newcomer._routes.receive(last, encode_drop(Drop(frozenset({0}), (), ()), 2), newcomer.phase)
    assert newcomer.phase is Phase.ENDED
    # Links that come up late find no sponsor to tell.
    newcomer.newcomer.peer_connected(last)
    mesh.run(1.0)
