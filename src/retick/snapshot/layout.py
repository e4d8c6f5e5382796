"""The numbers of the snapshot wire format: each one is written here and nowhere else.

::

    standard header, 28 bytes, little-endian       compact header (version 2)
     0  4  magic 43 45 44 53                        1  flags: 1 full, 2 delta
     4  2  version                                  v  tick - last tick of the session
     6  2  flags: 1 full, 2 delta, 4 session        v  tick - baseline tick
     8  8  schema hash                              v  payload bytes
    16  4  tick
    20  4  baseline tick                           section
    24  4  payload bytes                            1  tag
                                                    v  body bytes
    v: varuint                                         body

scripts/declare_kernels.py writes layout.pxd from it, for the C compiler.
"""

import struct

# C constants: every integer of this module.

MAGIC = b"\x43\x45\x44\x53"
MAGIC_WORD = 0x53444543
HEADER = struct.Struct("<4sHHQIII")
"""Magic, version, flags, schema hash, tick, baseline tick, payload bytes."""
HEADER_BYTES = 28

VERSION_AT = 4
FLAGS_AT = 6
HASH_AT = 8
TICK_AT = 16
BASELINE_TICK_AT = 20
PAYLOAD_BYTES_AT = 24

# Flags that name the kind of packet.
FULL = 1
DELTA = 2
SESSION_INIT = 4

# Section tags. Version 0 has the first three.
CREATES = 1
DESTROYS = 2
MASKED = 3
SPARSE = 4
PACKED = 5
SESSION = 6

# For the encoder, in place of the tag of an update section: whichever of MASKED and PACKED the size rule prefers.
CHOOSE = 0

# How a field's value is coded; a schema's hash has other numbers for this, see fields.py.
FIXED_WIDTH = 0
VARUINT = 1
VARSINT = 2

SECTION_NAMES = {
    CREATES: "EntityCreate",
    DESTROYS: "EntityDestroy",
    MASKED: "EntityUpdate",
    SPARSE: "EntityUpdateSparse",
    PACKED: "EntityUpdateSparsePacked",
    SESSION: "SessionInit",
}
"""The names of sections in error codes."""


# Status numbers of the kernels; ``errors`` turns each into an exception with its code.
#
# They are in layout.pxd, too.

# C constants: every integer of this module.

OK = 0

PACKET_TOO_SMALL = 10
INVALID_MAGIC = 11
UNSUPPORTED_VERSION = 12
INVALID_FLAGS = 13
INVALID_BASELINE_TICK = 14
PAYLOAD_LENGTH = 15
UNKNOWN_TAG = 16
PACKET_BYTES = 17
SECTION_COUNT = 18
SECTION_LENGTH = 19
FRAMING_VARINT = 20
FRAMING_TRUNCATED = 21
TRAILING_BYTES = 22

UNEXPECTED_EOF = 30
BODY_VARINT = 31
PADDING = 32

SCHEMA_MISMATCH = 40
LIMIT_CREATE = 41
LIMIT_UPDATE = 42
LIMIT_DESTROY = 43
LIMIT_TOTAL = 44
LIMIT_COMPONENTS = 45
LIMIT_FIELDS = 46
LIMIT_SECTION_BYTES = 47

COMPONENT_MASK_BITS = 50
FIELD_MASK_BITS = 51
MISSING_FIELD = 52
UNKNOWN_COMPONENT = 53
INVALID_COMPONENT_ID = 54
EMPTY_FIELD_MASK = 55
FIELD_COUNT_MISMATCH = 56
INVALID_FIELD_INDEX = 57
PRESENCE_MISMATCH = 58

VALUE_RANGE = 60
ENTITY_ORDER = 61
TRAILING_SECTION = 62
UNEXPECTED_SECTION = 63
DUPLICATE_SECTION = 64
DUPLICATE_UPDATE = 65
BASELINE_TICK = 66
ENTITY_NOT_FOUND = 67
COMPONENT_NOT_FOUND = 68
ENTITY_EXISTS = 69
