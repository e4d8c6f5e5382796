# The C side of batch.py.

cdef enum:
    SIGHTS = 10
    SEEN_CELLS = 1280
    WIN_POINTS = 100


cdef class FighterBatch:
    cdef readonly Py_ssize_t matches
    cdef readonly Py_ssize_t blocks
    cdef int* _cells
    cdef int* _initial
    cdef float* _scales
    cdef float* _rewards
    cdef unsigned char* _terminated
    cdef unsigned char* _truncated
    cdef float* _observations
    cdef object _held
    cdef bint _sees

    cdef void play_block(
        self, const unsigned short* actions, Py_ssize_t block, unsigned int limit, bint restarts
    ) noexcept nogil
    cdef void restart_ended(self, Py_ssize_t block, Py_ssize_t count) noexcept nogil
    cdef void begin(self, Py_ssize_t match, unsigned int seed) noexcept nogil
    cdef void observe_block(self, Py_ssize_t block) noexcept nogil
