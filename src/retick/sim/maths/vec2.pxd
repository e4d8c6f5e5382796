# The C side of vec2.py.

cdef class Vec2:
    cdef readonly double x
    cdef readonly double y
