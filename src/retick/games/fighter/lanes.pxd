# The C side of lanes.py.

cdef enum:
    WIDTH = 8

cdef void run_lanes(
    long long* rows, const unsigned char* octets, long long* starts, Py_ssize_t first, Py_ssize_t count
) noexcept nogil
