# The C side of position.py.

cdef class Position:
    cdef bytes data
    cdef unsigned char* bytes_at
    cdef Py_ssize_t at
    cdef Py_ssize_t size

    cdef int begin(self, bytes data, Py_ssize_t at) except -1
    cdef int need(self, Py_ssize_t count, object what) except -1
    cdef unsigned long long take(self, Py_ssize_t size) noexcept
    cdef double take_number(self, bint is_real) noexcept
