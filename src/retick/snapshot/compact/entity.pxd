# The C side of entity.py.

cimport cython

from retick.snapshot.compact.coder cimport Coder
from retick.snapshot.compact.frames cimport Frames
from retick.snapshot.compact.motion cimport Motion
from retick.snapshot.compact.plan cimport Plan
from retick.snapshot.compact.rotation cimport Rotation
from retick.snapshot.kernels.fault cimport Fault

cdef enum:
    HELD = 0        # sorts of sign and mantissa models
    MOVED = 1
    TURNED = 2
    SUMMED = 3
    DOUBTED = 4


@cython.final
cdef class Entity:
    cdef Plan plan
    cdef Coder coder
    cdef Frames frames
    cdef Motion motion
    cdef Rotation rotation
    cdef readonly Fault fault       # what is wrong, or OK
    cdef long long* now             # by scalar: the entity's values after the packet
    cdef long long* off             # by scalar: its residual
    cdef int moved                  # whether the entity differs from the newest history frame
    cdef int strayed                # log of the largest residual of the groups before, in this entity
    cdef int held                   # whether the HOLD group before, in this entity, has changed
    cdef list costs                 # bits by group, if they are counted
    cdef tuple _owners

    cdef int code(self, Py_ssize_t index) except -1
    cdef int flag(self) noexcept
    cdef int fetch(self, Py_ssize_t index) noexcept
    cdef void store(self, Py_ssize_t index) noexcept
    cdef bint misfits(self, int scalar) noexcept
    cdef int blame(self, int scalar) noexcept
    cdef int hold(self, int group) noexcept
    cdef int choice(self, int group, Py_ssize_t index) noexcept
    cdef int real(self, int group) noexcept
    cdef int moving(self, int group) noexcept
    cdef int turned(self, int group) noexcept
    cdef int residuals(self, int group, int first, int slot, int sort, int later) noexcept
