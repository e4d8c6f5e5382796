# The C side of rect.py.

from retick.sim.shapes.shape cimport Shape


cdef class Box(Shape):
    pass


cdef class FRect(Box):
    pass


cdef class Rect(Box):
    pass


cdef class Edge:
    cdef bint _down
    cdef int _halves


cdef class Extent:
    cdef bint _down


cdef class Corner:
    cdef int _across
    cdef int _down
