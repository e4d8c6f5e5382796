"""Netcode for Python games: rollback, servers and replays, all of which run the game again, bit for bit.

The names that most users need are here, each imported when first used; everything else is in its package.
docs/internals/architecture.md describes the packages.
"""

import retick._safe_path  # noqa: F401 - the first import: it keeps the others from the working directory

# isort: split
from typing import TYPE_CHECKING

from retick._kernels import is_compiled, prefer_sources_if_asked
from retick._lazy import lazy

if TYPE_CHECKING:
    from retick.errors import DecodeError, RetickError, UsageError
    from retick.rollback.engine.engine import RollbackEngine, SyncTest
    from retick.rollback.session.session import RollbackSession
    from retick.sim.contract import Simulation
    from retick.sim.prng import XorShift32
    from retick.sim.record import Record
    from retick.sim.world import Thing, World, WorldSimulation
else:
    __getattr__, __dir__ = lazy(
        __name__,
        {
            "retick.errors": "DecodeError RetickError UsageError",
            "retick.rollback.engine.engine": "RollbackEngine SyncTest",
            "retick.rollback.session.session": "RollbackSession",
            "retick.sim.contract": "Simulation",
            "retick.sim.prng": "XorShift32",
            "retick.sim.record": "Record",
            "retick.sim.world": "Thing World WorldSimulation",
        },
    )

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
