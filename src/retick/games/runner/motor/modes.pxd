# The C side of modes.py.

cdef int accelerate(double* b, double* t, int active, bint intent, bint jump) noexcept nogil
cdef void next_mode(double* b, double* t, int active, bint intent, int ending) noexcept nogil
