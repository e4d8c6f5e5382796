# The C side of pairs.py, for inlining. The flag -ffp-contract=off in setup.py keeps each operation to its own rounding.

cdef inline double sum_error(double a, double b, double total) noexcept nogil:
    cdef double grown = total - a
    return (a - (total - grown)) + (b - grown)

cdef inline double product_error(double a, double b, double product) noexcept nogil:
    cdef double a_high = 134217729.0 * a
    cdef double b_high = 134217729.0 * b
    cdef double a_low
    cdef double b_low
    a_high = a_high - (a_high - a)
    b_high = b_high - (b_high - b)
    a_low = a - a_high
    b_low = b - b_high
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low

cdef inline double root_error(double square, double square_low, double root) noexcept nogil:
    cdef double again = root * root
    return (((square - again) - product_error(root, root, again)) + square_low) / (root + root)
