# The C side of frames.py.

cimport cython

from retick.snapshot.compact.plan cimport Plan
from retick.snapshot.kernels.columns cimport Columns
from retick.snapshot.kernels.table cimport FieldTable


@cython.final
cdef class Frames:
    cdef Plan plan
    cdef FieldTable table
    cdef int used                   # history frames
    cdef Py_ssize_t count           # entities of the baseline
    cdef Columns base
    cdef Columns first
    cdef Columns second
    cdef Columns third
    cdef int* mapped                # by frame: whether its rows are in maps
    cdef long long* maps            # by frame, component and entity
    cdef unsigned char* rest        # by entity: history frames with the baseline's values, from the newest on
    cdef long long* ways            # by entity: what `differ` found
    cdef long long* old             # by scalar and frame: the values of the entity at hand
    cdef int* has                   # by group and frame: whether it has any
    cdef object _maps_owner
    cdef object _rest_owner
    cdef object _ways_owner
    cdef tuple _owners

    cdef void use(self, Columns base, object history)
    cdef Columns frame(self, int number)
    cdef void _make_space(self)
    cdef void _map(self, int number)
    cdef long long row(self, int number, int component, Py_ssize_t entity) noexcept
    cdef void _find_rest(self)
    cdef void differ(self, Columns other, int number)
    cdef void _differ_in_order(self, Columns other)
    cdef void load(self, Py_ssize_t entity)
