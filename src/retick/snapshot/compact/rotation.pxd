# The C side of rotation.py.

cimport cython

from retick.snapshot.compact.frames cimport Frames
from retick.snapshot.compact.motion cimport Motion
from retick.snapshot.compact.plan cimport Plan


@cython.final
cdef class Rotation:
    cdef Plan plan
    cdef Frames frames
    cdef Motion motion
    cdef double* turns              # by group: the series of each window, then of each window and frame
    cdef double* quats              # by frame: four components
    cdef double* guess              # by group: the predicted components
    cdef double* rate               # by group: how far the predictions of two windows differ
    cdef double* start              # by group: the baseline's components
    cdef int largest                # of the prediction
    cdef int second
    cdef int gap                    # how sure the largest is
    cdef object _turns_owner
    cdef tuple _owners

    cdef void use(self, object turns)
    cdef void unpack(self, int group, int number) noexcept
    cdef double bent(self, Py_ssize_t series, double s) noexcept
    cdef double chord(self, int group, int number) noexcept
    cdef bint fits(self, int group, int window, int newest) noexcept
    cdef void predict(self, int group) noexcept
    cdef void note_bend(self, int group, int newest) noexcept
    cdef void note_turn(self, int group) noexcept
    cdef void rank(self, int group) noexcept
    cdef void place(self, int group, int largest) noexcept
