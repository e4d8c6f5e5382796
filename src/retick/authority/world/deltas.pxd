# The C side of deltas.py.

cdef enum:
    SHORT = 7
    CLAMPED = 1
    WRAPPED = 2
