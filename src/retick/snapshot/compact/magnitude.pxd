# The C side of magnitude.py.

cimport cython

from retick.snapshot.compact.coder cimport Coder

cdef enum:
    SLOWNESS = 3                    # an error moves the estimate by about one part in 2**SLOWNESS
    HEAVIEST = 65536                # bound of a weight, on both sides of 0


@cython.final
cdef class Magnitude:
    cdef Coder coder
    cdef int* weights               # by scalar and feature
    cdef int* features              # of the residual at hand
    cdef int size                   # the log of the residual coded last
    cdef object _features_owner
    cdef object _weights_owner

    cdef void use(self, object weights)
    cdef long long residual(self, int scalar, int slot, int sort, int signs, long long value) noexcept
    cdef long long with_sign(self, unsigned long long rest, int negative) noexcept
    cdef unsigned long long mantissa(self, int sort, int size, int more, unsigned long long rest) noexcept
    cdef int estimate(self, int scalar) noexcept
    cdef int context_of(self, int estimate) noexcept
    cdef int expected_of(self, int context) noexcept
    cdef void learn(self, int scalar, int error) noexcept
