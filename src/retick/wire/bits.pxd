# The C side of bits.py.

cdef class BitWriter:
    cdef object _out
    cdef unsigned long long _word
    cdef int _fill

    cdef void _put(self, unsigned long long value, int bits)


cdef class BitReader:
    cdef object _data
    cdef bint _strict
    cdef Py_ssize_t _end
    cdef readonly Py_ssize_t position
