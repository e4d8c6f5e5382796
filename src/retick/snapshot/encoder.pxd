# The C side of encoder.py.

cimport cython

from retick.snapshot.columns cimport Columns
from retick.snapshot.diff cimport Diff
from retick.snapshot.table cimport FieldTable

cdef enum:
    HEADER_BYTES = 28
    SECTION_HEAD = 6            # tag and the longest length
    FULL = 1
    DELTA = 2
    CREATES = 1
    DESTROYS = 2
    MASKED = 3
    PACKED = 5
    CHOOSE = 0                  # masked or packed, by the size rule


@cython.final
cdef class Encoder:
    cdef FieldTable table
    cdef readonly Diff diff
    cdef readonly object schema
    cdef bint strict
    cdef bint quick             # entities can go the fast way
    cdef object _header         # the 28 bytes, without flags, ticks and length
    cdef long long max_create, max_update, max_destroy, max_components, max_fields, max_section_bytes, max_section_len
    # the bit writer: whole bytes lie in buf before `at`, `fill` more bits in `word`, from its top
    cdef object _out
    cdef unsigned char* buf
    cdef Py_ssize_t size
    cdef Py_ssize_t at
    cdef unsigned long long word
    cdef int fill
    cdef Py_ssize_t payload     # where the payload starts
    cdef Py_ssize_t body        # where the section being written starts
    cdef readonly Py_ssize_t create_end, update_end
    # what went wrong, by the status
    cdef readonly long long a, b, entity, field

    cdef int make_room(self) except -1
    cdef void put(self, unsigned long long value, int bits) noexcept
    cdef void put_varint(self, unsigned long long value) noexcept
    cdef void put_id(self, unsigned long long value) noexcept
    cdef void put_mask(self, int component, unsigned long long* masks, Py_ssize_t mask_at) noexcept
    cdef void align(self) noexcept
    cdef void rest(self) noexcept
    cdef int begin_section(self) except -1
    cdef int end_section(self, int tag) noexcept
    cdef object emit(self, int flags, unsigned long long tick, unsigned long long baseline_tick, object into)
    cdef object copy_out(self, Py_ssize_t start, object into)
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
    cdef int too_many(self, int status, long long limit, long long actual) noexcept
