"""Chooses how the states of a game are kept."""

from typing import Any

from retick.rollback.engine.flat_ring import IS_COMPILED, FlatRing
from retick.rollback.engine.states import ObjectRing, SparseRing, StateRing
from retick.sim.flat import FlatSimulation

__all__ = ["ring_for"]


def ring_for(sim: Any, capacity: int, sparse: object) -> StateRing:
    """The ring for a game: few saves if ``sparse``; rows of C integers if the game's compiled step is in use."""
    if sparse:
        return SparseRing(sim, capacity)
    if IS_COMPILED and isinstance(sim, FlatSimulation) and _has_its_own_step(sim):
        return FlatRing(sim, capacity)
    return ObjectRing(sim, capacity)


def _has_its_own_step(sim: FlatSimulation) -> bool:
    """Whether nothing in Python has replaced the game's compiled step or checksum: not a subclass, nor an instance."""
    if sim.python_advance is not None:
        return False
    kind, own = type(sim), getattr(sim, "__dict__", {})
    replaced = "step" in own or "checksum" in own
    return kind.step is FlatSimulation.step and kind.checksum is FlatSimulation.checksum and not replaced
