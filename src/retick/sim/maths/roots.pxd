# The C side of roots.py, for compiled games too.

cdef double hypot_of(double x, double y) noexcept
