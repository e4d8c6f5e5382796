# The members of MotorKernel as C has them.

from retick.games.runner.motor.rows cimport MAX_BOXES, ROW_SIZE, TUNING_SIZE


cdef class MotorKernel:
    cdef double _tuning[TUNING_SIZE]
    cdef double _boxes[6 * MAX_BOXES]
    cdef int _box_count
