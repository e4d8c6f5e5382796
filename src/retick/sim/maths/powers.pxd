# The C side of powers.py, for compiled games too.

cdef double SHORT[93]
cdef double LOG_HIGH[93]
cdef double LOG_LOW[93]
cdef double POWER_HIGH[64]
cdef double POWER_LOW[64]
cdef double _INFINITY

cdef double exp_of(double x) noexcept
cdef double log_of(double x) noexcept
cdef double pow_of(double x, double y) noexcept
