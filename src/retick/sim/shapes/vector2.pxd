# The C side of vector2.py.

from retick.sim.shapes.pair cimport Pair


cdef class Vector2(Pair):
    pass

cdef double DEGREES
cdef double RADIANS
