# The C side of slots.py.


cdef class FlatRecord:
    cdef readonly bytes _data


cdef object blank_record(object cls)
