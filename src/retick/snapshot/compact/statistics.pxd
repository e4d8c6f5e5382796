# The C side of statistics.py.

cimport cython


@cython.final
cdef class Statistics:
    cdef public object models       # array("I"): see coder.py
    cdef public object weights      # array("i")
    cdef public object lineage      # a number that both ends have in common only if they learned from the same packets

    cpdef Statistics copy(self)
