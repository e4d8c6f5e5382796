# The integers of layout.py, for the C compiler; a test holds the two equal.

cdef enum:
    MAGIC_WORD = 0x53444543
    HEADER_BYTES = 28

    VERSION_AT = 4
    FLAGS_AT = 6
    HASH_AT = 8
    TICK_AT = 16
    BASELINE_TICK_AT = 20
    PAYLOAD_BYTES_AT = 24

    FULL = 1
    DELTA = 2
    SESSION_INIT = 4

    CREATES = 1
    DESTROYS = 2
    MASKED = 3
    SPARSE = 4
    PACKED = 5
    SESSION = 6

    CHOOSE = 0

    FIXED_WIDTH = 0
    VARUINT = 1
    VARSINT = 2
