# The C side of decoder.py.

cimport cython

from retick.snapshot.bodies cimport Bodies
from retick.snapshot.columns cimport Columns


@cython.final
cdef class Decoder(Bodies):
    cdef long long max_update, max_total
    cdef Columns sink           # one row of each component, for values that are only checked
    cdef int deferred           # the update section that stands last, or -1
    cdef Py_ssize_t distinct    # entities in a sparse section
    cdef bint dense             # every entity of the target has every component
    # the entity at hand while updates are applied
    cdef Columns target
    cdef Py_ssize_t cursor
    cdef long long* rank        # by component: row of the entity at the cursor
    cdef object _rank_owner
    cdef int pending            # first error of applying; errors of decoding go before it
    cdef long long pending_a, pending_b

    cdef int full_payload(self) except -1
    cdef int check_delta(self, Columns base) except -1
    cdef object finish_delta(self, Columns base)
    cdef int take_sections(self) except -1
    cdef int change(self, Columns base) except -1
    cdef object merge(self, Columns base)
    cdef void fail_later(self, int status, long long a, long long b) noexcept
    cdef int take_updates(self, int section, bint applying) except -1
    cdef int finish_updates(self, int tag) noexcept
    cdef int take_masked(self) except -1
    cdef int take_sparse(self, bint packed) except -1
    cdef int take_entry_head(self, bint packed) noexcept
    cdef int take_entry(self, int component, bint packed) noexcept
    cdef void seek(self, unsigned int entity) noexcept
    cdef Py_ssize_t row_of(self, int component) noexcept
