"""The sync test: run each frame, run the last few again from a saved state, and compare (a compiled kernel).

A game that keeps anything outside of its state, or whose step depends on more than its arguments, gives another
checksum the second time. The error names the frame and the fields with both values.
"""

from collections.abc import Sequence
from typing import Any

from retick.errors import DeterminismError, UsageError
from retick.rollback.engine.checks import check_settings
from retick.rollback.engine.rings import ring_for
from retick.sim.contract import Frame, Input, input_size_of
from retick.sim.fields import field_differences

try:
    import cython
except ModuleNotFoundError:  # without Cython the source runs as it is
    from retick import _cython as cython  # type: ignore[no-redef]  # a stand-in of the same name

if cython.compiled:
    from cython.cimports.retick.rollback.engine.inputs import InputHistory, fits
    from cython.cimports.retick.rollback.engine.states import StateRing
else:
    from retick.rollback.engine.inputs import InputHistory, fits
    from retick.rollback.engine.states import StateRing

__all__ = ["SyncTest"]

NO_INPUTS = InputHistory(1, (), 1, 1, 0, None)
NO_STATES = StateRing()


@cython.cclass
class SyncTest:
    """Runs a game; each ``advance`` resimulates the last ``distance`` frames and compares checksums."""

    if not cython.compiled:
        sim: Any
        distance: int
        current: int
        num_players: int
        inputs: InputHistory
        states: StateRing

    def __cinit__(self, *_arguments: Any, **_options: Any) -> None:
        # Compiled only: a subclass that never calls __init__ gets errors, and not a crash.
        self.inputs = NO_INPUTS
        self.states = NO_STATES

    def __init__(self, sim: Any, state: Any, *, distance: Frame = 7) -> None:
        if not isinstance(distance, int) or not 1 <= distance <= 1000:
            raise UsageError(f"distance must be from 1 to 1000 frames, not {distance!r}")
        check_settings(sim.num_players, distance + 1, None, 0)
        self.sim = sim
        self.distance = distance
        self.current = 0
        self.num_players = sim.num_players
        self.inputs = InputHistory(sim.num_players, range(sim.num_players), distance + 2, input_size_of(sim), 0, None)
        self.states = ring_for(sim, distance + 1, False)
        self.states.put(0, state)
        self.states.stamp(0)

    @property
    def frame(self) -> int:
        return self.current

    @property
    def state(self) -> Any:
        return self.states.state_at(self.current, self.inputs)

    def advance(self, pressed: Sequence[Input]) -> None:
        """Run one frame with everyone's inputs, then the last ``distance`` frames again.

        Raises DeterminismError when a frame comes out differently the second time.
        """
        player: cython.int = 0
        first: cython.longlong
        frame: cython.longlong
        if len(pressed) != self.num_players:
            raise UsageError(f"advance takes {self.num_players} inputs, not {len(pressed)}")
        for value in pressed:
            if not fits(value, self.inputs.largest_input):
                raise UsageError(
                    f"input of player {player} must be an integer from 0 to {self.inputs.largest_input}, not {value!r}"
                )
            self.inputs.confirm(player, self.current, value)
            player += 1
        self.states.simulate(self.current, self.current + 1, self.current, self.inputs)
        self.current += 1
        self.states.stamp(self.current)
        first = max(self.current - self.distance, 0)
        frame = self.states.recheck(first, self.current, self.inputs)
        if frame >= 0:
            raise self._mismatch(frame)

    def _mismatch(self, frame: Frame) -> DeterminismError:
        before = tuple(self.sim.fields(self.states.state_at(frame, self.inputs)))
        differences = field_differences(before, self.sim.fields(self.states.rechecked_state()))
        named = "; ".join(f"{name}: {one} first, {two} again" for name, one, two in differences[:8])
        return DeterminismError(
            f"frame {frame} came out differently when it was run again: {named or 'no named field differs'}",
            frame=frame,
            differences=differences,
        )
