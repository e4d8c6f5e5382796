# The C side of heading.py.

cdef void set_wish(double* b, double move_x, double move_y) noexcept nogil
