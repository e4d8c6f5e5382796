# The C side of pair.py.

from retick.sim.shapes.shape cimport Shape


cdef class Pair(Shape):
    pass

cdef int put(Pair pair, double x, double y) except -1
cdef object made_like(Pair like, double x, double y)
cdef object pair_of(object value)
cdef bint is_sequence(object value) except -1
cdef Pair needed_pair(object value)
cdef double sum_of(double a, double b) except? -1.0
cdef double dot_of(Pair mine, Pair theirs) except? -1.0
