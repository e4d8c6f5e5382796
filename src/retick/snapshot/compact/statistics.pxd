# The C side of statistics.py.

cimport cython


@cython.final
cdef class Statistics:
    cdef readonly object models       # array("I"): see coder.py
    cdef readonly object weights      # array("i")
    cdef public object lineage      # a number that both ends have in common only if they learned from the same packets

    cpdef Statistics copy(self)
