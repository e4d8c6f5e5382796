# The C side of rbn1_packing.py.

cdef enum:
    SHORT_HEADER = -1
    BAD_FLAGS = -2
    BAD_COUNT = -3
    BAD_ACK = -4
    SHORT_BLOCKS = -5
    BAD_SHAPE = -6
    TOO_MUCH = -7
    TOO_LONG = -8
    SHORT_RUN = -9
    BAD_RUN = -10

cdef Py_ssize_t pack_into(unsigned char* plain, Py_ssize_t length, unsigned char* out) noexcept
cdef Py_ssize_t _pack_inputs(
    unsigned char* plain,
    Py_ssize_t inputs,
    Py_ssize_t count,
    Py_ssize_t width,
    unsigned char* out,
    Py_ssize_t to,
    Py_ssize_t end,
) noexcept
cdef Py_ssize_t unpack_into(unsigned char* data, Py_ssize_t length, unsigned int extensions, unsigned char* out) noexcept
cdef Py_ssize_t _unpack_inputs(
    unsigned char* data,
    Py_ssize_t at,
    Py_ssize_t length,
    unsigned char* out,
    Py_ssize_t to,
    Py_ssize_t count,
    Py_ssize_t width,
) noexcept
