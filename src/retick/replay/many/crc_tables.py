"""Tables for a CRC-32 of sixteen bytes at a time, for the kernel: zlib's own is to be had only with Python's lock."""

from array import array
from typing import Final

__all__ = ["TABLES"]


def _tables() -> "array[int]":
    """What each byte does to a CRC-32 that many bytes further on, for 0 to 15 bytes."""
    first = []
    for octet in range(256):
        for _ in range(8):
            octet = octet >> 1 ^ (0xEDB88320 if octet & 1 else 0)
        first.append(octet)
    rows = [first]
    while len(rows) < 16:
        rows.append([row >> 8 ^ first[row & 255] for row in rows[-1]])
    return array("I", [value for row in rows for value in row])


TABLES: Final = _tables()
