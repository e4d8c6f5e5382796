# The C side of sections.py.

cimport cython

from retick.snapshot.kernels.columns cimport Columns
from retick.snapshot.kernels.diff cimport Diff
from retick.snapshot.kernels.packer cimport Packer
from retick.snapshot.kernels.table cimport FieldTable


@cython.final
cdef class Sections:
    cdef FieldTable table
    cdef Packer packer
    cdef Diff diff                      # what is to be written
    cdef public bint quick              # whole entities may be written by fast.py
    cdef long long max_create
    cdef long long max_update
    cdef long long max_components
    cdef long long max_fields
    cdef readonly Py_ssize_t create_end # where the last entity that was created ends
    cdef readonly Py_ssize_t update_end # where the last one that was updated ends

    cdef int write_destroys(self) except -1
    cdef int write_creates(self, Columns current, bint full) except -1
    cdef int write_created(self, Columns current, Py_ssize_t rows_at) noexcept
    cdef int write_masked(self, Columns current) except -1
    cdef int write_updated(self, Columns current, Py_ssize_t rows_at, Py_ssize_t mask_at) noexcept
    cdef int write_packed(self, Columns current) except -1
    cdef int write_entry(self, Columns current, int component, Py_ssize_t row, Py_ssize_t mask_at) noexcept
    cdef int write_fields(
        self, Columns current, int component, Py_ssize_t row, unsigned long long* masks, Py_ssize_t mask_at, bint indexed
    ) noexcept
    cdef int put_mask(self, int component, unsigned long long* masks, Py_ssize_t mask_at) noexcept
