"""Netcode for Python games: rollback, servers and replays, all of which run the game again, bit for bit.

The names that most users need are here, each imported when first used; everything else is in its package.
docs/internals/architecture.md describes the packages.
"""

import retick._safe_path  # noqa: F401 - the first import: it keeps the others from the working directory

# isort: split
import importlib
from typing import TYPE_CHECKING, Any

from retick._kernels import is_compiled, prefer_sources_if_asked

if TYPE_CHECKING:
    from retick.errors import DecodeError, RetickError, UsageError
    from retick.rollback.engine.engine import RollbackEngine, SyncTest
    from retick.rollback.session.session import RollbackSession
    from retick.sim.contract import Simulation
    from retick.sim.prng import XorShift32
    from retick.sim.record import Record
    from retick.sim.world import Thing, World, WorldSimulation

__version__ = "0.1.0"
"""The version of Retick. pyproject.toml reads it here, and ``retick --version`` shows it."""

__all__ = [
    "DecodeError",
    "Record",
    "RetickError",
    "RollbackEngine",
    "RollbackSession",
    "Simulation",
    "SyncTest",
    "Thing",
    "UsageError",
    "World",
    "WorldSimulation",
    "XorShift32",
    "__version__",
    "is_compiled",
]

prefer_sources_if_asked()

_HOMES = {
    "DecodeError": "retick.errors",
    "Record": "retick.sim.record",
    "RetickError": "retick.errors",
    "RollbackEngine": "retick.rollback.engine.engine",
    "RollbackSession": "retick.rollback.session.session",
    "Simulation": "retick.sim.contract",
    "SyncTest": "retick.rollback.engine.engine",
    "Thing": "retick.sim.world",
    "UsageError": "retick.errors",
    "World": "retick.sim.world",
    "WorldSimulation": "retick.sim.world",
    "XorShift32": "retick.sim.prng",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'retick' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    # retick: allow global-state -- a name that was found once never changes
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
