# The C side of target.py.

cimport cython

from retick.snapshot.kernels.columns cimport Columns
from retick.snapshot.kernels.fault cimport Fault
from retick.snapshot.kernels.table cimport FieldTable


@cython.final
cdef class Target:
    cdef FieldTable table
    cdef Columns columns        # that updates are written to: those of the result, or the sink
    cdef Columns sink           # one row of each component, for values that are only checked
    cdef bint dense             # every entity has every component
    cdef Py_ssize_t cursor      # index of the entity at hand
    cdef long long* rank        # by component: row of the entity at the cursor
    cdef object _rank_owner
    cdef Fault fault            # the first error of applying; its status is OK as long as there is none

    cdef void start(self) noexcept
    cdef void fail(self, int status) noexcept
    cdef void seek(self, long long entity) noexcept
    cdef Py_ssize_t row_of(self, int component, long long entity) noexcept
