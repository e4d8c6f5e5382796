# The C side of encoder.py.

cimport cython

from retick.snapshot.kernels.columns cimport Columns
from retick.snapshot.kernels.diff cimport Diff
from retick.snapshot.kernels.packer cimport Packer
from retick.snapshot.kernels.sections cimport Sections
from retick.snapshot.kernels.table cimport FieldTable


@cython.final
cdef class Encoder:
    cdef readonly object schema
    cdef FieldTable table
    cdef Packer packer
    cdef Diff diff
    cdef readonly Sections sections
    cdef long long max_create
    cdef long long max_update
    cdef long long max_destroy

    cdef int write_delta(self, Columns base, Columns current, int mode) except -1
    cdef int write_sections(self, Columns current, int mode) except -1
    cdef int out_of_order(self, Columns columns) except -1
