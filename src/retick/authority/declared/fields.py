"""The kinds of numbers that a game declares: their bounds, how packets carry them, how finely others see them."""

# retick: floats -- binary32 values, and coarse copies for drawing

import struct
from dataclasses import dataclass
from math import isfinite
from typing import Final, TypeAlias

from retick.errors import UsageError
from retick.wire.binary32 import LARGEST, round32

__all__ = ["Flag", "Kind", "Real", "Whole", "clamp", "code_of", "fits", "quantise", "span_of", "unquantise"]

_F32: Final = struct.Struct("<f")


@dataclass(frozen=True, slots=True)
class Real:
    """A binary32 number within bounds."""

    lowest: float
    highest: float
    steps: int = 0
    """Steps in one unit, as other players see it; 0 hides it from them."""
    keep: bool = False
    """In a command: keeps its value in ticks that run without a command, as the direction of a look does."""

    def __post_init__(self) -> None:
        if not -LARGEST <= self.lowest < self.highest <= LARGEST:
            raise UsageError(f"bounds must ascend and be binary32 numbers, not {self.lowest} to {self.highest}")


@dataclass(frozen=True, slots=True)
class Whole:
    """An integer within bounds."""

    lowest: int
    highest: int
    public: bool = False
    """Whether other players see it."""

    def __post_init__(self) -> None:
        if not -(1 << 31) <= self.lowest < self.highest < 1 << 32:
            raise UsageError(f"bounds must ascend and fit 32 bits, not {self.lowest} to {self.highest}")
        if self.lowest < 0 and self.highest >= 1 << 31:
            raise UsageError(f"bounds must fit 32 bits with a sign or without one, not {self.lowest} to {self.highest}")


@dataclass(frozen=True, slots=True)
class Flag:
    """Yes or no."""

    public: bool = False
    """Whether other players see it."""
    press: bool = False
    """In a command: true in one command for each key-down, and never repeated by the server."""


Kind: TypeAlias = Real | Whole | Flag


def code_of(kind: Kind) -> str:
    """Its ``struct`` code."""
    if isinstance(kind, Real):
        return "f"
    if isinstance(kind, Flag):
        return "B"
    return "i" if kind.lowest < 0 else "I"


def clamp(kind: Kind, value: float) -> float:
    """The value within bounds, as packets carry it. Clamping it again changes nothing."""
    if isinstance(kind, Flag):
        return bool(value)
    if isinstance(kind, Whole):
        return max(kind.lowest, min(kind.highest, int(value)))
    if not isfinite(value):
        value = 0.0
    return round32(max(kind.lowest, min(kind.highest, value)))


def fits(kind: Kind, value: float) -> bool:
    """Whether the value can be used: a Real must be finite. A value out of bounds can be clamped, so it fits."""
    return not isinstance(kind, Real) or isfinite(value)


def span_of(name: str, kind: Kind, *, exact: bool) -> tuple[str, int, int]:
    """Name, lowest and highest of the whole number that stands for it in a row."""
    if isinstance(kind, Flag):
        return name, 0, 1
    if isinstance(kind, Whole):
        return name, kind.lowest, kind.highest
    if exact:
        return name, 0, 0xFFFFFFFF
    return name, round(kind.lowest * kind.steps), round(kind.highest * kind.steps)


def quantise(kind: Kind, value: float, *, exact: bool) -> int:
    """The whole number that stands for the value in a row: of a Real its bits if ``exact``, else its steps."""
    if isinstance(kind, Real):
        if exact:
            return int.from_bytes(_F32.pack(value), "little")
        # A bound rounded to binary32 may lie outside the bound as declared, and be one step more than the field has.
        steps: int = round(max(kind.lowest, min(kind.highest, value)) * kind.steps)
        return steps
    return int(value)


def unquantise(kind: Kind, number: int, *, exact: bool) -> float:
    """The value for which the number stands."""
    if isinstance(kind, Flag):
        return bool(number)
    if isinstance(kind, Whole):
        return number
    return _F32.unpack(number.to_bytes(4, "little"))[0] if exact else number / kind.steps
