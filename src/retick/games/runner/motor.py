"""The movement of the runner: its state, its commands, the course and the compiled step.

Knows no packet.
"""

from typing import Final

from retick.errors import UsageError
from retick.games.runner.course import CourseWorld
from retick.games.runner.kernel import MotorKernel
from retick.games.runner.state import RunnerState, Tuning

# The motor: ``step`` takes a runner and a command and returns the runner one tick later.
#
# It is pure: it never changes the state passed in, so keeping a reference is saving it. docs/reference/runner.md
# describes the step, branch by branch.

# retick: floats -- tuning is multiplied in binary64, the same at both ends


SPAWN_SLOTS: Final = 8
SPAWNS_IN_A_ROW: Final = 4
SPAWN_SPACING: Final = 2.5
SPAWN_LEFT: Final = -4.0
SPAWN_HEIGHT: Final = 2.0


class RunnerMotor(MotorKernel):
    """Steps runners through one world with one tuning."""

    tuning: Tuning
    world: CourseWorld
    tick_rate: int

    def __init__(self, tuning: Tuning | None = None, world: CourseWorld | None = None, *, tick_rate: int = 60) -> None:
        if tick_rate < 1:
            raise UsageError(f"tick_rate must be at least 1 a second, not {tick_rate}")
        self.tuning = tuning = tuning or Tuning()
        self.world = world = world or CourseWorld()
        self.tick_rate = tick_rate
        dt = 1 / tick_rate
        row = (
            dt,
            world.floor,
            tuning.move_speed,
            tuning.ground_acceleration * dt,
            tuning.air_acceleration * tuning.air_control_factor * dt,
            tuning.jump_velocity,
            tuning.gravity * dt,
            tuning.floor_snap_length,
            min(tuning.ground_stick_velocity, -0.01),
            tuning.wall_run_max_ticks,
            tuning.gravity * tuning.wall_run_gravity_scale * dt,
            tuning.wall_jump_up_velocity,
            tuning.wall_jump_away_velocity,
        )
        super().__init__(row, [number for box in world.boxes for number in box])

    def spawn(self, peer_id: int) -> RunnerState:
        """The first state of a player: above the start, in one of eight places, not yet on the floor."""
        row, column = divmod(abs(peer_id) % SPAWN_SLOTS, SPAWNS_IN_A_ROW)
        return RunnerState(column * SPAWN_SPACING + SPAWN_LEFT, SPAWN_HEIGHT, row * SPAWN_SPACING)
