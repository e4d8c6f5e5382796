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

layout.pxd repeats the integers, because the C compiler needs them as constants; a test holds the two files equal.
"""

import struct

__all__ = [
    "BASELINE_TICK_AT",
    "CHOOSE",
    "CREATES",
    "DELTA",
    "DESTROYS",
    "FIXED_WIDTH",
    "FLAGS_AT",
    "FULL",
    "HASH_AT",
    "HEADER",
    "HEADER_BYTES",
    "MAGIC",
    "MAGIC_WORD",
    "MASKED",
    "PACKED",
    "PAYLOAD_BYTES_AT",
    "SECTION_NAMES",
    "SESSION",
    "SESSION_INIT",
    "SPARSE",
    "TICK_AT",
    "VARSINT",
    "VARUINT",
    "VERSION_AT",
]

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
