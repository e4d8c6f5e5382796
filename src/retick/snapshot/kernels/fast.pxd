# The C side of fast.py.

from retick.snapshot.kernels.columns cimport Columns
from retick.snapshot.kernels.table cimport FieldTable

cdef enum:
    POSITION = 0
    CURSOR = 1
    PREVIOUS = 2


cdef Py_ssize_t put_entity(
    FieldTable table, Columns current, unsigned int entity, long long* rows, Py_ssize_t rows_at,
    unsigned long long* masks, Py_ssize_t masks_at, bint creating, unsigned char* buf, Py_ssize_t at
) noexcept

cdef Py_ssize_t take_created(
    FieldTable table, Columns made, unsigned char* buf, long long* state, Py_ssize_t end, bint strict,
    Py_ssize_t index, Py_ssize_t count
) noexcept

cdef Py_ssize_t take_updated(
    FieldTable table, Columns target, unsigned char* buf, long long* state, Py_ssize_t end, bint strict,
    Py_ssize_t count
) noexcept
