# The C side of inverse.py, for compiled games too.

cdef double HIGH[17]
cdef double LOW[17]

cdef double atan2_of(double y, double x) noexcept
cdef double asin_of(double x) noexcept
cdef double acos_of(double x) noexcept
