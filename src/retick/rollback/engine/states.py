"""The states that can be rolled back to, and the loop that runs frames (a compiled kernel).

Theory of operation. A ring holds the state *before* each of the last frames and the present one. ``simulate``
starts from the state before ``first`` and runs up to ``end``, storing the state before each frame on the way:
this one loop is an ordinary advance, a rollback and a sync test. Three rings do it, the same to the caller; ``rings``
chooses one for a game:

- ``FlatRing`` (in ``flat_ring``) for a compiled game of flat integers: no Python object a frame;
- ``ObjectRing`` for any game: it keeps a reference to each state;
- ``SparseRing`` for a world whose save is expensive: it saves the newest final state and one in eight around it,
  and runs from the nearest saved one before the frame it is asked for.
"""

from typing import Any

from retick.sim.contract import Frame

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.rollback.engine.inputs import InputHistory
    from cython.cimports.retick.sim.flat import FlatSimulation
else:
    from retick.rollback.engine.inputs import InputHistory
    from retick.sim.flat import FlatSimulation

__all__ = ["ObjectRing", "SparseRing", "StateRing"]


@cython.cclass
class StateRing:
    """What the engine asks of its states. The engine itself refuses frames that are outside of the ring."""

    if not cython.compiled:
        sim: Any
        capacity: int

    def put(self, frame: cython.longlong, state: Any) -> cython.int:
        """Hold ``state`` as the one before ``frame``."""
        return 0

    def simulate(
        self, first: cython.longlong, end: cython.longlong, final: cython.longlong, inputs: InputHistory
    ) -> cython.int:
        """Run frames ``first`` to ``end - 1``; states before frames up to ``final + 1`` will not change again."""
        return 0

    def state_at(self, frame: cython.longlong, inputs: InputHistory) -> Any:
        """The state before ``frame``."""

    def checksum_at(self, frame: cython.longlong, inputs: InputHistory) -> Any:
        return self.sim.checksum(self.state_at(frame, inputs))

    def stamp(self, frame: cython.longlong) -> cython.int:
        """Remember the checksum of the state before ``frame``, for ``recheck`` to compare with."""
        return 0

    def recheck(self, first: cython.longlong, end: cython.longlong, inputs: InputHistory) -> cython.longlong:
        """Run ``first`` to ``end - 1`` again beside the ring; the first frame whose checksum differs then, or -1."""
        return -1

    def rechecked_state(self) -> Any:
        """The state that the last ``recheck`` ended on."""


@cython.cclass
class ObjectRing(StateRing):
    """States as Python objects, one reference each."""

    if not cython.compiled:
        step: Any
        checksum_of: Any
        reload: Any
        again: Any
        kept: list[Any]
        sums: list[Any]

    def __init__(self, sim: Any, capacity: Frame) -> None:
        self.sim = sim
        self.capacity = capacity
        self.step = sim.step
        self.checksum_of = sim.checksum
        self.reload = _reloader(sim)
        self.again = None
        self.kept = [None] * capacity
        self.sums = [None] * capacity

    def put(self, frame: cython.longlong, state: Any) -> cython.int:
        if isinstance(self.sim, FlatSimulation):
            self.sim.fields(state)  # it refuses the state of another game: better now than in the first step
        self.kept[frame % self.capacity] = state
        return 0

    def simulate(
        self, first: cython.longlong, end: cython.longlong, final: cython.longlong, inputs: InputHistory
    ) -> cython.int:
        frame: cython.longlong
        kept = self.kept
        step = self.step
        state = kept[first % self.capacity]
        for frame in range(first, end):
            state = step(state, inputs.inputs_at(frame))
            kept[(frame + 1) % self.capacity] = state
        return 0

    def state_at(self, frame: cython.longlong, inputs: InputHistory) -> Any:
        return self.kept[frame % self.capacity]

    def stamp(self, frame: cython.longlong) -> cython.int:
        at: cython.longlong = frame % self.capacity
        self.sums[at] = self.checksum_of(self.kept[at])
        return 0

    def recheck(self, first: cython.longlong, end: cython.longlong, inputs: InputHistory) -> cython.longlong:
        frame: cython.longlong
        state = self.reload(self.kept[first % self.capacity])
        self.again = state
        for frame in range(first, end):
            state = self.step(state, inputs.inputs_at(frame))
            self.again = state
            if self.checksum_of(state) != self.sums[(frame + 1) % self.capacity]:
                return frame + 1
        return -1

    def rechecked_state(self) -> Any:
        return self.again


@cython.cclass
class SparseRing(StateRing):
    """Few saved states: the newest final one, and one in ``SPACING`` as far as history reaches."""

    SPACING = 8

    if not cython.compiled:
        step: Any
        keep: Any
        is_here: Any
        anchors: dict[int, Any]
        present: Any
        present_frame: int
        history: int

    def __init__(self, sim: Any, capacity: Frame) -> None:
        self.sim = sim
        self.capacity = capacity
        self.history = capacity - 1
        self.step = getattr(sim, "step_unkept", sim.step)
        self.keep = getattr(sim, "keep", _itself)
        self.is_here = getattr(sim, "has", _always)
        self.anchors = {}
        self.present = None
        self.present_frame = -1

    def put(self, frame: cython.longlong, state: Any) -> cython.int:
        self.anchors = {frame: self.keep(state)}
        self.present = state
        self.present_frame = frame
        return 0

    def simulate(
        self, first: cython.longlong, end: cython.longlong, final: cython.longlong, inputs: InputHistory
    ) -> cython.int:
        frame: cython.longlong
        start, state = self._nearest(first)
        for stale in [anchor for anchor in self.anchors if anchor > start]:
            del self.anchors[stale]
        newest: cython.longlong = max(self.anchors)
        # If the game raises on the way, there is no present state: it is made again from the nearest anchor.
        self.present_frame = -1
        for frame in range(start, end):
            if frame == final + 1 or frame - newest >= SparseRing.SPACING:
                self.anchors[frame] = self.keep(state)
                newest = frame
            state = self.step(state, inputs.inputs_at(frame))
        self.present = state
        self.present_frame = end
        self._forget(end - self.history, min(final + 1, end))
        return 0

    def _nearest(self, frame: Frame) -> tuple[int, Any]:
        """The nearest state at or before ``frame`` that can be stepped from."""
        if frame == self.present_frame and self.is_here(self.present):
            return frame, self.present
        start = max(anchor for anchor in self.anchors if anchor <= frame)
        return start, self.anchors[start]

    def _forget(self, oldest: Frame, final: Frame) -> None:
        """Drop the anchors before history, and those too close to another one that no rollback starts from."""
        base = max((anchor for anchor in self.anchors if anchor <= oldest), default=-1)
        newest_final = max((anchor for anchor in self.anchors if anchor <= final), default=final)
        last = -SparseRing.SPACING
        for anchor in sorted(self.anchors):
            if anchor < base or (base < anchor < newest_final and anchor - last < SparseRing.SPACING):
                del self.anchors[anchor]
            else:
                last = anchor

    def state_at(self, frame: cython.longlong, inputs: InputHistory) -> Any:
        at: cython.longlong
        start, state = self._nearest(frame)
        if start == frame:
            return state
        # Stepping changes the world: a present state that was not saved would be lost.
        if frame != self.present_frame and self.is_here(self.present):
            self.keep(self.present)
        for at in range(start, frame):
            state = self.step(state, inputs.inputs_at(at))
        if frame == self.present_frame:
            self.present = state
        return self.keep(state)


def _itself(state: Any) -> Any:
    return state


def _always(state: Any) -> bool:
    return state is not None


def _reloader(sim: Any) -> Any:
    """How a sync test gets a state back as if from a save: through the world, through bytes, or as it is."""
    if hasattr(sim, "reload"):
        return sim.reload
    if hasattr(sim, "pack_state") and hasattr(sim, "unpack_state"):
        return lambda state: sim.unpack_state(sim.pack_state(state))
    return _itself
