"""Stage 4 of the rollout: what locomotion in snapshots is for, shown against the reset that it replaced.

The full runs, 180 seconds for each of six seeds, are `python -m benchmarks authority`.
"""

from functools import cache

import pytest

from retick.games.runner import ARENA, Wanderer
from retick.netrunner import ClientConfig
from retick.transport import Conditions
from tests.checkers.scenario_b import Measured, checks, run_scenario

pytestmark = pytest.mark.long

SECONDS = 36.0
"""The first client of seed 1 comes to its walls late: in less time it does not run along them often enough to count."""


@cache
def runs(reset: bool) -> list[Measured]:
    config = ClientConfig(reset_on_reconcile=reset)
    return [measured for seed in (1, 2) for measured in run_scenario(seed, seconds=SECONDS, config=config)]


def test_every_row_of_the_acceptance_table_holds() -> None:
    missed = [check for check in checks(runs(False), runs(True)) if not check.kept]
    assert missed == []


def test_no_correction_reaches_a_quarter_of_a_metre_and_the_old_reset_shows_them() -> None:
    assert [measured.spikes for measured in runs(False)] == [0, 0, 0, 0]
    assert sum(measured.spikes for measured in runs(True)) >= 20


def test_locomotion_goes_on_across_reconciles_and_the_old_reset_wipes_it() -> None:
    ours, old = runs(False), runs(True)
    assert sum(measured.discontinuities for measured in ours) <= 0.02 * sum(len(m.corrections) for m in ours)
    assert sum(measured.discontinuities for measured in old) > 0.3 * sum(len(m.corrections) for m in old)


@pytest.mark.parametrize("delta", [True, False])
def test_without_loss_or_delay_no_correction_is_ever_made(delta: bool) -> None:
    for measured in run_scenario(5, seconds=12.0, conditions=Conditions(), config=ClientConfig(delta=delta)):
        assert len(measured.corrections) > 80
        assert set(measured.corrections) == {0.0}


def test_fixed_snapshots_lead_to_the_same_run_as_deltas() -> None:
    fixed = run_scenario(1, seconds=SECONDS, config=ClientConfig(delta=False))
    for one, other in zip(fixed, runs(False)[:2], strict=True):
        assert one.spikes == 0
        assert one.acks == other.acks
        assert one.snapshot_bytes > 8 * other.snapshot_bytes


def test_aimless_runners_in_the_small_arena_pass_too() -> None:
    for measured in run_scenario(9, seconds=14.0, bot=Wanderer, world=ARENA):
        assert measured.spikes == 0
        assert measured.divergence <= 0.003


def test_a_run_repeats_to_the_last_bit() -> None:
    first, second = (run_scenario(4, seconds=8.0, config=ClientConfig(reset_on_reconcile=True)) for _ in range(2))
    assert [run.corrections for run in first] == [run.corrections for run in second]


def test_without_transit_time_in_the_clock_commands_come_with_nothing_to_spare() -> None:
    """What the switch is for: spare copies of commands arrive after their tick, and so count as too late."""
    config = ClientConfig(one_way_compensation=False, shed_lead=False)
    plain = run_scenario(1, seconds=SECONDS, config=config)
    for without, compensated in zip(plain, runs(False)[:2], strict=True):
        assert without.input_stats is not None
        assert compensated.input_stats is not None
        late, usual = (
            found[1].dropped_old - found[0].dropped_old for found in (without.input_stats, compensated.input_stats)
        )
        assert late > 10 * max(1, usual)
        assert max(without.pending) < max(compensated.pending)
