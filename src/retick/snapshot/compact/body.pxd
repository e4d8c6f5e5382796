# The C side of body.py.

cimport cython

from retick.snapshot.compact.coder cimport Coder
from retick.snapshot.compact.entity cimport Entity
from retick.snapshot.compact.frames cimport Frames
from retick.snapshot.compact.plan cimport Plan
from retick.snapshot.compact.statistics cimport Statistics
from retick.snapshot.kernels.columns cimport Columns
from retick.snapshot.kernels.fault cimport Fault


@cython.final
cdef class Body:
    cdef Plan plan
    cdef Entity entity
    cdef Coder coder                        # of the entity, as the next two
    cdef Frames frames
    cdef readonly Fault fault               # what is wrong, or OK
    cdef readonly Py_ssize_t changes        # entities with a change
    cdef readonly Py_ssize_t fitting        # entities from the first on that the next two have room for
    cdef public Py_ssize_t budget           # bytes
    cdef public Py_ssize_t most_changes     # entities
    cdef unsigned char* levels              # by entity: context of the flag that says whether it has changed
    cdef object _levels_owner
    cdef object _factors                    # of the packet before

    cpdef bytes encode(self, Statistics statistics, Columns base, object history, object factors, Columns target,
                       Py_ssize_t cut, bytes head)
    cpdef int decode(self, Statistics statistics, Columns base, object history, object factors, Columns target,
                     Py_ssize_t cut, bytes data, Py_ssize_t start) except -1
    cdef void start(self, Statistics statistics, Columns base, object history, object factors, Columns target)
    cdef int walk(self, Py_ssize_t cut) except -1
    cdef void find_levels(self, Py_ssize_t end)
    cdef int speed_of(self, Py_ssize_t index) noexcept
