"""The side that is ahead slows down a little, never visibly, until both roll back about equally."""

import pytest

from retick.rollback.match.config import MatchConfig
from retick.rollback.match.match import LeadEstimate, Pace
from retick.rollback.session.inside import inside_of
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions
from tests.rollback.session.matches import fighting_mesh, tally_press
from tests.toys import Tally


def test_leads_are_smoothed_and_the_difference_is_halved() -> None:
    lead = LeadEstimate()
    assert lead.ahead == 0.0
    lead.measure_ours(6.0)
    assert lead.ahead == 0.0
    lead.learn_theirs(2.0)
    assert lead.ahead == 2.0
    lead.measure_ours(30.0)
    assert 6.0 < (lead.ours or 0.0) < 8.0
    for _ in range(500):
        lead.measure_theirs(10.0)
    assert lead.theirs == pytest.approx(10.0, abs=0.01)


def test_frames_are_planned_without_drift() -> None:
    pace = Pace(tick_rate=60, most_slowing=0.05, longest_catch_up=0.25)
    pace.frame_run(0.0, 0.0)
    for frame in range(1, 600):
        pace.frame_run((pace.next_frame_at or 0.0) + 0.003 * (frame % 3), 0.0)
    assert pace.next_frame_at == pytest.approx(10.0)


def test_a_side_that_is_ahead_stretches_its_frames_by_no_more_than_the_bound() -> None:
    for ahead, slowing in ((0.0, 0.0), (0.2, 0.0), (1.8, 0.02), (100.0, 0.05), (-50.0, 0.0)):
        pace = Pace(tick_rate=50, most_slowing=0.05, longest_catch_up=0.25)
        pace.frame_run(0.0, ahead)
        assert pace.slowing == pytest.approx(slowing)
        assert pace.next_frame_at == pytest.approx(0.02 * (1 + slowing))


def test_the_phase_of_a_frame_runs_from_0_to_1() -> None:
    pace = Pace(tick_rate=10, most_slowing=0.05, longest_catch_up=0.25)
    assert pace.phase(5.0) == 0.0
    pace.frame_run(0.0, 0.0)
    assert [pace.phase(now) for now in (-1.0, 0.0, 0.05, 0.1, 9.0)] == pytest.approx([0.0, 0.0, 0.5, 1.0, 1.0])


def test_as_many_frames_may_be_run_early_as_time_was_lost_up_to_a_bound() -> None:
    pace = Pace(tick_rate=10, most_slowing=0.05, longest_catch_up=0.25, most_owed=1.0)

    def run_early(now: float) -> int:
        """How many frames may be run at once."""
        ran = 0
        while pace.is_behind_schedule(now):
            pace.start_over(now)
            pace.frame_run(now, 0.0)
            ran += 1
        return ran

    # At the start others may have begun before.
    pace.frame_run(100.0, 0.0)
    assert run_early(100.01) == 10
    assert run_early(100.05) == 0
    for frame in range(1, 30):
        pace.frame_run(100.01 + 0.1 * frame, 0.0)
    now = 100.01 + 0.1 * 29 + 0.35
    assert run_early(now) == pytest.approx(3, abs=1)
    assert run_early(now + 50.0) == 11


@pytest.mark.parametrize(("there", "back"), [(0.12, 0.02), (0.02, 0.12), (0.09, 0.01)])
def test_an_asymmetric_link_ends_in_rollbacks_that_are_about_equal(there: float, back: float) -> None:
    config = MatchConfig(input_delay=0)
    mesh = Mesh(Tally, config=config, press=tally_press, seed=3)
    mesh.link("peer0", "peer1", Conditions(latency=there), Conditions(latency=back))
    mesh.start()
    mesh.play(600)
    before = [peer.session.stats(now=mesh.network.now).resimulated_frames for peer in mesh.alive]
    mesh.play(1800)
    after = [peer.session.stats(now=mesh.network.now).resimulated_frames for peer in mesh.alive]
    first, second = (end - start for start, end in zip(before, after, strict=True))
    assert first > 1000
    assert 0.75 < first / second < 1.33, (first, second)


def test_a_side_that_starts_late_is_waited_for_without_a_visible_hitch() -> None:
    mesh = fighting_mesh(Conditions.round_trip(0.06))
    mesh.play(60)
    mesh.pause("peer1", 0.15)
    most = 0.0
    for _ in range(300):
        mesh.run(1 / 60)
        for peer in mesh.alive:
            most = max(most, inside_of(peer.session).match.pace.slowing)
    leads = [peer.session.stats(now=mesh.network.now).peers for peer in mesh.alive]
    assert 0.0 < most <= mesh.config.most_slowing
    assert abs(leads[0][1].lead - leads[1][0].lead) < 1.0


def test_peers_without_the_extension_are_brought_together_by_their_acknowledgements() -> None:
    lead = LeadEstimate()
    for _ in range(200):
        lead.measure_ours(8.0)
        lead.measure_theirs(2.0)
    assert lead.ahead == pytest.approx(3.0, abs=0.01)


def test_a_rate_keeps_its_fraction() -> None:
    pace = Pace(tick_rate=59.94, most_slowing=0.05, longest_catch_up=0.25)  # type: ignore[arg-type]  # a broadcast's
    assert pace.interval == 1 / 59.94
