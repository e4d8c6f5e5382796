"""The fixtures that come with Retick."""

from typing import Any

from retick.testing import determinism
from retick.testing import mesh as mesh_module
from tests.toys import Tally


def test_assert_deterministic_is_the_function(assert_deterministic: Any) -> None:
    assert assert_deterministic is determinism.assert_deterministic
    assert_deterministic(Tally, frames=30, seeds=(5,))


def test_mesh_is_the_class(mesh: Any) -> None:
    assert mesh is mesh_module.Mesh


def test_two_peers_is_a_running_match(two_peers: Any) -> None:
    match = two_peers(Tally)
    match.play(60)
    match.verify()
