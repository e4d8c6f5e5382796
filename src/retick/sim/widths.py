"""The widths that a field of a record can have: I8 to U64."""

from dataclasses import dataclass
from typing import Annotated

from retick.errors import SchemaError

__all__ = ["I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64", "Width"]


@dataclass(frozen=True, slots=True)
class Width:
    """The width of an integer field, and whether it has a sign."""

    bits: int
    signed: bool

    def __post_init__(self) -> None:
        if self.bits not in _CODES:
            raise SchemaError(f"a field is 8, 16, 32 or 64 bits wide, not {self.bits}")

    @property
    def least(self) -> int:
        return -(1 << (self.bits - 1)) if self.signed else 0

    @property
    def greatest(self) -> int:
        return (1 << (self.bits - self.signed)) - 1

    @property
    def name(self) -> str:
        return f"{'i' if self.signed else 'u'}{self.bits}"

    @property
    def code(self) -> str:
        """The letter of the same layout in the struct module."""
        letter = _CODES[self.bits]
        return letter if self.signed else letter.upper()


_CODES = {8: "b", 16: "h", 32: "i", 64: "q"}

I8 = Annotated[int, Width(8, signed=True)]
U8 = Annotated[int, Width(8, signed=False)]
I16 = Annotated[int, Width(16, signed=True)]
U16 = Annotated[int, Width(16, signed=False)]
I32 = Annotated[int, Width(32, signed=True)]
U32 = Annotated[int, Width(32, signed=False)]
I64 = Annotated[int, Width(64, signed=True)]
U64 = Annotated[int, Width(64, signed=False)]
