# The C side of creates.py.

cimport cython

from retick.snapshot.kernels.columns cimport Columns
from retick.snapshot.kernels.framing cimport Framing
from retick.snapshot.kernels.reader cimport Reader
from retick.snapshot.kernels.table cimport FieldTable


@cython.final
cdef class Creates:
    cdef Reader reader
    cdef Framing framing
    cdef FieldTable table
    cdef object cls             # of the columns that are made
    cdef long long max_create
    cdef long long max_destroy
    cdef long long max_components
    cdef Columns created        # what a create section held; None before
    cdef object destroyed       # the ids of a destroy section; None before

    cdef int read_destroys(self, int section) except -1
    cdef int read_creates(self, int section, bint full) except -1
    cdef int read_entity(self, Columns made, Py_ssize_t index, Py_ssize_t entities) except -1
    cdef Columns space_for(self, Py_ssize_t entities)
