"""Cues of a session: whatever is resimulated, each is started once, and ends once."""

from collections import Counter
from typing import Any

import pytest

from retick.errors import UsageError
from retick.games.fighter import Fighter
from retick.rollback import CueCancelled, CueConfirmed, CueStarted
from retick.rollback.engine.cues import CueEvent
from retick.rollback.session.inside import inside_of
from retick.testing.mesh import Mesh, MeshPeer
from retick.transport.conditions import Conditions
from tests.rollback.session.matches import STAY, fighting, leave, playing_mesh, presses
from tests.toys import Tally

BAD = Conditions(latency=0.06, jitter=0.02, loss=0.05)


class Loud(Tally):
    """Every press of a player is a sound."""

    def cues(self, before: Any, after: Any) -> Any:
        for player, (old, new) in enumerate(zip(before.totals, after.totals, strict=True)):
            if old != new:
                yield ("press", player, new)


class LoudFighter(Fighter):
    """Every change of a fighter's place or health is heard."""

    def cues(self, before: Any, after: Any) -> Any:
        for player, (old, new) in enumerate(((before.p1, after.p1), (before.p2, after.p2))):
            if (old.x, old.hp) != (new.x, new.hp):
                yield ("moved", player, new.x, new.hp)


def listening(peer: MeshPeer) -> list[CueEvent]:
    """All cues of a peer, as its loop gets them after each turn."""
    heard: list[CueEvent] = []
    turn = peer.turn

    def turn_and_listen(now: float, checkpoint: int) -> None:
        turn(now, checkpoint)
        heard.extend(peer.session.cues())

    peer.turn = turn_and_listen  # type: ignore[method-assign]  # a loop with sound
    return heard


def sounding(heard: list[CueEvent]) -> Counter[tuple[int, Any]]:
    """The cues that were started and have not ended; an AssertionError if one ended that had not started."""
    playing: Counter[tuple[int, Any]] = Counter()
    for event in heard:
        playing[event.frame, event.cue] += 1 if isinstance(event, CueStarted) else -1
        assert playing[event.frame, event.cue] >= 0, event
    return +playing


def confirmed(heard: list[CueEvent]) -> Counter[tuple[int, Any]]:
    return Counter((event.frame, event.cue) for event in heard if isinstance(event, CueConfirmed))


def cues_of_a_straight_run(sim: Any, peer: MeshPeer, end: int) -> Counter[tuple[int, Any]]:
    state, found = sim.initial_state(inside_of(peer.session).match.seed), Counter[tuple[int, Any]]()
    for frame in range(end):
        after = sim.step(state, peer.rows[frame])
        found.update((frame, cue) for cue in sim.cues(state, after))
        state = after
    return found


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("game", ["fighter", "tally"])
def test_on_a_bad_link_the_confirmed_cues_are_those_of_a_straight_run(game: str, seed: int) -> None:
    make, press = (LoudFighter, fighting(seed)) if game == "fighter" else (lambda: Loud(2), presses(seed))
    mesh = Mesh(make, seed=seed, conditions=BAD, press=press)
    heard = {peer.name: listening(peer) for peer in mesh.alive}
    mesh.start()
    mesh.play(600)
    mesh.verify()
    for peer in mesh.alive:
        final = inside_of(peer.session).match.engine.final_state_frame
        assert peer.session.stats(now=mesh.network.now).rollbacks > 20
        assert confirmed(heard[peer.name]) == cues_of_a_straight_run(make(), peer, final)
        assert all(frame >= final for frame, _ in sounding(heard[peer.name]))
        assert any(isinstance(event, CueCancelled) for event in heard[peer.name])


def test_before_a_match_there_is_silence_and_a_game_without_cues_says_so() -> None:
    mesh = Mesh(lambda: Loud(2))
    assert mesh["peer0"].session.cues() == []
    other: Any = playing_mesh(2)["peer0"].session
    with pytest.raises(UsageError, match="Tally has no cues"):
        other.cues()


def test_a_cue_that_no_frame_of_a_match_confirms_is_cancelled_when_another_match_follows() -> None:
    mesh = Mesh(lambda: Loud(2), conditions=BAD, press=presses(1))
    heard = listening(mesh["peer0"])
    mesh.start()
    mesh.play(100)
    first = inside_of(mesh["peer0"].session).match
    for peer in mesh.alive:
        peer.session.rematch()
    mesh.run_until(lambda: inside_of(mesh["peer0"].session).match is not first, limit=5.0, what="the rematch")
    ended = len(heard)
    mesh.run(0.1)
    of_the_first = [event for event in heard[: ended + 50] if event.frame > 60]
    assert any(isinstance(event, CueCancelled) for event in of_the_first)
    mesh.play(100)
    frames = sounding([event for event in heard[ended:] if event.frame <= 60])
    assert not frames


def test_a_newcomer_hears_nothing_of_the_frames_that_it_catches_up_with() -> None:
    mesh = Mesh(lambda: Loud(3), conditions=BAD, config=STAY, press=presses(1))
    mesh.start()
    mesh.play(200)
    leave(mesh, "peer2")
    mesh.restart("peer2")
    heard = listening(mesh["peer2"])
    mesh.run_until(lambda: mesh["peer2"].playing, limit=10.0, what="it is back")
    first = inside_of(mesh["peer2"].session).match.engine.frame
    mesh.run(3.0)
    assert heard
    assert all(event.frame >= first - 20 for event in heard)


def test_an_application_that_asks_late_misses_cues_and_nothing_else() -> None:
    mesh = Mesh(lambda: Loud(2), conditions=BAD, press=presses(1))
    mesh.start()
    mesh.play(400)
    session = mesh["peer0"].session
    heard = session.cues()
    assert min(event.frame for event in heard) >= session.frame - session.config.history
    mesh.run(1.0)
    sounding(heard + session.cues())


def test_with_a_tolerance_a_cue_that_moves_by_a_frame_is_started_once() -> None:
    started = {}
    for tolerance in (0, 5):
        mesh = Mesh(lambda: Loud(2), conditions=BAD, press=presses(1))
        mesh.start()
        heard: list[CueEvent] = []
        while mesh["peer0"].session.frame < 400:
            mesh.run(0.05)
            heard += mesh["peer0"].session.cues(tolerance=tolerance)
        started[tolerance] = sum(isinstance(event, CueStarted) for event in heard)
        assert any(isinstance(event, CueConfirmed) for event in heard)
    assert started[5] < started[0]
