# The C side of copies.py.

from retick.snapshot.kernels.columns cimport Columns

cdef Columns copy_columns(object cls, Columns source, object tick)
cdef Columns gather_columns(object cls, Columns left, Columns right, object sources, object tick)
