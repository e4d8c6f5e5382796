# The C side of carry.py.

cdef int carry_over(object last, object made) except -1
