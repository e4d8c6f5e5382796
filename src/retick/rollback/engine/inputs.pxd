cdef enum:
    UNSEEN = 4294967295


cdef bint fits(object value, unsigned long long largest) except -1


cdef class InputHistory:
    cdef readonly int num_players
    cdef readonly long long capacity
    cdef readonly unsigned long long largest_input
    cdef readonly object predictor
    cdef long long mask
    cdef unsigned long long* used
    cdef unsigned char* confirmed
    cdef unsigned char* local
    cdef long long* tags
    cdef long long* upto
    cdef long long* newest
    cdef long long* dirty
    cdef long long* dropped_from
    cdef long long start
    cdef bint any_dirty
    cdef long long guessed_from

    cdef unsigned long long* row(self, long long frame) noexcept
    cdef bint is_confirmed(self, int player, long long frame) noexcept
    cdef bint holds(self, long long frame) noexcept
    cdef int mark_dirty(self, int player, long long frame) noexcept
    cdef int restore(self, int player, long long frame, long long end) noexcept
    cdef int confirm(self, int player, long long frame, unsigned long long value) noexcept
    cdef unsigned long long predict(self, int player, long long frame) except? 18446744073709551615
    cdef int fill(self, long long frame) except -1
    cdef long long predict_again(self, long long oldest, long long frame) except -2
    cdef int open_row(self, long long frame) noexcept
    cdef long long confirmed_by_all(self) noexcept
    cdef long long confirmed_by_others(self) noexcept
    cdef object inputs_at(self, long long frame)
