# The C side of bodies.py.

from retick.snapshot.kernels.columns cimport Columns
from retick.snapshot.kernels.framing cimport Framing
from retick.snapshot.kernels.table cimport FieldTable


cdef class Bodies(Framing):
    cdef FieldTable table
    cdef object cls             # of the columns that are made
    cdef long long max_create, max_destroy, max_components, max_fields, max_section_bytes
    # the bit reader, in bits from the start of buf
    cdef Py_ssize_t pos
    cdef Py_ssize_t end
    cdef unsigned long long value
    # what the sections held
    cdef Columns created
    cdef object destroys
    # the fast way: whether it may be taken, and what it works on
    cdef public bint quick
    cdef long long* state
    cdef object _state_owner

    cdef int align(self) noexcept
    cdef int short_of(self, int status, Py_ssize_t bits) noexcept
    cdef int too_many(self, int status, long long limit, long long actual) noexcept
    cdef unsigned long long take(self, int bits) noexcept
    cdef int take_varint(self) noexcept
    cdef int take_id(self, long long previous) noexcept
    cdef int take_value(self, Columns made, int field, Py_ssize_t row) noexcept
    cdef int out_of_range(self, int field, unsigned long long word) noexcept
    cdef int take_fields(
        self, Columns made, int component, Py_ssize_t row, Py_ssize_t mask_at, bint creating
    ) except -1
    cdef int take_component(self, Columns made, int component, Py_ssize_t row, bint creating) except -1
    cdef int begin(self, int section) noexcept
    cdef int finish(self, int tag) noexcept
    cdef int take_destroys(self, int section) except -1
    cdef int take_creates(self, int section, bint full) except -1
    cdef int take_create(self, Columns made, Py_ssize_t index, Py_ssize_t entities) except -1
    cdef Columns space_for(self, Py_ssize_t entities)
