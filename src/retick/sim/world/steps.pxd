# The C side of steps.py.

cdef enum:
    SIGNED = 16
    IS_REAL = 32
    BOUNDED = 64


cdef class Step:
    cdef readonly object field
    cdef readonly Py_ssize_t first
    cdef readonly Py_ssize_t count
    cdef readonly Py_ssize_t size
    cdef bytes forms
    cdef bytes least
    cdef bytes greatest
    cdef readonly tuple kinds
    cdef readonly tuple names
    cdef object packed
    cdef bint is_checked
