"""What a peer that plays sends to its spectators, and whom it sends away."""

import tracemalloc
from typing import Any

import pytest

from retick.rollback.events import (
    MatchEnded,
    RosterChanged,
    SourceChanged,
    WatchingStarted,
)
from retick.rollback.match.config import MatchConfig
from retick.rollback.session import spectator_feed
from retick.rollback.session.inside import inside_of
from retick.rollback.session.messages.join import LARGEST_STATE
from retick.rollback.session.spectator_feed import MOST_STATES
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions
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
    assert [type(event) for event in early.events if not isinstance(event, RosterChanged)] == [WatchingStarted]
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
    last = inside_of(mesh["alone"].session).match.engine.final_state_frame
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


@pytest.mark.long
def test_a_spectator_too_far_behind_to_be_fed_is_sent_away_with_words() -> None:
    mesh = playing_mesh(2)
    fan = mesh.watch("fan", "peer0")
    mesh.run(1.0)
    feed: Any = inside_of(mesh["peer0"].session).spectator_feed
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


class Heavy(Tally):
    """A packed state of eight megabytes, which counts how often it was made."""

    SIZE = 8 << 20
    packed = 0

    def pack_state(self, state: Any) -> bytes:
        type(self).packed += 1
        return super().pack_state(state).ljust(self.SIZE, b"\0")

    def unpack_state(self, data: bytes) -> Any:
        return super().unpack_state(data[: 8 + 8 * self.num_players])


@pytest.mark.long
def test_spectators_that_come_together_share_one_packed_state() -> None:
    mesh = playing_mesh(2, game=lambda: Heavy(2), conditions=Conditions(latency=0.02))
    Heavy.packed = 0
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    for number in range(32):
        mesh.watch(f"fan{number}", "peer0")
        mesh.run(0.02)
    mesh.run(0.2)
    held = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    feed: Any = inside_of(mesh["peer0"].session).spectator_feed
    assert [each.waits_for_state() for each in feed._spectators.values()] == [True] * 32
    assert Heavy.packed == 1
    # With what waits in 32 links, at both ends.
    assert held < 4 * Heavy.SIZE


def test_states_for_spectators_are_limited_and_one_who_needs_another_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spectator_feed, "SHARED_FRAMES", 10)
    mesh = playing_mesh(2, game=lambda: Heavy(2), conditions=Conditions(latency=0.02))
    fans = [mesh.watch(f"fan{number}", "peer0") for number in range(2)]
    for number in range(2, 5):
        mesh.run(0.5)
        fans.append(mesh.watch(f"fan{number}", "peer0"))
    mesh.run(0.5)
    feed: Any = inside_of(mesh["peer0"].session).spectator_feed
    assert len(feed._beginnings) == MOST_STATES
    assert [each.needs_state for each in feed._spectators.values()] == [False, False, False, True, True]
    for fan in fans[:2]:
        fan.session.close()
    mesh.run(0.5)
    assert not any(each.needs_state for each in feed._spectators.values())
    assert len(feed._beginnings) == MOST_STATES


@pytest.mark.long
def test_one_whose_state_takes_longer_than_the_inputs_are_held_is_sent_away() -> None:
    mesh = playing_mesh(2, game=lambda: Heavy(2), conditions=Conditions(latency=0.02))
    fan = mesh.watch("fan", "peer0")
    mesh.run(0.5)
    mesh.link("fan", "peer0", Conditions(latency=0.4, loss=0.6))
    mesh.run(90.0)
    assert mesh["peer0"].session.spectators == 0
    assert any(isinstance(event, SourceChanged) for event in fan.events)
