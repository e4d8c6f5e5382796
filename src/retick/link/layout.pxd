# The numbers of layout.py that kernels use, for the C compiler; a test keeps both equal.

cdef enum:
    PAYLOAD = 0x80
    CONTROL = 0xC0
    BYE = 0xC1
    BYE_ACK = 0xC2
    PROVE = 0xC3
    SEALED_KINDS_END = 0xC8
    MAX_DATAGRAM = 1472
    ENVELOPE_SIZE = 8
    CONTROL_SIZE = 26
    SEQUENCE_MASK = 0xFFFF
    SEQUENCE_HALF = 0x8000
    SEEN_WINDOW = 256
    TAG_SIZE = 16
    PAYLOAD_DELAY_RATE = 2000
    PAYLOAD_DELAY_NONE = 63
