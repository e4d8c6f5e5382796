# The numbers of control.py, for the C compiler; a test holds the two equal.

cdef enum:
    PAYLOAD = 0x80
    CONTROL = 0xC0
    BYE = 0xC1
    BYE_ACK = 0xC2
    PROVE = 0xC3
    PROOF = 0xC4
    ENVELOPE_SIZE = 8
    CONTROL_SIZE = 26
    HOLD_NONE = 0xFFFF
