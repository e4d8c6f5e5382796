# The C side of motion.py.

cimport cython

from retick.snapshot.compact.frames cimport Frames
from retick.snapshot.compact.plan cimport Plan


@cython.final
cdef class Motion:
    cdef Plan plan
    cdef Frames frames
    cdef double* ahead              # by group and window: gain, lift
    cdef double* back               # by group, window and frame: share, lift
    cdef double* acceleration       # by scalar, in steps of the field for each tick squared
    cdef double ticks               # from the baseline to the snapshot
    cdef long long* low             # by scalar: the least value
    cdef unsigned long long* room   # by scalar: how far above that the largest is
    cdef long long* way             # by scalar and frame: how far it has come since then
    cdef long long* guess           # by scalar: the predicted value
    cdef long long* step            # by scalar: how far that is from the baseline
    cdef long long* bend            # by scalar: how far the predictions of two windows differ
    cdef int* window                # by group: 0 none, 1 the newest frame, 2 and 3 longer lines that fit
    cdef int* lifted                # by group: whether the acceleration is in it
    cdef int fastest                # log of the largest predicted step of a group, so far in this entity
    cdef tuple arrays               # of step and bend
    cdef tuple _gains_owner
    cdef tuple _owners

    cdef void use(self, object ahead, object back, object ticks)
    cdef void note(self, int group, long long steps, long long bends) noexcept
    cdef long long shortest(self, int group, long long way) noexcept
    cdef long long within(self, int group, int scalar, long long value) noexcept
    cdef void predict(self, int group) noexcept
    cdef bint look_back(self, int group) noexcept
    cdef void stay(self, int group) noexcept
    cdef bint moves(self, int group, int newest) noexcept
    cdef long long stray(self, int group, int scalar, int window, int number, int lift) noexcept
    cdef long long strays(self, int group, int window, int number, int lift) noexcept
    cdef long long miss(self, int group, int window, int newest, int lift) noexcept
    cdef void extend(self, int group, int window, int newest, int lift) noexcept
    cdef long long ahead_of(self, int group, int scalar) noexcept
    cdef int goes_on(self, int group) noexcept
    cdef void integrate(self, int group, long long* now) noexcept
