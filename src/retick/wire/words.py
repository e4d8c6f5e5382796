"""Eight bytes as one 64-bit word, most significant byte first.

Packed bits are MSB first, so a word read or written in this order holds 64 of them as they lie on the wire. The
kernels take the same two functions from words.pxd, where the C compiler turns each into one instruction.
"""

from typing import Any

__all__ = ["load_be64", "store_be64"]


def load_be64(buffer: Any, at: int) -> int:
    return int.from_bytes(buffer[at : at + 8], "big")


def store_be64(buffer: Any, at: int, word: int) -> None:
    buffer[at : at + 8] = word.to_bytes(8, "big")
