# The C side of logs.py.

cdef extern from *:
    """
    #include <string.h>
    /* The bits of a number that is not 0. */
    #if defined(__GNUC__)
    static CYTHON_INLINE int retick_bits(unsigned PY_LONG_LONG value) { return 64 - __builtin_clzll(value); }
    #else
    /* The exponent of a double that holds the number exactly; larger numbers are halved first. */
    static CYTHON_INLINE int retick_bits(unsigned PY_LONG_LONG value) {
        int more = value >> 52 ? 32 : 0;
        double number = (double)(PY_LONG_LONG)(value >> more);
        unsigned PY_LONG_LONG bits;
        memcpy(&bits, &number, 8);
        return more + (int)(bits >> 52) - 1022;
    }
    #endif
    """
    int retick_bits(unsigned long long value) noexcept nogil


cdef inline int length_of(unsigned long long value) noexcept nogil:
    return retick_bits(value) if value else 0


cdef inline int log_of(long long value) noexcept nogil:
    # Without a branch for zero: whether a number is zero cannot be foreseen.
    cdef int whole
    cdef unsigned long long rest = <unsigned long long>value if value >= 0 else -<unsigned long long>value
    if rest >> 40:
        return 640
    whole = retick_bits(rest + 1) - 1
    return (whole << 4) + <int>(((16 * (rest + 1)) >> whole) & 15)


cdef inline long long rounded(double value) noexcept nogil:
    cdef long long found
    if not -1e15 < value < 1e15:
        return 0
    value += 0.5
    found = <long long>value
    # Towards zero is up for what is negative.
    return found - (<double>found > value)
