# The C side of marks.py.

cimport cython

from retick.snapshot.kernels.columns cimport Columns
from retick.snapshot.kernels.table cimport FieldTable


@cython.final
cdef class Marks:
    cdef FieldTable table
    cdef unsigned long long* rows       # by row of each component: not 0 where anything differs
    cdef object _owner
    cdef Py_ssize_t _capacity

    cdef int mark(self, Columns base, Columns current) except -1
    cdef void mark_one(self, Columns base, Columns current, int field, Py_ssize_t at, Py_ssize_t rows) noexcept
    cdef void mark_four(self, Columns base, Columns current, int field, Py_ssize_t at, Py_ssize_t rows) noexcept


cdef bint same_shape(Columns left, Columns right) noexcept
