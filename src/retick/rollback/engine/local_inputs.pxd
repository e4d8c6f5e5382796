from retick.rollback.engine.inputs cimport InputHistory


cdef class LocalInputs:
    cdef readonly tuple players
    cdef long long delay
    cdef long long upto
    cdef long long start
    cdef bint is_single
    cdef int first_player
    cdef InputHistory inputs

    cdef int press(self, object pressed, long long current) except -1
    cdef int hold(self, long long target) except -1
    cdef int check(self, int player, object value) except -1
