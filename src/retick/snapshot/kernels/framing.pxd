# The C side of framing.py.

cimport cython

from retick.snapshot.kernels.reader cimport Reader


@cython.final
cdef class Framing:
    cdef Reader reader
    cdef int version
    cdef long long max_packet_bytes
    cdef long long max_sections
    cdef long long max_section_len
    cdef long long max_section_bytes
    cdef readonly int flags
    cdef readonly long long tick
    cdef readonly long long baseline_tick
    cdef readonly unsigned long long schema_hash    # of the standard header
    cdef Py_ssize_t payload                         # first byte after the header
    cdef readonly int section_count
    cdef long long* tags                            # by section
    cdef long long* starts                          # by section: first byte of the body
    cdef long long* ends                            # by section: byte after the body
    cdef list _owners
    cdef Py_ssize_t _capacity

    cdef int open(self, object data) except -1
    cdef int open_compact(self, object data, long long last_tick) except -1
    cdef int find_sections(self) except -1
    cdef int read_number(self) noexcept
    cdef int begin_body(self, int section) noexcept
    cdef int finish_body(self, int section) noexcept
