"""What a peer that plays sends to its spectators, and whom it sends away."""

from typing import Any

from retick.rollback.events import (
    MatchEnded,
    SourceChanged,
    WatchingStarted,
)
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.messages.state import LARGEST_STATE
from retick.testing.mesh import Mesh
from tests.rollback.session.matches import (
    LINK,
    STAY,
    assert_all_play,
    playing_mesh,
    presses,
    started_mesh,
)
from tests.toys import Tally


def test_spectators_come_at_any_time_and_move_on_when_their_source_leaves() -> None:
    mesh = started_mesh(3)
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


def test_more_spectators_than_the_settings_allow_are_refused() -> None:
    mesh = Mesh(lambda: Tally(2), conditions=LINK, config=MatchConfig(max_spectators=2))
    mesh.start()
    fans = [mesh.watch(f"fan{number}", "peer0") for number in range(3)]
    mesh.run(1.0)
    assert mesh["peer0"].session.spectators == 2
    ends = [event.reason for fan in fans for event in fan.events if isinstance(event, MatchEnded)]
    assert ends == ["no more spectators are accepted here"]


def test_a_spectator_that_leaves_makes_room() -> None:
    mesh = playing_mesh(2)
    fan = mesh.watch("fan", "peer0")
    mesh.run(1.0)
    assert mesh["peer0"].session.spectators == 1
    fan.session.close()
    mesh.run(1.0)
    assert mesh["peer0"].session.spectators == 0


def test_a_spectator_too_far_behind_to_be_fed_is_sent_away_with_words() -> None:
    mesh = playing_mesh(2)
    fan = mesh.watch("fan", "peer0")
    mesh.run(1.0)
    feed: Any = mesh["peer0"].session.spectator_feed
    [spectator] = feed._spectators.values()
    mesh.run(80.0)
    spectator.next_frame = 0
    mesh.run(1.0)
    assert mesh["peer0"].session.spectators == 0
    mesh.run(3.0)
    # It goes on through the other peer.
    assert any(isinstance(event, SourceChanged) for event in fan.events)
    assert mesh["peer1"].session.spectators == 1
    mesh.verify()


def test_a_state_that_is_too_large_for_a_spectator_is_said_and_nobody_is_blamed() -> None:
    mesh = playing_mesh(2)
    for peer in mesh.alive:
        sim: Any = peer.session.sim
        sim.pack_state = lambda state: bytes(LARGEST_STATE + 1)
    fan = mesh.watch("fan", "peer0")
    mesh.run(2.0)
    [ended] = [event for event in fan.events if isinstance(event, MatchEnded)]
    assert ended.reason.startswith("a state of 16777217 bytes cannot be sent")
    assert_all_play(mesh, 0)
