# The C side of objects.py.

cimport cython


@cython.final
cdef class ObjectPlan:
    cdef int component          # its index in the schema
    cdef tuple names            # of the attributes, in schema order
    cdef double* scales         # by field; 0 where values are integers as they are
    cdef double* lowest         # q, exact as a double
    cdef double* highest
    cdef list _owners           # keep the arrays alive
