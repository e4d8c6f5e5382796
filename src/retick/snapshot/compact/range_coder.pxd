# The C side of range_coder.py.


cdef class RangeCoder:
    cdef readonly bint encoding
    cdef readonly bint overrun          # more was read than was there
    cdef unsigned long long low         # at most 33 bits
    cdef unsigned long long range
    cdef unsigned long long code
    cdef unsigned long long every       # 32 ones
    cdef unsigned char* buf
    cdef readonly Py_ssize_t at
    cdef Py_ssize_t size
    cdef object _out                    # the encoder's own space
    cdef object _data                   # what is decoded

    cdef void begin_encoding(self, bytes head)
    cdef void begin_decoding(self, bytes data, Py_ssize_t start)
    cdef void make_room(self, Py_ssize_t more)
    cdef int next_byte(self) noexcept
    cdef void carry(self) noexcept
    cdef void shift(self) noexcept
    cdef unsigned long long raw(self, unsigned long long value, int bits) noexcept
    cpdef bytes finish(self)
    cpdef double bits_written(self)
