# The C side of deltas.py.

cdef enum:
    SHORT = 7
