# The C side of packer.py.

cimport cython

from retick.snapshot.kernels.fault cimport Fault

cdef enum:
    SECTION_HEAD = 6                    # bytes of a tag and the longest length


@cython.final
cdef class Packer:
    cdef readonly Fault fault           # what is wrong with the snapshot
    cdef bint strict
    cdef long long max_section_bytes
    cdef long long max_section_len
    cdef Py_ssize_t entity_bytes        # most that one entity takes
    cdef unsigned char* buf             # whole bytes lie in it before `at`
    cdef Py_ssize_t size
    cdef Py_ssize_t at
    cdef unsigned long long word        # bits that are not in buf yet, from its top
    cdef int fill                       # how many these are
    cdef Py_ssize_t payload             # where the payload starts
    cdef Py_ssize_t body                # where the body of the section being written starts
    cdef object _out                    # what buf points into
    cdef bytes _header                  # the standard header, without flags, ticks and length

    cdef void start(self) noexcept
    cdef void put(self, unsigned long long value, int bits) noexcept
    cdef void put_varint(self, unsigned long long value) noexcept
    cdef void put_id(self, unsigned long long value) noexcept
    cdef void align(self) noexcept
    cdef void flush(self) noexcept
    cdef int begin_section(self) except -1
    cdef Py_ssize_t begin_entity(self) except -1
    cdef int end_section(self, int tag) noexcept
    cdef object emit(self, int flags, unsigned long long tick, unsigned long long baseline_tick, object into)
    cdef object emit_frame(self, object tick_delta, object baseline_delta, object into)
    cdef object copy_out(self, Py_ssize_t start, object into)
    cdef int make_room(self) except -1
