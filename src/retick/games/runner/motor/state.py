"""One runner at one tick: everything that the motor reads, and nothing that a snapshot does not carry.

This makes resimulation exact. Position, velocity and look are binary32 values, the counters fit their bytes, and the
wall normal is one that two bytes carry exactly. So a state restored from a snapshot equals the state that was sent, and
the same commands give the same bits.
"""

# retick: floats -- binary32 values held in Python floats, restored from packets without loss

from typing import NamedTuple

from retick.games.runner.locomotion import LocomotionState, Mode, as_sent

__all__ = ["RunnerState"]


class RunnerState(NamedTuple):
    """A runner after a tick. The order of the fields is the order of the kernel's row."""

    x: float
    """Metres to the right of the start. The body's lowest point is (x, y + 0.35, z), and it is 1.1 high."""
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
    """Whether the runner is on the floor after the tick. The next step depends on it."""
    mode: int = Mode.GROUNDED
    """This and what follows is described in LocomotionState."""
    mode_ticks: int = 0
    normal_x: float = 0.0
    normal_y: float = 0.0
    normal_z: float = 0.0
    wall_run_ticks: int = 0
    slide_ticks: int = 0

    @property
    def position(self) -> tuple[float, float, float]:
        """Metres."""
        return self[0:3]

    @property
    def velocity(self) -> tuple[float, float, float]:
        """Metres per second."""
        return self[3:6]

    @property
    def locomotion(self) -> LocomotionState:
        """The part of the state that has six bytes in a snapshot."""
        return LocomotionState(self[9], self[10], self[11:14], self[14], self[15])

    def with_locomotion(self, locomotion: LocomotionState) -> "RunnerState":
        """This runner with another locomotion state, as a receiver would decode it."""
        mode, mode_ticks, (x, y, z), wall_run_ticks, slide_ticks = as_sent(locomotion)
        return RunnerState._make((*self[:9], mode, mode_ticks, x, y, z, wall_run_ticks, slide_ticks))

    def with_initial_locomotion(self) -> "RunnerState":
        """This runner with mode, timers and normal reset: what clients did before packets carried them."""
        return self.with_locomotion(LocomotionState(Mode.GROUNDED if self.grounded else Mode.AIR))
