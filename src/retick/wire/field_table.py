"""Tables of fields: the name, the size and the meaning of what stands in a packet, in order.

The explainers of this project read packets with them, and the dissector for Wireshark is written from the same ones.
"""

import struct
from collections.abc import Callable
from typing import Any, Final, NamedTuple

__all__ = ["SIZED", "TEXT", "FieldSpec"]

TEXT: Final = "text"
"""UTF-8, as many bytes as the number before it says."""
SIZED: Final = "sized"
"""Bytes, as many as the number before them says."""


class FieldSpec(NamedTuple):
    """One field; numbers are little-endian."""

    name: str
    code: str
    """Of ``struct`` for one value: B, H, I, Q, b, h, i, f, or bytes such as 8s. Or TEXT or SIZED."""
    meaning: str | Callable[[Any], str] = ""
    form: str = "{}"
    """How a number is shown, as ``str.format`` takes it."""

    @property
    def size(self) -> int | None:
        """Bytes; None where the number before it says."""
        return None if self.code in (TEXT, SIZED) else struct.calcsize("<" + self.code)

    @property
    def is_number(self) -> bool:
        """Neither bytes nor text."""
        return self.code not in (TEXT, SIZED) and not self.code.endswith("s")
