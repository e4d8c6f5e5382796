"""One runner at one tick: everything that the motor reads, and nothing that a snapshot does not carry.

This makes resimulation exact. Position, velocity and look are binary32 values, the counters fit their bytes, and the
wall normal is one that two bytes carry exactly. So a state restored from a snapshot equals the state that was sent, and
the same commands give the same bits.
"""

from dataclasses import dataclass
from typing import Final, NamedTuple

from retick.games.runner.locomotion import LocomotionState, Mode, as_sent
from retick.wire.values import LARGEST, Bounds, within_bounds

# retick: floats -- binary32 values held in Python floats, restored from packets without loss


class RunnerState(NamedTuple):
    """A runner after a tick. The order of the fields is the order of the kernel's row."""

    x: float
    """Metres to the right of the start. The body's lowest point is (x, y + 0.35, z), and it is 1.1 high."""
    y: float
    """Metres upwards."""
    z: float
    """Metres; yaw 0 looks towards smaller z."""
    vx: float = 0.0
    """Metres per second, like ``vy`` and ``vz``."""
    vy: float = 0.0
    vz: float = 0.0
    yaw: float = 0.0
    """In radians about +y, in [-pi, pi)."""
    pitch: float = 0.0
    """In radians, positive upwards."""
    grounded: bool = False
    """Whether the runner is on the floor after the tick. The next step depends on it."""
    mode: int = Mode.GROUNDED
    """LocomotionState describes this field and the ones below."""
    mode_ticks: int = 0
    normal_x: float = 0.0
    normal_y: float = 0.0
    normal_z: float = 0.0
    wall_run_ticks: int = 0
    slide_ticks: int = 0

    @property
    def position(self) -> tuple[float, float, float]:
        """The position in metres."""
        return self[0:3]

    @property
    def velocity(self) -> tuple[float, float, float]:
        """The velocity in metres per second."""
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


# The tuning of the movement. The server decides it and sends it in its Welcome.
#
# The numbers are sent as binary32, so they are rounded when they are set: the server must not run with finer ones than
# its clients were told. Numbers that are not sent, such as the pull towards a wall, are literals in the kernels.

# retick: floats -- tuning is sent as binary32 and is rounded before anyone uses it


_LARGEST_BYTE: Final = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuning:
    """The numbers of the movement; the defaults are the protocol's. Raises UsageError if one is out of range."""

    move_speed: float = 9.0
    """Metres per second on the ground and along walls; at least 0.1."""
    ground_acceleration: float = 45.0
    """Metres per second squared; at least 0.1."""
    air_acceleration: float = 14.0
    """Metres per second squared before the control factor; at least 0.1."""
    air_control_factor: float = 0.35
    """Share of the air acceleration that steering gets; 0 to 1."""
    jump_velocity: float = 8.75
    """Metres per second upwards; at least 0.1."""
    gravity: float = 24.0
    """Metres per second squared; at least 0.1."""
    floor_snap_length: float = 0.25
    """Metres that a runner is pulled down to follow a step; 0 to 2."""
    ground_stick_velocity: float = -0.1
    """Metres per second; -0.01 or less, so that a standing runner touches the floor each tick."""
    wall_run_max_ticks: int = 24
    """The most ticks of a wall run; 0 switches wall-running off."""
    slide_max_ticks: int = 0
    """The most ticks of a slide. Sent for other clients; this motor does not slide."""
    wall_run_gravity_scale: float = 0.35
    """Share of gravity on a wall; 0 or more."""
    wall_jump_up_velocity: float = 8.75
    """Metres per second added upwards by a wall jump; 0 or more."""
    wall_jump_away_velocity: float = 6.0
    """Metres per second away from the wall; 0 or more."""

    def __post_init__(self) -> None:
        for name, bounds in BOUNDS.items():
            object.__setattr__(self, name, within_bounds(name, bounds, getattr(self, name)))


BOUNDS: Final[dict[str, Bounds]] = {
    "move_speed": (0.1, LARGEST),
    "ground_acceleration": (0.1, LARGEST),
    "air_acceleration": (0.1, LARGEST),
    "air_control_factor": (0.0, 1.0),
    "jump_velocity": (0.1, LARGEST),
    "gravity": (0.1, LARGEST),
    "floor_snap_length": (0.0, 2.0),
    "ground_stick_velocity": (-LARGEST, -0.01),
    "wall_run_max_ticks": (0, _LARGEST_BYTE),
    "slide_max_ticks": (0, _LARGEST_BYTE),
    "wall_run_gravity_scale": (0.0, LARGEST),
    "wall_jump_up_velocity": (0.0, LARGEST),
    "wall_jump_away_velocity": (0.0, LARGEST),
}
"""The bounds to which a Welcome's values are clamped and a server's are checked; integer bounds, integer values."""
