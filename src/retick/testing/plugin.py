"""Pytest fixtures to test your own game.

Pytest loads it in every environment that has Retick, so it imports nothing until a fixture is used.
"""

from typing import Any

import pytest


@pytest.fixture(name="assert_deterministic")
def assert_deterministic() -> Any:
    """The function ``retick.testing.determinism.assert_deterministic``."""
    from retick.testing import determinism

    return determinism.assert_deterministic


@pytest.fixture(name="mesh")
def mesh() -> Any:
    """The class ``retick.testing.mesh.Mesh``: any number of peers on any links, on virtual time."""
    from retick.testing.mesh import Mesh

    return Mesh


@pytest.fixture(name="two_peers")
def two_peers() -> Any:
    """The function ``retick.testing.mesh.two_peers``: starts a match of two peers over a bad link."""
    from retick.testing import mesh

    return mesh.two_peers


@pytest.fixture(name="world_mesh")
def world_mesh() -> Any:
    """The class ``retick.testing.world_mesh.WorldMesh``: a server of a declared world and clients on bad links."""
    from retick.testing.world_mesh import WorldMesh

    return WorldMesh
