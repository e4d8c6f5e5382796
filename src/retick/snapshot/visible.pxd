# The C side of visible.py.

cimport cython

from retick.snapshot.kernels.columns cimport Columns
from retick.snapshot.kernels.table cimport FieldTable


@cython.final
cdef class VisiblePart:
    cdef FieldTable table
    cdef double* priority           # by index in the world, then in its visible part
    cdef long long* pick            # by index in the world: 1 if visible; then indices of the visible part
    cdef Py_ssize_t capacity
    cdef list _owners

    cdef Columns of(self, object cls, Columns base, Columns world, dict visible)
    cdef int see(self, Columns world, dict visible) except -1
    cdef Columns pick_comparable(self, object cls, Columns base, Columns world)
    cdef bint comparable(self, Columns base, Py_ssize_t before, Columns world, Py_ssize_t at) noexcept
