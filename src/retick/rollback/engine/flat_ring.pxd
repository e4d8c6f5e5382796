from retick.rollback.engine.states cimport StateRing
from retick.sim.flat cimport FlatSimulation


cdef class FlatRing(StateRing):
    cdef FlatSimulation flat
    cdef int slots
    cdef long long* rows
    cdef long long* scratch
    cdef unsigned int* sums
