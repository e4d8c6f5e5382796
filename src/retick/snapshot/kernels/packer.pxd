# The C side of packer.py.

from retick.snapshot.kernels.table cimport FieldTable

cdef enum:
    HEADER_BYTES = 28
    SECTION_HEAD = 6            # tag and the longest length
    DELTA = 2


cdef class Packer:
    cdef FieldTable table
    cdef bint strict
    cdef object _header         # the 28 bytes, without flags, ticks and length
    cdef long long max_section_bytes, max_section_len
    # the bit writer: whole bytes lie in buf before `at`, `fill` more bits in `word`, from its top
    cdef object _out
    cdef unsigned char* buf
    cdef Py_ssize_t size
    cdef Py_ssize_t at
    cdef unsigned long long word
    cdef int fill
    cdef Py_ssize_t payload     # where the payload starts
    cdef Py_ssize_t body        # where the section being written starts
    # numbers of what went wrong
    cdef readonly long long a, b

    cdef void put(self, unsigned long long value, int bits) noexcept
    cdef void put_varint(self, unsigned long long value) noexcept
    cdef void put_id(self, unsigned long long value) noexcept
    cdef void align(self) noexcept
    cdef void rest(self) noexcept
    cdef int begin_section(self) except -1
    cdef int end_section(self, int tag) noexcept
    cdef object emit(self, int flags, unsigned long long tick, unsigned long long baseline_tick, object into)
    cdef object frame_around(self, object tick_delta, object baseline_delta, object into)
    cdef object copy_out(self, Py_ssize_t start, object into)
    cdef int make_room(self) except -1
    cdef int too_many(self, int status, long long limit, long long actual) noexcept
