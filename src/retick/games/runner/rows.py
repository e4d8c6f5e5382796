"""Where each number is in the two rows that the motor's kernels work on, and the codes that they use.

The runner's row begins with the fields of RunnerState in their order. After them come four numbers of the step's own:
the wish, and the walls touched as the signs of their normals.

scripts/declare_kernels.py writes rows.pxd from it, since only a C enum is folded into the compiled code.
"""

# C constants: every integer of this module.

X, Y, Z, VX, VY, VZ, YAW, PITCH, GROUNDED, MODE, MODE_TICKS, NX, NY, NZ, WALL_TICKS, SLIDE_TICKS = range(16)
STATE_SIZE = 16
WISH_X, WISH_Z, HIT_X, HIT_Z = range(16, 20)
ROW_SIZE = 20

DT, FLOOR, SPEED, GROUND_GAIN, AIR_GAIN, JUMP_SPEED, FALL = range(7)
SNAP, STICK_DOWN, WALL_MAX_TICKS, WALL_FALL, WALL_JUMP_UP, WALL_JUMP_AWAY = range(7, 13)
TUNING_SIZE = 13

ON_GROUND, IN_AIR, ON_WALL = range(3)
"""The modes, numbered as in locomotion.Mode."""
LAST_MODE = 4
STAY, LEAVE, LEAP = range(3)
"""Whether a step ends a wall run: no, yes without a cooldown, or yes by a jump and with one."""
REATTACH_TICKS = 8
"""The cooldown, in ticks, after a wall run that ran out or ended by a jump."""
LARGEST_TICKS = 255
"""The largest count of mode ticks, which is what their byte in a packet holds."""
MAX_BOXES = 256
BOXES_SIZE = 6 * MAX_BOXES
