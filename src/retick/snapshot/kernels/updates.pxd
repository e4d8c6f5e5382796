# The C side of updates.py.

cimport cython

from retick.snapshot.kernels.framing cimport Framing
from retick.snapshot.kernels.reader cimport Reader
from retick.snapshot.kernels.table cimport FieldTable
from retick.snapshot.kernels.target cimport Target


@cython.final
cdef class Updates:
    cdef Reader reader
    cdef Framing framing
    cdef Target target
    cdef FieldTable table
    cdef long long max_update
    cdef long long max_components
    cdef Py_ssize_t distinct        # entities in a sparse section

    cdef int read(self, int section) noexcept
    cdef int read_masked(self) noexcept
    cdef int read_sparse(self, bint packed) noexcept
    cdef int read_entry_head(self, bint packed) noexcept
    cdef int read_entry(self, int component, bint packed) noexcept
