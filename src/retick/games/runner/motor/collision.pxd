# The C side of collision.py.

cdef int gather(double* boxes, int total, int* near, double* b, double* t) noexcept nogil
cdef bint has_support(double* boxes, int* near, int count, double* b, double* t) noexcept nogil
cdef void move(double* boxes, int* near, int count, double* b, double* t, double snap) noexcept nogil
