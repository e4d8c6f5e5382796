# The C side of diff.py.

cimport cython

from retick.snapshot.kernels.columns cimport Columns
from retick.snapshot.kernels.marks cimport Marks
from retick.snapshot.kernels.table cimport FieldTable


@cython.final
cdef class Diff:
    cdef FieldTable table
    cdef readonly Py_ssize_t destroyed
    cdef readonly Py_ssize_t created
    cdef readonly Py_ssize_t updated
    cdef readonly Py_ssize_t entries            # changed components of all updated entities
    cdef long long masked_cost                  # bits that masked updates spend on field masks
    cdef long long packed_cost                  # bits that packed ones spend on ids, counts and indices
    cdef bint counting
    cdef long long* destroy_id
    cdef long long* create_at                   # index of the entity in the current snapshot
    cdef long long* create_row                  # by created entity and component; -1 where it is absent
    cdef long long* create_start                # byte at which the encoder put it
    cdef long long* update_at
    cdef long long* update_row
    cdef long long* update_start
    cdef unsigned long long* masks              # by updated entity and mask word
    cdef long long* base_row                    # by component: row of the entity at hand
    cdef long long* current_row
    cdef Marks marks
    cdef long long component                    # id of the component that was added or removed
    cdef Py_ssize_t capacity
    cdef list _owners

    cdef int compare(self, Columns base, Columns current, bint counting) except -1
    cdef int add_all(self, Columns current) except -1
    cdef int reserve(self, Py_ssize_t entities) except -1
    cdef void compare_marked(self, Columns base, Columns current) noexcept
    cdef void compare_single(self, Columns base, Columns current) noexcept
    cdef void clear_masks(self, Py_ssize_t mask_at) noexcept
    cdef void note_entity(self, unsigned int entity, Py_ssize_t mask_at) noexcept
    cdef int count_changed(self, int component, Py_ssize_t mask_at) noexcept
    cdef int row_mask(
        self, Columns base, Columns current, int component, Py_ssize_t base_row, Py_ssize_t row, Py_ssize_t mask_at
    ) noexcept
    cdef bint beyond(self, int field, long long after, long long before) noexcept
    cdef int compare_entity(self, Columns base, Columns current, Py_ssize_t base_at, Py_ssize_t at) noexcept
    cdef int compare_merged(self, Columns base, Columns current) noexcept
    cdef void skip(self, Columns base, Py_ssize_t at) noexcept
    cdef void add_created(self, Columns current, Py_ssize_t at) noexcept
