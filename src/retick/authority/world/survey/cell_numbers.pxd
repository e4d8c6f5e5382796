# The C side of cell_numbers.py.

from retick.sim.shapes.shape cimport Shape

cdef enum:
    PLAIN = 0
    REAL_STEPS = 1
    WHOLE_STEPS = 2
    WIDE_STEPS = 3
    REAL_TURN = 4
    REAL_BITS = 5
    HAS_PART = 6
    SHAPE_STEPS = 7
    SHAPE_BITS = 8
    SHAPE_WHOLE = 9
    OP_WIDTH = 6
    NOTHING = -1

cdef object kept_of_block(object block, object count)
cdef int read_block(object block, list items, object begins, object kept, object values) except -1
cdef double shape_real(Shape shape, Py_ssize_t axis) except? -1.0
cdef long long bits_of(double value) noexcept
cdef unsigned long long shape_number(
    double value, long long op, long long low, long long span, double least, double step
) noexcept
