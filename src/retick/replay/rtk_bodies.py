"""The layouts of RTK's block bodies: one ``struct.Struct`` for each; the tables are in docs/formats/rtk.md."""

import struct
from typing import Final

__all__ = ["ARRIVAL", "CHECK", "END", "HAS_STATE", "HEAD", "INPUTS", "META_KEY", "META_VALUE"]

HEAD: Final = struct.Struct("<BBHIIIBB")
"""Players, input size, local seats, seed, start frame, game version, flags, size of the game id that follows."""
HAS_STATE: Final = 1

INPUTS: Final = struct.Struct("<II")
"""First frame, count; packed inputs follow."""

CHECK: Final = struct.Struct("<II")
"""Frame, checksum."""

ARRIVAL: Final = struct.Struct("<IIHBB")
"""Local frame, first frame, count, player, 0."""

META_KEY: Final = struct.Struct("<B")
META_VALUE: Final = struct.Struct("<H")

END: Final = struct.Struct("<IIIB3sI")
"""Frames, checks, arrivals, whether there is a checksum, zeros, checksum."""
