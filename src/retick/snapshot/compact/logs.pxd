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
    # Without a branch for zero: whether a number is zero cannot be foreseen.
    cdef int whole
    cdef double number
    cdef unsigned long long bits
    cdef unsigned long long rest = <unsigned long long>value if value >= 0 else -<unsigned long long>value
    if rest >> 40:
        return 640
    number = <double><long long>(rest + 1)
    memcpy(&bits, &number, 8)
    whole = <int>(bits >> 52) - 1023
    return (whole << 4) + <int>(((16 * (rest + 1)) >> whole) & 15)


cdef inline long long rounded(double value) noexcept nogil:
    cdef long long found
    if not -1e15 < value < 1e15:
        return 0
    value += 0.5
    found = <long long>value
    # Towards zero is up for what is negative.
    return found - (<double>found > value)
