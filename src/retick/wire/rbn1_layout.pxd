# The integers of rbn1_layout.py that kernels use, for the C compiler; a test holds the two equal.

cdef enum:
    MAGIC_WORD = 0x314E4252
    HEADER_BYTES = 15
    WIDE_HEADER_BYTES = 16
    MAX_COUNT = 32
    MAX_INPUT_BYTES = 1024
    MOST_PLAIN_BYTES = 1056
    PACKED_HEADER_BYTES = 8
    PACKED_MARK = 0xA0

    HAS_CHECKSUM = 1
    HAS_TIME_SYNC = 2
    HAS_LOSS_STATS = 4
    HAS_SHAPE = 8
    CHECKSUM_BYTES = 8
    TIME_SYNC_BYTES = 4
    LOSS_STATS_BYTES = 4

    TIME_SYNC = 1
    LOSS_STATS = 2
    WIDE_INPUTS = 4
    PACKED_INPUTS = 32
