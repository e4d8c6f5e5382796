# The C side of columns.py.

from retick.snapshot.kernels.table cimport FieldTable

cdef enum:
    UNCHECKED = 0       # the ids may change under us: look each time
    ASCENDING = 1
    UNSORTED = 2


cdef class Columns:
    cdef readonly object tick
    cdef readonly Py_ssize_t count          # entities
    cdef readonly bint owned                # nobody else can change the content
    cdef readonly FieldTable table
    cdef int order
    cdef bint noted                         # presence is being written down
    cdef unsigned int* keys
    cdef long long** columns                # by field: one value a row
    cdef unsigned char** present            # by component: one byte an entity, or NULL when every entity has it
    cdef Py_ssize_t* rows                   # by component: how many entities have it
    cdef Py_ssize_t* room                   # by component: rows that fit the columns
    cdef object _ids_owner
    cdef object _present_owner
    cdef object _owners

    cdef void start(self, FieldTable table, object tick)
    cdef void allocate(self, Py_ssize_t entities, Py_ssize_t* room)
    cdef void grow(self, int component)
    cdef void note_absent(self, Py_ssize_t entities)
    cdef void finish(self, Py_ssize_t count)
    cdef bint has_one(self, Py_ssize_t entity, int component) noexcept
    cdef Py_ssize_t first_disorder(self)


cdef Columns checked_columns(object value, FieldTable table)
cdef Columns blank_columns(object cls, FieldTable table, object tick)
