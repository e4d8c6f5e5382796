from retick.rollback.engine.inputs cimport InputHistory
from retick.rollback.engine.local_inputs cimport LocalInputs
from retick.rollback.engine.states cimport StateRing


cdef class RollbackEngine:
    cdef readonly object sim
    cdef readonly long long history
    cdef readonly tuple local_players
    cdef readonly object prediction_window
    cdef long long current
    cdef long long start
    cdef long long window
    cdef long long wrong_from
    cdef long long resimulated_from
    cdef int num_players
    cdef InputHistory inputs
    cdef LocalInputs local
    cdef StateRing states
    cdef readonly long long rollbacks
    cdef readonly long long resimulated
    cdef long long deepest

    cpdef object advance(self, object pressed)
    cpdef bint can_advance(self)
    cpdef int add_remote_inputs(self, object player, object start_frame, object inputs) except -1
    cdef int add_run(self, int player, long long first, unsigned long long* values, int at, int count) except -1
    cdef int copy_inputs(self, int player, long long first, int count, unsigned long long* values, int to) except -1
    cdef long long missing_from(self, int player) noexcept
    cdef int resimulate(self) except -1
    cdef long long oldest(self) noexcept
    cpdef long long held_from(self) noexcept
    cdef long long final_frame(self) noexcept
    cdef int check_player(self, object player) except -1
    cdef int check_seat(self, object player) except -1
    cdef int check_frames(self, object first, long long count) except -1
    cdef int note_wrong(self, long long frame) noexcept
