# The C side of fixed.py: the wrap that compiled games need, as one conversion.

cdef inline long long i32(long long value) noexcept nogil:
    return <int>value
