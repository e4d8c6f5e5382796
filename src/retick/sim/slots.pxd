# The C side of slots.py.


cdef class FlatRecord:
    cdef readonly bytes _data


cdef class SlotField:
    cdef Py_ssize_t index
    cdef bint unsigned64
    cdef bint is_real
    cdef object kind


cdef class PartField:
    cdef object kind
    cdef Py_ssize_t index
    cdef Py_ssize_t size


cdef object blank_record(object cls)
