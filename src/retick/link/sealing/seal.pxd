# The C side of seal.py.


cdef class Seal:
    cdef object _encrypt
    cdef object _decrypt
    cdef object _refusal
    cdef bytes _nonce
    cdef bytes _head

    cdef bytes _nonce_of(self, long long number)
    cpdef bytes seal(self, long long number, bytes envelope, bytes body)
    cpdef bytes open(self, long long number, bytes data)
