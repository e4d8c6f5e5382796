# The C side of logs.py.

from libc.string cimport memcpy


cdef inline int length_of(unsigned long long value) noexcept nogil:
    # The exponent of a double that holds the number exactly; larger numbers are halved first.
    cdef int more = 0
    cdef double number
    cdef unsigned long long bits
    if value >> 52:
        more = 32
        value >>= 32
    if value == 0:
        return 0
    number = <double><long long>value
    memcpy(&bits, &number, 8)
    return more + <int>(bits >> 52) - 1022


cdef inline int log_of(long long value) noexcept nogil:
    cdef int whole
    cdef long long rest = value if value >= 0 else -value
    if rest == 0:
        return 0
    if rest < 0 or rest >> 40:  # the lowest number has no opposite
        return 640
    rest += 1
    whole = length_of(rest) - 1
    return (whole << 4) + <int>(((rest << 4) >> whole) & 15)


cdef inline long long rounded(double value) noexcept nogil:
    cdef long long found
    if not -1e15 < value < 1e15:
        return 0
    value += 0.5
    found = <long long>value
    # Towards zero is up for what is negative.
    return found - 1 if <double>found > value else found
