from retick.rollback.engine.inputs cimport InputHistory


cdef class StateRing:
    cdef readonly object sim
    cdef readonly long long capacity

    cdef int put(self, long long frame, object state) except -1
    cdef int simulate(self, long long first, long long end, long long final, InputHistory inputs) except -1
    cdef object state_at(self, long long frame, InputHistory inputs)
    cdef object checksum_at(self, long long frame, InputHistory inputs)
    cdef int stamp(self, long long frame) except -1
    cdef long long recheck(self, long long first, long long end, InputHistory inputs) except -2
    cdef object rechecked_state(self)


cdef class ObjectRing(StateRing):
    cdef object step
    cdef object checksum_of
    cdef object reload
    cdef object again
    cdef list kept
    cdef list sums


cdef class SparseRing(StateRing):
    cdef object step
    cdef object keep
    cdef object is_here
    cdef dict anchors
    cdef object present
    cdef long long present_frame
    cdef long long history
