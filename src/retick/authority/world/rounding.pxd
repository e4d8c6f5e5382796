# The C side of rounding.py.

cdef double TURN

cdef long long stepped(double value, double low, double step, long long span) noexcept
cdef long long turned(double value) noexcept
