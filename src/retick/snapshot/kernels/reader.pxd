# The C side of reader.py.

cimport cython

from retick.snapshot.kernels.columns cimport Columns
from retick.snapshot.kernels.fault cimport Fault
from retick.snapshot.kernels.table cimport FieldTable

cdef enum:
    PADDING_BYTES = 16              # zeros after the data, so that a word may be read anywhere in it


@cython.final
cdef class Reader:
    cdef readonly Fault fault       # what is wrong with the packet
    cdef readonly bint strict
    cdef unsigned char* buf         # the packet, then zeros
    cdef Py_ssize_t size            # bytes of the packet
    cdef Py_ssize_t pos             # bit at which reading goes on
    cdef Py_ssize_t end             # bit after the last that may be read
    cdef unsigned long long value   # what read_varint read last
    cdef long long entity           # what read_id read last; -1 before the first of a section
    cdef FieldTable table
    cdef long long max_fields
    cdef public bint quick          # whole entities may be read by fast.py
    cdef object _space
    cdef Py_ssize_t _capacity

    cdef int load(self, object data, long long limit, Py_ssize_t least) except -1
    cdef int align(self) noexcept
    cdef unsigned long long read_bits(self, int bits) noexcept
    cdef int read_varint(self) noexcept
    cdef int read_id(self) noexcept
    cdef int short_of(self, int status, Py_ssize_t bits) noexcept
    cdef int read_component(self, Columns made, int component, Py_ssize_t row, bint creating) noexcept
    cdef int read_fields(
        self, Columns made, int component, Py_ssize_t row, Py_ssize_t mask_at, bint creating
    ) noexcept
    cdef int read_value(self, Columns made, int field, Py_ssize_t row) noexcept
    cdef int out_of_range(self, int field, unsigned long long word) noexcept
