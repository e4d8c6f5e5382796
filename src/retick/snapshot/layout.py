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

__all__ = [
    "BASELINE_TICK",
    "BASELINE_TICK_AT",
    "BODY_VARINT",
    "CHOOSE",
    "COMPONENT_MASK_BITS",
    "COMPONENT_NOT_FOUND",
    "CREATES",
    "DELTA",
    "DESTROYS",
    "DUPLICATE_SECTION",
    "DUPLICATE_UPDATE",
    "EMPTY_FIELD_MASK",
    "ENTITY_EXISTS",
    "ENTITY_NOT_FOUND",
    "ENTITY_ORDER",
    "FIELD_COUNT_MISMATCH",
    "FIELD_MASK_BITS",
    "FIXED_WIDTH",
    "FLAGS_AT",
    "FRAMING_TRUNCATED",
    "FRAMING_VARINT",
    "FULL",
    "HASH_AT",
    "HEADER",
    "HEADER_BYTES",
    "INVALID_BASELINE_TICK",
    "INVALID_COMPONENT_ID",
    "INVALID_FIELD_INDEX",
    "INVALID_FLAGS",
    "INVALID_MAGIC",
    "LIMIT_COMPONENTS",
    "LIMIT_CREATE",
    "LIMIT_DESTROY",
    "LIMIT_FIELDS",
    "LIMIT_SECTION_BYTES",
    "LIMIT_TOTAL",
    "LIMIT_UPDATE",
    "MAGIC",
    "MAGIC_WORD",
    "MASKED",
    "MISSING_FIELD",
    "OK",
    "PACKED",
    "PACKET_BYTES",
    "PACKET_TOO_SMALL",
    "PADDING",
    "PAYLOAD_BYTES_AT",
    "PAYLOAD_LENGTH",
    "PRESENCE_MISMATCH",
    "SCHEMA_MISMATCH",
    "SECTION_COUNT",
    "SECTION_LENGTH",
    "SECTION_NAMES",
    "SESSION",
    "SESSION_INIT",
    "SPARSE",
    "TICK_AT",
    "TRAILING_BYTES",
    "TRAILING_SECTION",
    "UNEXPECTED_EOF",
    "UNEXPECTED_SECTION",
    "UNKNOWN_COMPONENT",
    "UNKNOWN_TAG",
    "UNSUPPORTED_VERSION",
    "VALUE_RANGE",
    "VARSINT",
    "VARUINT",
    "VERSION_AT",
]


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

# Flags: the kind of packet.
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

# For the encoder, in place of the tag of an update section: the shorter of MASKED and PACKED by the size rule.
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
"""As they stand in error codes."""


# Numbers by which the kernels say what is wrong; ``errors`` turns each into an exception with its code.
#
# scripts/declare_kernels.py writes status.pxd from it, for the C compiler.

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
