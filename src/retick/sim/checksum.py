"""The two checksums: FNV-1a over fields for states, CRC-32 over bytes for files.

FNV-1a here takes one round for a whole field, not one for each byte: ``h = (h ^ field) * 16777619`` in 32 bits
from 2166136261, where a field is first truncated to 32 bits as C would (so negative ones are sign-extended).
"""

import zlib
from collections.abc import Iterable
from typing import Final

FNV_BASIS: Final = 2166136261
FNV_PRIME: Final = 16777619


def fnv1a(fields: Iterable[int]) -> int:
    """The checksum of a sequence of integer fields, one round each."""
    digest = FNV_BASIS
    for field in fields:
        digest = ((digest ^ (field & 0xFFFFFFFF)) * FNV_PRIME) & 0xFFFFFFFF
    return digest


def crc32(data: bytes, start: int = 0) -> int:
    """CRC-32 (IEEE 802.3, as in zip and PNG); ``start`` continues an earlier one."""
    return zlib.crc32(data, start)
