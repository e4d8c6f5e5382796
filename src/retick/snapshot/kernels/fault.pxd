# The C side of fault.py.

cimport cython


@cython.final
cdef class Fault:
    cdef readonly int status            # of a fault that is kept for later, else OK
    cdef public long long limit         # a limit, and
    cdef public long long actual        # the count or size that is above it
    cdef public long long needed        # bits or bytes that a value needs, and
    cdef public long long available     # those that are left
    cdef public long long expected      # what should stand there, and
    cdef public long long found         # what does
    cdef public long long flags         # of the header
    cdef public long long tag           # of the section
    cdef public long long extra         # bits or bytes after the last item
    cdef public long long entity        # id of the entity
    cdef public long long component     # id of the component
    cdef public long long field         # number of the field in the table
    cdef public long long value         # that its field cannot hold
    cdef public long long previous      # an id or tick, and
    cdef public long long current       # the one that should be above it

    cdef int over_limit(self, int status, long long limit, long long actual) noexcept
