"""The numbers of RBN1: each one is written here and nowhere else. The layout itself is drawn in rbn1.py.

scripts/declare_kernels.py writes rbn1_layout.pxd from it, for the C compiler.
"""

# C constants: every integer of this module.

MAGIC = b"RBN1"
MAGIC_WORD = 0x314E4252
HEADER_BYTES = 15
WIDE_HEADER_BYTES = 16
"""The header of version 2, whose last byte is the shape of the inputs."""
MAX_COUNT = 32
"""The most frames in one packet."""
MAX_PACKET_SIZE = 87
"""The largest version 1 packet without extensions."""
MAX_INPUT_BYTES = 1024
"""The most that the inputs of a version 2 packet may take, so that the packet fits any datagram."""
MOST_PLAIN_BYTES = 1056
"""The largest version 2 packet, with all blocks."""
PACKED_HEADER_BYTES = 8
PACKED_MARK = 0xA0
"""The high four bits of a packed packet's first byte; the low four are flags."""

# Flags: the blocks between header and inputs.
HAS_CHECKSUM = 1
HAS_TIME_SYNC = 2
HAS_LOSS_STATS = 4
HAS_SHAPE = 8
"""In the packed form only; version 2 always has the shape byte."""
CHECKSUM_BYTES = 8
TIME_SYNC_BYTES = 4
LOSS_STATS_BYTES = 4

TIME_SYNC = 1
LOSS_STATS = 2
WIDE_INPUTS = 4
PACKED_INPUTS = 32
"""The last extension bit. Extensions are bits of the argument ``extensions``, and of the link's capabilities."""
ALL_EXTENSIONS = TIME_SYNC | LOSS_STATS | WIDE_INPUTS | PACKED_INPUTS
