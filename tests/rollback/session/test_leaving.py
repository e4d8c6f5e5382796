"""Leaving a match in which the states have diverged: everyone hears of it first."""

from typing import Any

import pytest

from retick.rollback.events import DesyncDetected, DesyncReported, MatchEnded, PeerDisconnected
from retick.rollback.session.application import LONGEST_STAND
from retick.testing.mesh import Mesh, MeshPeer
from retick.transport.conditions import Conditions
from tests.rollback.desync.planted import WrongBranch
from tests.rollback.session.matches import tally_press


def leaving_at_once(peer: MeshPeer, kind: type) -> None:
    """The application closes its session as soon as it hears of this."""
    turn = peer.turn

    def turn_or_leave(now: float, checkpoint: int) -> None:
        if peer.session.running and peer.events_of(kind):
            peer.session.close("the peers diverged")
        else:
            turn(now, checkpoint)

    peer.turn = turn_or_leave  # type: ignore[method-assign]  # the loop of another application


def diverging_mesh(players: int, seed: int, loss: float = 0.02) -> Mesh:
    games: dict[str, Any] = {
        f"peer{number}": lambda number=number: WrongBranch(players, at=60 if number == 1 else None)
        for number in range(players)
    }
    return Mesh(games, seed=seed, conditions=Conditions(latency=0.05, jitter=0.01, loss=loss), press=lambda p, s: 3)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("leavers", [("peer0",), ("peer1",), ("peer0", "peer1")])
def test_both_sides_hear_of_a_desync_and_get_the_report_though_one_leaves_at_once(
    leavers: tuple[str, ...], seed: int
) -> None:
    mesh = diverging_mesh(2, seed)
    for name in leavers:
        leaving_at_once(mesh[name], DesyncDetected)
    mesh.start()
    mesh.run(12.0)
    reports = []
    for peer in mesh.alive:
        [detected] = peer.events_of(DesyncDetected)
        [reported] = peer.events_of(DesyncReported)
        assert detected.ours != detected.theirs
        assert peer.events.index(detected) < peer.events.index(reported)
        assert peer.events.index(reported) < peer.events.index(peer.events_of(MatchEnded)[0])
        reports.append(reported.report)
        assert peer.session.next_timeout() is None
    assert reports[0] == reports[1]
    assert reports[0].fields


def test_three_peers_hear_of_a_desync_though_one_leaves_at_once() -> None:
    mesh = diverging_mesh(3, 1)
    leaving_at_once(mesh["peer1"], DesyncDetected)
    mesh.start()
    mesh.run(12.0)
    assert all(len(peer.events_of(DesyncDetected)) >= 1 and peer.events_of(DesyncReported) for peer in mesh.alive)


def test_one_that_leaves_waits_no_longer_than_it_says_for_others_that_are_gone() -> None:
    mesh = diverging_mesh(2, 1)
    mesh.start()
    mesh.run_until(lambda: bool(mesh["peer0"].events_of(DesyncDetected)), limit=10.0, what="a difference is seen")
    mesh.crash("peer1")
    session = mesh["peer0"].session
    session.close()
    assert session.running
    mesh.run(LONGEST_STAND + 0.5)
    assert not session.running
    assert mesh["peer0"].events_of(DesyncReported)
    assert mesh["peer0"].events_of(PeerDisconnected) == [] or mesh["peer0"].events_of(MatchEnded)


def test_without_a_desync_a_session_leaves_at_once() -> None:
    mesh = Mesh(lambda: WrongBranch(2), press=tally_press_of_three)
    mesh.start()
    session = mesh["peer0"].session
    session.close()
    assert not session.running


def tally_press_of_three(player: int, state: Any) -> int:
    return tally_press(player, state) % 3
