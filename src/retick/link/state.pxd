# The numbers of state.State, for the C compiler; a test keeps both equal.

cdef enum:
    REQUESTING = 0
    PROPOSING = 1
    ENTERING = 2
    ACCEPTED = 3
    CONNECTED = 4
    CLOSING = 5
    CLOSED = 6
