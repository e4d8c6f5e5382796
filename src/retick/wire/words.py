"""Bytes as one number: big-endian words of packed bits, and little-endian integers.

Packed bits are most significant first, so a big-endian word holds 64 of them as they lie on the wire. Compiled kernels
use the functions of words.pxd, where the C compiler turns each into one instruction.
"""

from typing import Any

__all__ = ["load_be64", "load_le16", "load_le32", "load_le64", "store_be64"]


def load_be64(buffer: Any, at: int) -> int:
    return int.from_bytes(buffer[at : at + 8], "big")


def store_be64(buffer: Any, at: int, word: int) -> None:
    buffer[at : at + 8] = word.to_bytes(8, "big")


def load_le16(buffer: Any, at: int) -> int:
    return int.from_bytes(buffer[at : at + 2], "little")


def load_le32(buffer: Any, at: int) -> int:
    return int.from_bytes(buffer[at : at + 4], "little")


def load_le64(buffer: Any, at: int) -> int:
    return int.from_bytes(buffer[at : at + 8], "little")
