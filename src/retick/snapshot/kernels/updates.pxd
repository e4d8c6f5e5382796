# The C side of updates.py.

from retick.snapshot.kernels.bodies cimport Bodies
from retick.snapshot.kernels.columns cimport Columns


cdef class Updates(Bodies):
    cdef long long max_update
    cdef Columns sink           # one row of each component, for values that are only checked
    cdef Py_ssize_t distinct    # entities in a sparse section
    # the entity at hand while updates are applied
    cdef Columns target
    cdef bint dense             # every entity of the target has every component
    cdef Py_ssize_t cursor
    cdef long long* rank        # by component: row of the entity at the cursor
    cdef object _rank_owner
    cdef int pending            # first error of applying; errors of decoding go before it
    cdef long long pending_a, pending_b

    cdef void fail_later(self, int status, long long a, long long b) noexcept
    cdef int take_updates(self, int section, bint applying) except -1
    cdef int finish_updates(self, int tag) noexcept
    cdef int take_masked(self) except -1
    cdef int take_sparse(self, bint packed) except -1
    cdef int take_entry_head(self, bint packed) noexcept
    cdef int take_entry(self, int component, bint packed) noexcept
    cdef void seek(self, unsigned int entity) noexcept
    cdef Py_ssize_t row_of(self, int component) noexcept
