# The C side of value_numbers.py.

cdef object kept_of_values(object plan, object count)
cdef object kept_of_texts(object count)
cdef int read_values(object plan, list items, object begins, object kept, object values) except -1
cdef int read_texts(object plan, list items, object begins, list kept, object values) except -1
