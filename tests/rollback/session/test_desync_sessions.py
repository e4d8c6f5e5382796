"""Investigations over real links: planted desyncs in running matches on a bad network."""

from collections.abc import Callable
from typing import Any

import pytest

from retick.sim.world import WorldSimulation
from retick.transport import Conditions
from tests.rollback.desync.planted import FieldChanged, UnsavedAttribute, WrongBranch
from tests.rollback.engine.engines import script_of
from tests.rollback.session.investigating_mesh import PeerLoop, mesh

BAD = Conditions(latency=0.04, jitter=0.01, loss=0.03)


def run(sims: list[Any], seed: int) -> list[PeerLoop]:
    peers = mesh(sims, script_of(seed, len(sims)), seed=seed, conditions=BAD)
    network = peers[0].network
    assert network.run_while(lambda: not all(peer.done for peer in peers), limit=30.0)
    reports = [peer.investigation.report for peer in peers if peer.investigation is not None]
    assert reports == [reports[0]] * len(sims)
    assert reports[0] is not None
    assert reports[0].exact
    assert reports[0].silent == ()
    return peers


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_changed_field_in_a_fight_is_found_at_its_frame(seed: int) -> None:
    peers = run([FieldChanged(), FieldChanged(at=70 + seed)], seed)
    report = peers[0].investigation.report  # type: ignore[union-attr]  # it is there
    assert report is not None
    assert report.first_differing == 71 + seed
    assert [field.name for field in report.fields] == ["p1.x"]
    ours, theirs = (value for _, value in report.fields[0].values)
    assert theirs == ours + 300  # type: ignore[operator]  # they are numbers


@pytest.mark.parametrize("seed", [1, 2])
def test_a_wrong_branch_on_one_of_four_is_found_by_all(seed: int) -> None:
    peers = run([WrongBranch(4, at=60 if number == 2 else None) for number in range(4)], seed)
    report = peers[0].investigation.report  # type: ignore[union-attr]  # it is there
    assert report is not None
    assert report.groups == ((0, 1, 3), (2,))
    guilty = next(row for row in report.inputs if row.frame + 1 == report.first_differing)
    assert guilty.values[0] == 3
    assert guilty.frame >= 60
    assert [field.name for field in report.fields] == ["totals[0]"]


@pytest.mark.parametrize(("players", "seed"), [(2, 1), (4, 1)])
def test_an_unsaved_attribute_is_found_by_all(players: int, seed: int) -> None:
    worlds: list[Callable[[], Any]] = [lambda: UnsavedAttribute(players)] * players
    peers = run([WorldSimulation(make()) for make in worlds], seed)
    report = peers[0].investigation.report  # type: ignore[union-attr]  # it is there
    assert report is not None
    assert [field.name for field in report.fields] == ["totals[0]"]
    guilty = next(row for row in report.inputs if row.frame + 1 == report.first_differing)
    assert sum(guilty.values) % 16 == 15


def test_an_honest_match_raises_no_alarm_and_opens_no_investigation() -> None:
    peers = mesh([WrongBranch(4) for _ in range(4)], script_of(9, 4), seed=9, conditions=BAD)
    peers[0].network.run(until=8.0)
    assert all(peer.session.frame > 200 for peer in peers)
    assert all(peer.investigation is None for peer in peers)
