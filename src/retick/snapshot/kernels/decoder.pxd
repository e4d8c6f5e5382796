# The C side of decoder.py.

cimport cython

from retick.snapshot.kernels.columns cimport Columns
from retick.snapshot.kernels.updates cimport Updates


@cython.final
cdef class Decoder(Updates):
    cdef long long max_total
    cdef int deferred           # the update section that stands last, or -1

    cdef int full_payload(self) except -1
    cdef int check_delta(self, Columns base) except -1
    cdef object finish_delta(self, Columns base)
    cdef int take_sections(self) except -1
    cdef int change(self, Columns base) except -1
    cdef object merge(self, Columns base)
