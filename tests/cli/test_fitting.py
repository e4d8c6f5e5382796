"""Fitting: what a seeded world was made with is found again in its snapshots."""

from pathlib import Path

import pytest
from benchmarks.tumble import trace

from retick.cli.snapshot import fit
from retick.cli.snapshot_scoring import read_source
from retick.snapshot import Motion, Rotation, Schema
from retick.snapshot.compact.prior import empty_prior
from tests.snapshot.compact.test_packet import BODY, body

BOXES = 36
GRAVITY = 20 * 0.99 * 512 / 3600
"""As benchmarks/tumble.py has it: 20 m/s², damped in the same tick, in steps of 1/512 m a tick squared."""


@pytest.mark.parametrize("seed", [2, 5])
def test_damping_and_gravity_are_recovered_from_a_trace_that_declares_nothing(seed: int, tmp_path: Path) -> None:
    path = tmp_path / "trace.bin"
    path.write_bytes(trace(150, seed=seed, boxes=BOXES))
    source = read_source(path, None, BOXES)
    fitted = fit(Schema(source.schema.components), source.snapshots, lag=2, prior=empty_prior())
    turning, moving, _flag = (group.predictor for group in fitted.groups)
    assert isinstance(turning, Rotation)
    assert isinstance(moving, Motion)
    assert turning.damping == pytest.approx(0.99, abs=0.006)
    assert moving.damping == pytest.approx(0.99, abs=0.006)
    x, y, z = moving.acceleration
    assert x == y == 0
    assert z == pytest.approx(-GRAVITY, rel=0.05)


def test_what_a_world_does_not_do_is_not_found() -> None:
    """Boxes at rest: the groups stay as they are by default."""
    still = [body(1, 1).copy(tick=tick) for tick in range(1, 40)]
    fitted = fit(Schema(BODY.components), still, lag=2, prior=empty_prior())
    assert all(getattr(group.predictor, "damping", 1.0) == 1.0 for group in fitted.groups)
    assert not any(any(getattr(group.predictor, "acceleration", ())) for group in fitted.groups)
