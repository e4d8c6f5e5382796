from retick.rollback.engine.inputs cimport InputHistory
from retick.rollback.engine.states cimport StateRing


cdef class SyncTest:
    cdef readonly object sim
    cdef readonly long long distance
    cdef long long current
    cdef int num_players
    cdef InputHistory inputs
    cdef StateRing states
