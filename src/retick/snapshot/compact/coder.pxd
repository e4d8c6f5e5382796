# The C side of coder.py.

cimport cython

cdef enum:
    MOST_USES = 255     # after so many, a model learns no slower
    LEAST = 48          # bounds of a probability
    MOST = 65488


@cython.final
cdef class Coder:
    cdef readonly bint encoding
    cdef readonly bint overrun          # more was read than was there
    cdef unsigned int* models
    cdef unsigned int* rates            # by uses: how far a model moves, of 65536
    cdef unsigned long long low
    cdef unsigned long long range
    cdef unsigned long long code
    cdef unsigned long long every       # 32 ones
    cdef unsigned char* buf
    cdef readonly Py_ssize_t at
    cdef Py_ssize_t size
    cdef int neighbours                 # whether the two entities before have changed, the nearer in bit 0
    cdef object _out                    # the encoder's own space
    cdef object _seen                   # what buf points into
    cdef object _models_owner

    cdef void use(self, object models)
    cdef void begin_encoding(self)
    cdef void begin_decoding(self, object data, Py_ssize_t start)
    cdef void _look_at(self, object data)
    cdef void make_room(self, Py_ssize_t more)
    cdef int next_byte(self) noexcept
    cdef void carry(self) noexcept
    cdef int bit(self, Py_ssize_t index, int value) noexcept
    cdef Py_ssize_t until_changed(
        self, unsigned char* levels, long long* ways, Py_ssize_t at, Py_ssize_t end) noexcept
    cdef long long number(
        self, Py_ssize_t models, int expected, int sort, int signs, long long value) noexcept
    cdef unsigned long long mantissa(self, int sort, int size, int more, unsigned long long rest) noexcept
    cdef void shift(self) noexcept
    cdef unsigned long long raw(self, unsigned long long value, int bits) noexcept
    cpdef bytes finish(self)
    cpdef double bits_written(self)
