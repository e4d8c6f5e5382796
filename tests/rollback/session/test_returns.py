"""Coming back: the same seats, at once, by a token that only its owner knows."""

from random import Random
from typing import Any

import pytest

from retick.errors import UsageError
from retick.link import Reason
from retick.link.request import commitment_of
from retick.rollback.events import MatchEnded, PeerDisconnected, PlayersDropped, PlayersReturned, Resumed
from retick.rollback.match.config import MatchConfig
from retick.rollback.session import returns
from retick.rollback.session.inside import inside_of
from retick.rollback.session.messages.kinds import RETURNED
from retick.rollback.session.messages.profile import encode_return
from retick.rollback.session.session import Phase, RollbackSession
from retick.testing.mesh import Mesh
from tests.rollback.session.matches import LINK, STAY, assert_all_play, leave, playing_mesh, presses, towards
from tests.toys import Tally

USUAL = MatchConfig()
"""Silence is noticed after eight seconds, and a match ends when nobody else is left."""


def usual_mesh(players: int, config: MatchConfig = USUAL) -> Mesh:
    mesh = Mesh(lambda: Tally(players), conditions=LINK, config=config, press=presses(1))
    mesh.start()
    mesh.play(60)
    return mesh


def killed(mesh: Mesh, name: str) -> bytes:
    """One process is gone; what it had saved."""
    token: bytes = mesh[name].session.seat_token
    mesh.crash(name)
    return token


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("who", ["first", "last"])
def test_one_that_was_killed_is_let_in_at_once_and_has_its_seat_again(players: int, who: str) -> None:
    mesh = usual_mesh(players)
    name = "peer0" if who == "first" else f"peer{players - 1}"
    seats = mesh[name].session.local_players
    token = killed(mesh, name)
    mesh.run(0.5)
    mesh.restart(name, seat_token=token, every=600.0)
    mesh.run_until(lambda: mesh[name].playing, limit=3.0, what="it is back")
    assert mesh[name].session.local_players == seats
    assert mesh[name].session.seat_token != token
    mesh.run(0.5)
    for peer in mesh.alive:
        if peer.name != name:
            assert [event.players for event in peer.events_of(PlayersReturned)] == [seats]
    assert_all_play(mesh, 0)


def test_all_but_one_are_killed_and_each_gets_its_own_seat_back() -> None:
    mesh = usual_mesh(4, STAY)
    before = {peer.name: peer.session.local_players for peer in mesh.alive}
    tokens = {name: killed(mesh, name) for name in ("peer0", "peer1", "peer3")}
    mesh.run(5.0)
    assert mesh["peer2"].session.gone == tuple(sorted(before[name][0] for name in tokens))
    for name in ("peer3", "peer0", "peer1"):
        mesh.restart(name, seat_token=tokens[name])
        mesh.run_until(lambda name=name: mesh[name].playing, limit=6.0, what="it is back")  # type: ignore[misc]  # one for each
    assert {peer.name: peer.session.local_players for peer in mesh.alive} == before
    assert_all_play(mesh, 0)


def test_a_stranger_is_given_a_seat_that_nobody_will_come_back_to_first() -> None:
    mesh = playing_mesh(4)
    seats = {name: mesh[name].session.local_players for name in ("peer1", "peer2")}
    silent = inside_of(mesh["peer0"].session).profiles
    silent._known.pop(mesh["peer2"].session.peer_id)
    for name in seats:
        mesh.crash(name)
    mesh.run(5.0)
    mesh.restart("peer2", through="peer0")
    mesh.run_until(lambda: mesh["peer2"].playing, limit=5.0, what="it is in")
    assert mesh["peer2"].session.local_players == seats["peer2"]


def test_one_that_comes_back_twice_needs_the_token_of_its_last_session() -> None:
    mesh = usual_mesh(3, STAY)
    first = killed(mesh, "peer2")
    mesh.restart("peer2", seat_token=first)
    mesh.run_until(lambda: mesh["peer2"].playing, limit=4.0, what="it is back")
    mesh.run(1.0)
    second = killed(mesh, "peer2")
    mesh.restart("peer2", seat_token=first, every=600.0)
    mesh.run(2.0)
    assert mesh["peer2"].session.phase is Phase.ENDED
    assert not mesh["peer0"].events_of(PlayersDropped)[1:]
    mesh.crash("peer2")
    mesh.restart("peer2", seat_token=second, every=600.0)
    mesh.run_until(lambda: mesh["peer2"].playing, limit=3.0, what="it is back")
    mesh.run(0.5)
    assert_all_play(mesh, 0)


@pytest.mark.parametrize("disconnect_after", [1.0, 3.0, 8.0])
def test_one_machine_killed_stops_the_others_no_longer_than_the_setting_says(disconnect_after: float) -> None:
    mesh = usual_mesh(3, MatchConfig(disconnect_after=disconnect_after))
    mesh.crash("peer1")
    mesh.run(disconnect_after + 2.0)
    for peer in mesh.alive:
        assert max(event.seconds for event in peer.events_of(Resumed)) < disconnect_after + 0.5
    assert_all_play(mesh, 0)


def test_one_machine_killed_that_comes_back_stops_the_others_for_a_moment() -> None:
    mesh = usual_mesh(3)
    token = killed(mesh, "peer1")
    mesh.run(1.0)
    mesh.restart("peer1", seat_token=token)
    mesh.run(4.0)
    for name in ("peer0", "peer2"):
        assert max(event.seconds for event in mesh[name].events_of(Resumed)) < 2.5
    assert_all_play(mesh, 0)


def test_no_player_can_throw_another_one_out_without_its_token() -> None:
    mesh = playing_mesh(4)
    victim = mesh["peer1"].session
    liar = mesh["peer3"].session
    for token in (bytes(16), b"x" * 16, liar.seat_token, commitment_of(victim.seat_token)):
        for name in ("peer0", "peer1", "peer2"):
            towards(mesh, "peer3", name).send(encode_return(victim.peer_id, token))
    mesh.run(1.0)
    for name in ("peer0", "peer2"):
        session = inside_of(mesh[name].session)
        assert session.peers[victim.peer_id].is_heard
        assert session.peers[liar.peer_id].exchange.dropped["BadReturn"] == 4
    assert_all_play(mesh, 0)


def test_one_player_that_does_not_check_changes_nothing_for_the_others() -> None:
    """A sponsor that ends the connection of a peer without a token: the others hear that peer and go on with it."""
    mesh = playing_mesh(4)
    victim = mesh["peer2"].session
    inside_of(mesh["peer0"].session).returns._end(towards(mesh, "peer0", "peer2"))
    mesh.run(6.0)
    assert [inside_of(mesh[name].session).peers[victim.peer_id].is_heard for name in ("peer1", "peer3")] == [True, True]
    assert not any(peer.events_of(PlayersDropped) for peer in mesh.alive)


def test_a_second_process_with_the_same_token_takes_over_and_the_first_is_told() -> None:
    mesh = usual_mesh(3)
    first = mesh["peer2"]
    again = RollbackSession(
        Tally(3), entropy=Random(9).randbytes, host_address="peer0", seat_token=first.session.seat_token, config=USUAL
    )
    mesh.network.attach("peer2 again", again)
    mesh.run(1.0)
    assert {event.reason for event in first.events_of(PeerDisconnected)} == {RETURNED}
    assert first.session.phase is Phase.ENDED
    assert again.local_players == first.session.local_players


def test_a_match_of_two_ends_if_the_one_who_comes_back_does_not_come_in() -> None:
    mesh = usual_mesh(2)
    token = killed(mesh, "peer1")
    mesh.run(0.5)
    mesh.restart("peer1", seat_token=token, every=600.0)
    mesh.run_until(
        lambda: not inside_of(mesh["peer0"].session).peers or mesh["peer0"].session.gone, limit=2.0, what="it is let go"
    )
    assert mesh["peer0"].session.running
    mesh.crash("peer1")
    mesh.run(20.0)
    assert [event.reason for event in mesh["peer0"].events_of(MatchEnded)] == ["everyone else has left"]


def test_one_whose_seat_is_not_let_go_of_is_told_to_try_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(returns, "LONGEST_RETURN", 2.0)
    mesh = usual_mesh(4)
    deaf: Any = inside_of(mesh["peer2"].session)
    deaf.profiles._known.pop(mesh["peer3"].session.peer_id)
    seats = mesh["peer3"].session.local_players
    token = killed(mesh, "peer3")
    mesh.restart("peer3", seat_token=token, every=600.0)
    mesh.run(4.0)
    [gone] = mesh["peer3"].events_of(PeerDisconnected)
    assert (gone.reason, gone.text[-9:]) == (Reason.DENIED, "try again")
    mesh.crash("peer3")
    mesh.run(6.0)
    mesh.restart("peer3", seat_token=token)
    mesh.run_until(lambda: mesh["peer3"].playing, limit=6.0, what="it is back")
    assert mesh["peer3"].session.local_players == seats
    mesh.run(0.5)
    assert_all_play(mesh, 0)


def test_no_more_come_back_at_a_time_than_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(returns, "MOST_RETURNING", 0)
    mesh = usual_mesh(3)
    peer_id = mesh["peer2"].session.peer_id
    token = killed(mesh, "peer2")
    mesh.restart("peer2", seat_token=token, every=600.0)
    mesh.run(1.0)
    assert [event.reason for event in mesh["peer2"].events_of(PeerDisconnected)] == [Reason.DENIED]
    assert inside_of(mesh["peer0"].session).peers[peer_id].is_heard


def test_a_joiner_that_comes_back_into_the_lobby_has_its_seat_again() -> None:
    mesh = Mesh(lambda: Tally(4), seats=dict.fromkeys(("host", "one", "two"), 1), conditions=LINK, config=USUAL)
    mesh.run(1.0)
    before = mesh["one"].session.local_players
    token = killed(mesh, "one")
    session = RollbackSession(
        Tally(4), entropy=Random(9).randbytes, host_address="host", seat_token=token, config=USUAL
    )
    mesh.network.attach("one again", session)
    mesh.run(1.0)
    assert session.local_players == before
    assert [each.players for each in mesh["host"].session.roster] == [(0,), (1,), (2,)]


def test_seats_that_were_held_move_with_the_others_in_a_rematch() -> None:
    mesh = usual_mesh(3, STAY)
    token = mesh["peer2"].session.seat_token
    leave(mesh, "peer2")
    for peer in mesh.alive:
        peer.session.rematch()
    mesh.run(1.0)
    free = mesh["peer0"].session.gone
    assert inside_of(mesh["peer0"].session).returns.held_seats == set(free)
    mesh.restart("peer2", seat_token=token)
    mesh.run_until(lambda: mesh["peer2"].playing, limit=4.0, what="it is back")
    assert mesh["peer2"].session.local_players == free


def test_a_token_of_the_wrong_size_is_refused_at_once() -> None:
    with pytest.raises(UsageError, match="a seat token has 16 bytes, not 3"):
        RollbackSession(Tally(2), entropy=Random(9).randbytes, seat_token=b"abc")
