"""A pause by agreement: one frame for all, until nobody wants it any more, and never for ever."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from retick.errors import NotSynchronized, UsageError
from retick.rollback.events import MatchPaused, MatchResumed, PeerDisconnected, PlayersDropped, Stalled
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.inside import inside_of
from retick.rollback.session.session import RollbackSession
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions
from tests.effort import first_of
from tests.rollback.session.matches import (
    LINK,
    STAY,
    assert_all_play,
    leave,
    playing_mesh,
    presses,
    started_mesh,
    with_a_free_seat,
)
from tests.rollback.session.test_membership import apart
from tests.toys import Tally

pytestmark = pytest.mark.long


def frames(mesh: Mesh) -> set[int]:
    return {peer.session.frame for peer in mesh.alive}


def short_mesh(seconds: float) -> Mesh:
    config = MatchConfig(end_when_alone=False, disconnect_after=3.0, longest_pause=seconds)
    mesh = Mesh(lambda: Tally(3), conditions=LINK, config=config, press=presses(1))
    mesh.start()
    mesh.play(60)
    return mesh


@pytest.mark.parametrize("players", [2, 3, 4])
def test_all_stop_at_one_frame_and_go_on_when_the_one_that_paused_resumes(players: int) -> None:
    mesh = playing_mesh(players, conditions=Conditions(latency=0.08, jitter=0.02, loss=0.1))
    for peer in mesh.alive:
        peer.events.clear()
    one = mesh["peer1"].session
    one.pause()
    mesh.run(3.0)
    [frame] = frames(mesh)
    mesh.run(20.0)
    assert frames(mesh) == {frame}
    for peer in mesh.alive:
        assert [(event.frame, event.peers) for event in peer.events_of(MatchPaused)] == [(frame, (one.peer_id,))]
        assert peer.session.paused_by == (one.peer_id,)
    one.resume()
    mesh.run(1.0)
    for peer in mesh.alive:
        [resumed] = peer.events_of(MatchResumed)
        assert resumed.frame == frame
        assert 20.0 < resumed.seconds < 24.0
        assert not peer.events_of(PeerDisconnected)
        assert all(event.frame != frame for event in peer.events_of(Stalled))
    assert_all_play(mesh, 0)


def test_a_pause_lasts_until_the_last_that_wants_it_has_resumed() -> None:
    mesh = playing_mesh(3)
    mesh["peer0"].session.pause()
    mesh["peer2"].session.pause()
    mesh.run(2.0)
    [frame] = frames(mesh)
    mesh["peer0"].session.resume()
    mesh.run(2.0)
    assert frames(mesh) == {frame}
    mesh["peer2"].session.resume()
    mesh.run(1.0)
    assert min(frames(mesh)) > frame
    assert_all_play(mesh, 0)


@example([(1, True, 0.0), (1, False, 0.7), (0, True, 0.0)])
@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.booleans(), st.sampled_from([0.0, 0.03, 0.1, 0.7])), max_size=12))
def test_whoever_pauses_and_resumes_in_any_order_all_go_on_in_the_end(
    acts: list[tuple[int, bool, float]],
) -> None:
    mesh = playing_mesh(3, conditions=Conditions(latency=0.06, jitter=0.03, loss=0.05))
    for number, is_pause, seconds in acts:
        session = mesh[f"peer{number}"].session
        session.pause() if is_pause else session.resume()
        mesh.run(seconds)
    mesh.run(4.0)
    if any(peer.session.peer_id in peer.session.paused_by for peer in mesh.alive):
        assert len(frames(mesh)) == 1
    for peer in mesh.alive:
        peer.session.resume()
    mesh.run(4.0)
    assert {peer.session.paused_by for peer in mesh.alive} == {()}
    assert_all_play(mesh, 0)


def test_a_pause_reaches_those_that_do_not_hear_the_one_that_wants_it() -> None:
    mesh = playing_mesh(3)
    apart(mesh, ("peer0", "peer1"))
    mesh["peer0"].session.pause()
    mesh.run(4.0)
    [frame] = frames(mesh)
    mesh.run(20.0)
    assert frames(mesh) == {frame}
    assert not any(peer.events_of(PlayersDropped) for peer in mesh.alive)
    mesh["peer0"].session.resume()
    mesh.run(2.0)
    assert min(frames(mesh)) > frame
    mesh.verify()


def test_one_that_never_resumes_is_not_waited_for_for_ever() -> None:
    mesh = short_mesh(5.0)
    mesh["peer1"].session.pause()
    mesh.run(3.0)
    [frame] = frames(mesh)
    mesh.run(4.0)
    assert min(frames(mesh)) > frame
    with pytest.raises(UsageError, match="for 5 s, the most it may"):
        mesh["peer1"].session.pause()
    assert_all_play(mesh, 0)


def test_one_that_lies_about_its_time_is_not_waited_for_either() -> None:
    mesh = short_mesh(5.0)
    liar: Any = mesh["peer1"].session
    inside_of(liar).pausing.resume = lambda: None
    liar.pause()
    mesh.run(8.0)
    assert mesh["peer0"].session.paused_by == mesh["peer2"].session.paused_by == ()
    assert mesh["peer0"].session.frame > liar.frame - 60


def test_one_that_never_resumes_can_be_shown_out() -> None:
    mesh = playing_mesh(3)
    bad = mesh["peer1"].session
    bad.pause()
    mesh.run(2.0)
    for name in ("peer0", "peer2"):
        mesh[name].session.drop(bad.peer_id)
    mesh.crash("peer1")
    mesh.run(1.0)
    assert_all_play(mesh, 0)


def test_one_that_is_killed_in_a_pause_is_dropped_and_the_pause_is_over() -> None:
    mesh = playing_mesh(3)
    mesh["peer1"].session.pause()
    mesh.run(2.0)
    mesh.crash("peer1")
    mesh.run(5.0)
    assert_all_play(mesh, 0)


def test_one_that_comes_in_during_a_pause_pauses_too() -> None:
    mesh = with_a_free_seat(3)
    mesh["peer0"].session.pause()
    mesh.run(1.0)
    mesh.restart("peer2")
    mesh.run_until(lambda: mesh["peer2"].playing, limit=8.0, what="it is in")
    mesh.run(5.0)
    assert len(frames(mesh)) == 1
    assert mesh["peer2"].session.paused_by == (mesh["peer0"].session.peer_id,)
    mesh["peer0"].session.resume()
    mesh.run(1.0)
    assert_all_play(mesh, 0)


def test_one_whose_seat_was_freed_in_a_pause_comes_in_after_it() -> None:
    mesh = playing_mesh(3)
    token = mesh["peer2"].session.seat_token
    mesh["peer0"].session.pause()
    mesh.run(1.0)
    mesh.crash("peer2")
    mesh.restart("peer2", seat_token=token)
    mesh.run(5.0)
    assert not mesh["peer2"].playing
    mesh["peer0"].session.resume()
    mesh.run_until(lambda: mesh["peer2"].playing, limit=3.0, what="it is in")
    mesh.run(0.5)
    assert_all_play(mesh, 0)


def test_a_pause_does_not_outlast_its_match() -> None:
    mesh = playing_mesh(2)
    mesh["peer0"].session.pause()
    mesh.run(1.0)
    for peer in mesh.alive:
        peer.session.rematch()
    mesh.run(1.0)
    assert mesh["peer1"].session.paused_by == ()
    assert_all_play(mesh, 1)


def test_nobody_else_ends_the_pause_of_a_peer() -> None:
    """Attack 6: words about a pause count only for their own author."""
    mesh = playing_mesh(4)
    mesh["peer0"].session.pause()
    mesh.run(2.0)
    [frame] = frames(mesh)
    restless: Any = inside_of(mesh["peer3"].session).membership
    restless._has_news = lambda: True
    restless._next_stop = lambda match: match.engine.frame + 1000
    mesh.run(20.0)
    assert frames(mesh) == {frame}
    mesh["peer0"].session.resume()
    mesh.run(2.0)
    assert min(frames(mesh)) > frame + 60
    mesh["peer0"].session.pause()


def test_one_that_names_a_far_stop_lets_nobody_run_far() -> None:
    """Attack 6: all stop at most a second behind the second highest stop."""
    mesh = playing_mesh(4)
    liar: Any = inside_of(mesh["peer3"].session).membership
    liar._next_stop = lambda match: 1 << 20
    before = mesh["peer0"].session.frame
    mesh["peer0"].session.pause()
    mesh.run(5.0)
    [frame] = {mesh[f"peer{number}"].session.frame for number in range(3)}
    assert frame - before < 120
    mesh["peer0"].session.resume()
    mesh.run(1.0)
    assert_all_play(mesh, 0)


def test_a_match_can_be_paused_again_and_again() -> None:
    mesh = playing_mesh(2)
    for _ in range(140):
        mesh["peer0"].session.pause()
        mesh.run(0.15)
        mesh["peer0"].session.resume()
        mesh.run(0.15)
    mesh.run(1.0)
    assert_all_play(mesh, 0)


def test_before_a_match_nothing_can_be_paused() -> None:
    session = RollbackSession(Tally(2), entropy=bytes)
    with pytest.raises(NotSynchronized):
        session.pause()
    session.resume()
    assert session.paused_by == ()


@pytest.mark.parametrize("seed", first_of(range(12), 3))
def test_pauses_that_follow_each_other_closely_leave_nobody_behind(seed: int) -> None:
    """One peer hears of a second pause, and that it is over, before it has heard that the first one is."""
    dice = Random(seed)
    mesh = started_mesh(4, seed=seed, conditions=Conditions(latency=0.08, jitter=0.04, loss=0.3))
    mesh.play(60)
    at = 0.0
    for _ in range(6):
        at += dice.uniform(0.05, 0.6)
        session = dice.choice(mesh.alive).session
        mesh.at(at, session.pause)
        mesh.at(at + dice.uniform(0.05, 0.5), session.resume)
    mesh.run(at + 9.0)
    assert [inside_of(peer.session).match.pause_at for peer in mesh.alive] == [None] * 4
    assert_all_play(mesh, 0)


def test_peers_with_other_limits_of_a_pause_stay_together_and_go_on_when_most_have_waited_enough() -> None:
    mesh = started_mesh(4, config=replace(STAY, longest_pause=60.0))
    mesh.play(60)
    for name, seconds in (("peer1", 2.0), ("peer2", 6.0)):
        inside = inside_of(mesh[name].session)
        inside.config = replace(inside.config, longest_pause=seconds)
    mesh["peer0"].session.pause()
    mesh.run(5.0)
    assert len(frames(mesh)) == 1, "one that has waited enough waits for the others"
    assert {peer.session.paused_by for peer in mesh.alive} == {(mesh["peer0"].session.peer_id,)}
    before = frames(mesh)
    mesh.run(5.0)
    assert min(frames(mesh)) > max(before) + 100
    assert {peer.session.paused_by for peer in mesh.alive if peer.name != "peer0"} == {()}
    mesh["peer0"].session.resume()
    mesh.run(1.0)
    assert not any(peer.events_of(PlayersDropped) or peer.events_of(PeerDisconnected) for peer in mesh.alive)
    assert_all_play(mesh, 0)


@pytest.mark.parametrize("players", [3, 4])
def test_a_newcomer_goes_on_with_the_others_after_a_pause_that_is_over_for_them(players: int) -> None:
    mesh = started_mesh(players, config=replace(STAY, longest_pause=8.0))
    mesh.play(60)
    leave(mesh, f"peer{players - 1}")
    endless = inside_of(mesh["peer1"].session)
    endless.pausing.resume = lambda: None
    mesh["peer1"].session.pause()
    mesh.run(5.0)
    newcomer = f"peer{players - 1}"
    mesh.restart(newcomer)
    mesh.run_until(lambda: mesh[newcomer].playing, limit=8.0, what="it is in")
    mesh.run(12.0)
    assert endless.pausing.is_wanted
    assert not any(peer.session.gone for peer in mesh.alive), mesh.describe()
    assert_all_play(mesh, 0)
