# The C side of usual.py.

cimport cython

from retick.snapshot.compact.body cimport Body
from retick.snapshot.compact.statistics cimport Statistics
from retick.snapshot.kernels.table cimport FieldTable

cdef enum:
    NO_CUT = 0x40000000


@cython.final
cdef class Encoded:
    cdef readonly bytes payload
    cdef readonly Statistics statistics
    cdef readonly bint cut                  # whether changes were left out to keep to a number of bytes


@cython.final
cdef class Usual:
    cdef Body body
    cdef FieldTable table
    cdef Statistics start                   # of the prior
    cdef bint sealed
    cdef Py_ssize_t entity_bits             # by which a packet is worth its while
    cdef Py_ssize_t most_changes            # limits
    cdef Py_ssize_t most_entities
    cdef Py_ssize_t most_bytes
    cdef Py_ssize_t longest
    cdef long long ticks                    # of the factors
    cdef object _ages
    cdef object _factors
    cdef object _factors_of
    cdef object _or_plain
    cdef tuple _sizes

    cpdef object encode(self, object base, object current, object history, object carried, bytes structure)
    cpdef object decode(self, object base, object tick, object data, object held, object carried)
    cdef bint takes(self, object snapshot)
    cdef object ages_of(self, object base, object history)
    cdef bint knows(self, object statistics)
    cdef object factors(self, long long ticks, object ages)
