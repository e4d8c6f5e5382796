"""States of a flat game as rows of C integers (a compiled kernel).

Theory of operation. A :class:`~retick.sim.flat.FlatSimulation` steps a row of 64-bit integers in place. The ring is one
block of such rows. A frame is a copy of a row and a direct call of the game's step: no Python object is made. The sync
test steps a row beside the ring, ``scratch``, and compares its checksums with those in ``sums``.
"""

from typing import Any

from retick.sim.contract import Frame

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.libc.stdlib import calloc, free
    from cython.cimports.libc.string import memcpy
    from cython.cimports.retick.rollback.engine.inputs import InputHistory
    from cython.cimports.retick.rollback.engine.states import StateRing
    from cython.cimports.retick.sim.flat import FlatSimulation
else:
    from retick.rollback.engine.inputs import InputHistory
    from retick.rollback.engine.states import StateRing
    from retick.sim.flat import FlatSimulation

__all__ = ["IS_COMPILED", "FlatRing"]

IS_COMPILED = bool(cython.compiled)


@cython.cclass
class FlatRing(StateRing):
    """States as rows of C integers. Uncompiled it does nothing: ``rings`` chooses it only in the compiled form."""

    if not cython.compiled:
        flat: FlatSimulation
        slots: int
        rows: Any
        scratch: Any
        sums: Any

    def __init__(self, sim: Any, capacity: Frame) -> None:
        self.sim = sim
        self.capacity = capacity
        if cython.compiled:
            self.flat = sim
            self.slots = self.flat.slot_count
            self.rows = cython.cast(cython.p_longlong, calloc(capacity * self.slots, 8))
            self.scratch = cython.cast(cython.p_longlong, calloc(self.slots, 8))
            self.sums = cython.cast(cython.p_uint, calloc(capacity, 4))
            if not (self.rows and self.scratch and self.sums):
                raise MemoryError

    def __dealloc__(self) -> None:
        if cython.compiled:
            free(self.rows)
            free(self.scratch)
            free(self.sums)

    def put(self, frame: cython.longlong, state: Any) -> cython.int:
        if cython.compiled:
            memcpy(self.rows + (frame % self.capacity) * self.slots, self.flat.slots_of(state), self.slots * 8)
        return 0

    def simulate(
        self, first: cython.longlong, end: cython.longlong, final: cython.longlong, inputs: InputHistory
    ) -> cython.int:
        if cython.compiled:
            frame: cython.longlong
            at: cython.longlong = first % self.capacity
            size: cython.size_t = self.slots * 8
            here: cython.p_longlong = self.rows + at * self.slots
            there: cython.p_longlong
            for frame in range(first, end):
                at += 1
                if at == self.capacity:
                    at = 0
                there = self.rows + at * self.slots
                memcpy(there, here, size)
                self.flat.advance_slots(there, inputs.row(frame))
                here = there
        return 0

    def state_at(self, frame: cython.longlong, inputs: InputHistory) -> Any:
        if cython.compiled:
            return self.flat.state_from(self.rows + (frame % self.capacity) * self.slots)
        return None

    def checksum_at(self, frame: cython.longlong, inputs: InputHistory) -> Any:
        if cython.compiled:
            return self.flat.checksum_slots(self.rows + (frame % self.capacity) * self.slots)
        return None

    def stamp(self, frame: cython.longlong) -> cython.int:
        if cython.compiled:
            at: cython.longlong = frame % self.capacity
            self.sums[at] = self.flat.checksum_slots(self.rows + at * self.slots)
        return 0

    def recheck(self, first: cython.longlong, end: cython.longlong, inputs: InputHistory) -> cython.longlong:
        if cython.compiled:
            frame: cython.longlong
            at: cython.longlong = first % self.capacity
            memcpy(self.scratch, self.rows + at * self.slots, self.slots * 8)
            for frame in range(first, end):
                self.flat.advance_slots(self.scratch, inputs.row(frame))
                at += 1
                if at == self.capacity:
                    at = 0
                if self.flat.checksum_slots(self.scratch) != self.sums[at]:
                    return frame + 1
        return -1

    def rechecked_state(self) -> Any:
        if cython.compiled:
            return self.flat.state_from(self.scratch)
        return None
