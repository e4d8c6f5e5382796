from retick.rollback.engine.engine cimport RollbackEngine
from retick.rollback.match.exchange cimport Exchange
from retick.rollback.match.timesync cimport Pace

cdef long long NEVER
cdef long long UNLIMITED
cdef long long CATCH_UP_FROM
cdef double LONG_STALL
cdef double SAMPLE_EVERY


cdef class Match:
    cdef readonly object sim
    cdef readonly object seed
    cdef readonly object config
    cdef readonly int number
    cdef readonly RollbackEngine engine
    cdef readonly list exchanges
    cdef long long compared_with_left
    cdef readonly Pace pace
    cdef readonly object alarm
    cdef list happened
    cdef public object follower
    cdef object depths
    cdef long long rollbacks
    cdef long long resimulated
    cdef long long stalls
    cdef readonly bint is_stalled
    cdef bint is_stall_told
    cdef double stalled_since
    cdef double stalled_seconds
    cdef long long next_checksum
    cdef long long first_own
    cdef long long fence
    cdef long long pause_fence
    cdef bint is_single
    cdef bint is_catching_up
    cdef public bint is_taken_in
    cdef bint is_unsent
    cdef public bint wakes_parts
    cdef public long long asks_at
    cdef double resend_at
    cdef double sent_at
    cdef double resend_interval
    cdef double sample_at
    cdef object __weakref__

    cpdef bint due(self, double now) except -1
    cdef bint may_advance(self, long long behind) except -1
    cdef bint may_run_early(self, double now) except -1
    cpdef object advance(self, object pressed, double now)
    cpdef bint receive(self, Exchange exchange, object data, double now) except -1
    cpdef list packets(self, double now)
    cpdef bint sends(self, double now) except -1
    cdef object sample(self, double now)
    cdef object count_depth(self)
    cdef object write_checksums(self)
    cpdef object next_timeout(self)
    cpdef list events(self)
