cdef double SMOOTHING
cdef double FRAMES_TO_CORRECT
cdef double TOLERATED


cdef class LeadEstimate:
    cdef double mine
    cdef double other
    cdef bint knows_mine
    cdef bint knows_other

    cpdef void measure_ours(self, double lead) noexcept
    cpdef void measure_theirs(self, double lead) noexcept
    cpdef void learn_theirs(self, double lead) noexcept
    cdef double by(self) noexcept


cdef class Pace:
    cdef readonly double interval
    cdef readonly double slowing
    cdef double most_slowing
    cdef double longest_catch_up
    cdef double most_owed
    cdef double at
    cdef double schedule
    cdef bint is_planned

    cdef bint is_early(self, double now) noexcept
    cpdef bint is_due(self, double now) noexcept
    cpdef double phase(self, double now) noexcept
    cpdef void frame_run(self, double now, double ahead) noexcept
    cpdef void start_over(self, double now) noexcept
    cpdef bint is_behind_schedule(self, double now) noexcept
    cpdef void owe_most(self, double now) noexcept
