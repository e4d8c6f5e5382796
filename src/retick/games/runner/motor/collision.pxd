# The C side of collision.py.

from retick.games.runner.motor.rows cimport DT, FLOOR, GROUNDED, HIT_X, HIT_Z, SNAP, VX, VY, VZ, X, Y, Z

cdef int gather(double* boxes, int total, int* near, double* b, double* t) noexcept nogil
cdef bint has_support(double* boxes, int* near, int count, double* b, double* t) noexcept nogil
cdef void move(double* boxes, int* near, int count, double* b, double* t, double snap) noexcept nogil
