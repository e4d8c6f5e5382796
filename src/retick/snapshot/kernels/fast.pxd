# The C side of fast.py.

from retick.snapshot.kernels.columns cimport Columns
from retick.snapshot.kernels.packer cimport Packer
from retick.snapshot.kernels.reader cimport Reader
from retick.snapshot.kernels.table cimport FieldTable
from retick.snapshot.kernels.target cimport Target

cdef bint put_entity(
    FieldTable table, Columns current, unsigned int entity, long long* rows, Py_ssize_t rows_at,
    unsigned long long* masks, Py_ssize_t masks_at, bint creating, Packer packer
) noexcept
cdef Py_ssize_t read_created(
    FieldTable table, Columns made, Reader reader, Py_ssize_t index, Py_ssize_t count
) noexcept
cdef Py_ssize_t read_updated(FieldTable table, Target target, Reader reader, Py_ssize_t count) noexcept
