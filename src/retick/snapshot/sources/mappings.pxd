# The C side of mappings.py.

from retick.snapshot.kernels.columns cimport Columns

cdef bint put_value(Columns made, int field, Py_ssize_t row, object value) except -1
