# The numbers of state.State, for the C compiler; a test keeps both equal.

cdef enum:
    REQUESTING = 0
    PROPOSING = 1
    ACCEPTED = 2
    CONNECTED = 3
    CLOSING = 4
    CLOSED = 5
