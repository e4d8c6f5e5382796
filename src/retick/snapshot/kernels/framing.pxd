# The C side of framing.py.

cdef enum:
    HEADER_BYTES = 28
    PADDING_BYTES = 16          # zeros after the data, so that a word may be read anywhere in it
    FULL = 1
    DELTA = 2
    SESSION_INIT = 4


cdef class Framing:
    cdef readonly object schema
    cdef int version
    cdef bint strict
    cdef long long max_packet_bytes, max_sections, max_section_len
    cdef object _data
    cdef unsigned char* buf
    cdef Py_ssize_t capacity
    cdef Py_ssize_t size
    cdef Py_ssize_t at          # byte at which reading goes on
    cdef Py_ssize_t payload     # first byte after the header
    cdef unsigned long long number
    cdef readonly int flags
    cdef readonly long long tick
    cdef readonly long long baseline_tick
    cdef readonly unsigned long long schema_hash
    cdef unsigned long long expected_hash
    cdef readonly int section_count
    cdef long long* sections    # tag, first byte and end of each
    cdef object _sections_owner
    cdef Py_ssize_t section_capacity
    # what went wrong, by the status
    cdef readonly long long a, b, entity, field

    cdef int load(self, object data, long long limit, Py_ssize_t least) except -1
    cdef unsigned long long little(self, Py_ssize_t at, int count) noexcept
    cdef int open(self, object data) except -1
    cdef int open_compact(self, object data, long long last_tick) except -1
    cdef int frame_sections(self) except -1
    cdef int take_number(self) noexcept
