# The C side of rbn1_run.py.

cdef class InputRun:
    cdef long long start
    cdef long long ack
    cdef long long claimed
    cdef long long checksum
    cdef long long sync
    cdef int lead
    cdef int count
    cdef int size
    cdef int seats
    cdef unsigned int extensions
    cdef unsigned long long values[256]
    cdef unsigned char plain[1056]
    cdef unsigned char shorter[1056]

    cpdef int read(self, bytes data) except -1
    cdef bint read_plain(self, unsigned char* octets, Py_ssize_t length) noexcept
    cdef object fill(self, tuple fields)
    cpdef bytes write(self)
    cdef Py_ssize_t write_plain(self, unsigned char* octets) noexcept
