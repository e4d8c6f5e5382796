# The C side of circular.py, for compiled games too.

cdef int WORDS[42]

cdef double sin_of(double x) noexcept
cdef double cos_of(double x) noexcept
cdef double tan_of(double x) noexcept
