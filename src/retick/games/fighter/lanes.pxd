# The C side of lanes.py.

from retick.games.fighter.kernel cimport FighterKernel

cdef enum:
    CELLS = 1536
    ENOUGH = 24
    BLOCK = 32
    PRESSED = 2048
    LEAST_NARROW = -1000
    MOST_NARROW = 20000


cdef class FighterLanes(FighterKernel):
    cdef void run_many_slots(
        self, long long* rows, const unsigned char* octets, long long* starts, long long* counts, Py_ssize_t matches
    ) noexcept nogil
