# The C side of encoder.py.

cimport cython

from retick.snapshot.kernels.columns cimport Columns
from retick.snapshot.kernels.diff cimport Diff
from retick.snapshot.kernels.packer cimport Packer

cdef enum:
    FULL = 1
    CREATES = 1
    DESTROYS = 2
    MASKED = 3
    PACKED = 5
    CHOOSE = 0                  # masked or packed, by the size rule


@cython.final
cdef class Encoder(Packer):
    cdef readonly object schema
    cdef readonly Diff diff
    cdef public bint quick             # entities can go the fast way
    cdef long long max_create, max_update, max_destroy, max_components, max_fields
    cdef readonly Py_ssize_t create_end, update_end  # where the last entity written ends
    cdef readonly long long entity, field            # of a value that does not fit

    cdef void put_mask(self, int component, unsigned long long* masks, Py_ssize_t mask_at) noexcept
    cdef int write_fields(
        self, Columns current, int component, Py_ssize_t row, unsigned long long* masks, Py_ssize_t mask_at, bint indexed
    ) noexcept
    cdef int write_creates(self, Columns current, bint full) except -1
    cdef int write_create(self, Columns current, Py_ssize_t rows_at) noexcept
    cdef int write_destroys(self) except -1
    cdef int write_masked(self, Columns current) except -1
    cdef int write_packed(self, Columns current) except -1
    cdef int write_delta(self, Columns base, Columns current, int mode) except -1
    cdef int out_of_order(self, Columns columns) noexcept
