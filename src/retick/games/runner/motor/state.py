"""One runner at one tick: everything that the motor reads, and nothing that a snapshot does not carry.

That is the whole trick of exact replay. Position, velocity and look are binary32 values, the counters fit their
bytes, the wall normal is one that survives its two bytes; so a state restored from a snapshot is the state that
was sent, and the same commands lead on to the same bits.
"""

# retick: floats -- binary32 values held in Python floats, restored from the wire without loss

from typing import NamedTuple

from retick.games.runner.locomotion import LocomotionState, Mode, as_sent

__all__ = ["RunnerState"]


class RunnerState(NamedTuple):
    """A runner after a tick. The order of fields is the order of the kernel's row."""

    x: float
    """Metres, east. The body stands on (x, y + 0.35, z) and is 1.1 high."""
    y: float
    """Metres, up."""
    z: float
    """Metres; yaw 0 looks towards smaller z."""
    vx: float = 0.0
    """Metres per second, as the other two."""
    vy: float = 0.0
    vz: float = 0.0
    yaw: float = 0.0
    """Radians about +y, in [-pi, pi)."""
    pitch: float = 0.0
    """Radians, up positive."""
    grounded: bool = False
    """On the floor after the tick. The next step starts from it; a snapshot's flag is restored here."""
    mode: int = Mode.GROUNDED
    mode_ticks: int = 0
    normal_x: float = 0.0
    normal_y: float = 0.0
    normal_z: float = 0.0
    wall_run_ticks: int = 0
    slide_ticks: int = 0

    @property
    def position(self) -> tuple[float, float, float]:
        return self[0:3]

    @property
    def velocity(self) -> tuple[float, float, float]:
        return self[3:6]

    @property
    def locomotion(self) -> LocomotionState:
        return LocomotionState(self[9], self[10], self[11:14], self[14], self[15])

    def with_locomotion(self, locomotion: LocomotionState) -> "RunnerState":
        """This runner in another locomotion state, taken as a receiver would see it."""
        mode, mode_ticks, (x, y, z), wall_run_ticks, slide_ticks = as_sent(locomotion)
        return RunnerState._make((*self[:9], mode, mode_ticks, x, y, z, wall_run_ticks, slide_ticks))

    def with_initial_locomotion(self) -> "RunnerState":
        """This runner with mode, timers and normal forgotten: what reconciliation did before they travelled."""
        return self.with_locomotion(LocomotionState(Mode.GROUNDED if self.grounded else Mode.AIR))
