"""What a game's loop sees of a session: frames and events in the order of docs/guides/rollback-sessions.md."""

from typing import Any

import pytest

from retick.errors import NotSynchronized
from retick.rollback.events import MatchStarted, PeerDisconnected, Stalled
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.session import RollbackSession
from retick.testing.mesh import Mesh
from tests.rollback.session.matches import STAY, leave, playing_mesh, with_a_free_seat
from tests.toys import Tally


class Watched(RollbackSession):
    """Notes every frame that was due before the application had heard of a match."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.is_told = False
        self.early: list[int] = []

    def events(self) -> list[Any]:
        happened = super().events()
        self.is_told = self.is_told or any(isinstance(event, MatchStarted) for event in happened)
        return happened

    def due(self, *, now: float) -> bool:
        is_due = bool(super().due(now=now))
        if is_due and not self.is_told:
            self.early.append(self.frame)
        return is_due


def test_no_frame_is_due_before_a_newcomer_was_told_that_the_match_has_started() -> None:
    mesh = Mesh(lambda: Tally(3), config=STAY, make_session=Watched)
    mesh.start()
    mesh.play(200)
    leave(mesh, "peer2")
    mesh.restart("peer2")
    mesh.run_until(lambda: mesh["peer2"].playing, limit=10.0, what="it is back")
    mesh.play(600)
    mesh.verify()
    for peer in mesh.alive:
        assert peer.session.early == []
    newcomer = mesh["peer2"]
    first = next(event for event in newcomer.events if isinstance(event, MatchStarted | Stalled))
    assert isinstance(first, MatchStarted)
    assert first.frame > 200


def test_a_newcomer_catches_up_though_its_application_asks_for_no_frame() -> None:
    """A program may well wait for MatchStarted before it asks for frames."""
    mesh = with_a_free_seat(3)
    free = mesh["peer0"].session.gone
    mesh.restart("peer2")
    newcomer = mesh["peer2"]
    newcomer.turn = lambda now, checkpoint: None  # type: ignore[method-assign]  # a loop that only polls
    mesh.run_until(lambda: bool(newcomer.events_of(MatchStarted)), limit=10.0, what="it is told of the match")
    [started] = newcomer.events_of(MatchStarted)
    assert started.local_players == free


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("way", ["crash", "close"])
def test_every_survivor_is_told_once_that_a_peer_is_gone_and_why(players: int, way: str) -> None:
    mesh = playing_mesh(players)
    gone = mesh["peer1"].session.peer_id
    if way == "crash":
        mesh.crash("peer1")
    else:
        mesh["peer1"].session.close("enough")
    mesh.run(8.0)
    for name in ("peer0", "peer2", "peer3")[: players - 1]:
        [event] = mesh[name].events_of(PeerDisconnected)
        assert event.peer == gone
        assert type(event.reason) is int
        assert event.text == ("nothing heard for too long" if way == "crash" else "enough")


def test_no_frame_can_be_run_before_there_is_a_match() -> None:
    session = RollbackSession(Tally(2), entropy=lambda count: bytes(count), config=MatchConfig())
    with pytest.raises(NotSynchronized, match="no frame can be run: the session is waiting for everyone"):
        session.advance(0, now=0.0)
    with pytest.raises(NotSynchronized, match="there is no match yet"):
        session.state  # noqa: B018 - reading it is the test
