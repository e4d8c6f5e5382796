# The C side of urgency.py.

cimport cython

from retick.snapshot.kernels.columns cimport Columns
from retick.snapshot.kernels.diff cimport Diff
from retick.snapshot.kernels.encoder cimport Encoder
from retick.snapshot.kernels.table cimport FieldTable
from retick.snapshot.visible cimport VisiblePart


@cython.final
cdef class Urgency:
    cdef Encoder encoder
    cdef Diff diff                  # of the encoder
    cdef FieldTable table
    cdef VisiblePart seen           # of the world at hand
    cdef int mode                   # MASKED or PACKED
    cdef long long budget           # bytes of a packet
    cdef long long entries_each     # items of an update section that one entity may take
    cdef long long max_create
    cdef long long max_update
    cdef long long max_destroy
    cdef long long max_total
    cdef double* score              # by number of a dirty entity
    cdef long long* size            # the same: bytes
    cdef long long* chosen          # the same: 1 if it is sent
    cdef long long* heap            # numbers of dirty entities, the most urgent first
    cdef Py_ssize_t held            # entities that wait from the packets before
    cdef long long* held_id         # ascending
    cdef double* held_score
    cdef long long* next_id         # the same after this packet
    cdef double* next_score
    cdef Py_ssize_t capacity
    cdef long long destroys         # in the packet so far
    cdef long long created
    cdef long long created_bytes
    cdef long long updated
    cdef long long updated_bytes
    cdef list _owners

    cdef int reserve(self, Py_ssize_t entities) except -1
    cdef Py_ssize_t dirty_at(self, Py_ssize_t number) noexcept
    cdef int gain(self, Columns current) except -1
    cdef long long room(self, Py_ssize_t kept) noexcept
    cdef long long most_destroys(self) noexcept
    cdef bint within_limits(self, Py_ssize_t held) noexcept
    cdef bint fits(self, bint created, long long size) noexcept
    cdef int choose(self, Columns current, Py_ssize_t kept) noexcept
    cdef bint sooner(self, Columns current, Py_ssize_t one, Py_ssize_t other) noexcept
    cdef void sift(self, Columns current, Py_ssize_t at, Py_ssize_t total) noexcept
    cdef object tell(self, Columns current)
    cdef int keep_chosen(self) noexcept
