"""The kinds of numbers that a game declares: their bounds, how packets carry them, how finely others see them."""

# retick: floats -- binary32 values, and coarse copies for drawing

import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import isfinite, pi, remainder
from typing import Any, Final, TypeAlias

from retick.errors import UsageError
from retick.wire.binary32 import LARGEST, round32

__all__ = [
    "Angle",
    "Flag",
    "Kind",
    "Real",
    "Whole",
    "check_declared",
    "clamp",
    "code_of",
    "fits",
    "is_public",
    "quantise",
    "span_of",
    "unquantise",
]

_F32: Final = struct.Struct("<f")
_PI32: Final = round32(pi)
"""A little more than pi: the binary32 number next to it."""


@dataclass(frozen=True, slots=True)
class Real:
    """A binary32 number within bounds."""

    lowest: float
    highest: float
    steps: int = 0
    """Steps in one unit, as other players see it; 0 hides it from them."""
    keep: bool = False
    """In a command: keeps its value in ticks that run without a command, as the direction of a look does."""

    def problem(self) -> str | None:
        """What is wrong with the declaration, in words."""
        if not -LARGEST <= self.lowest < self.highest <= LARGEST:
            return f"bounds must ascend and be binary32 numbers, not {self.lowest} to {self.highest}"
        return _steps_problem(self.steps)


@dataclass(frozen=True, slots=True)
class Angle:
    """A direction in radians, as binary32: from -pi to pi. Any other number is brought there by whole turns."""

    steps: int = 0
    """Steps in one radian, as other players see it; 0 hides it from them."""
    keep: bool = False
    """In a command: keeps its value in ticks that run without a command."""

    def problem(self) -> str | None:
        """What is wrong with the declaration, in words."""
        return _steps_problem(self.steps)


@dataclass(frozen=True, slots=True)
class Whole:
    """An integer within bounds."""

    lowest: int
    highest: int
    public: bool = False
    """Whether other players see it."""

    def problem(self) -> str | None:
        """What is wrong with the declaration, in words."""
        if not -(1 << 31) <= self.lowest < self.highest < 1 << 32:
            return f"bounds must ascend and fit 32 bits, not {self.lowest} to {self.highest}"
        if self.lowest < 0 and self.highest >= 1 << 31:
            return f"bounds must fit 32 bits with a sign or without one, not {self.lowest} to {self.highest}"
        return None


@dataclass(frozen=True, slots=True)
class Flag:
    """Yes or no."""

    public: bool = False
    """Whether other players see it."""
    press: bool = False
    """In a command: true in one command for each key-down, and never repeated by the server."""

    def problem(self) -> str | None:
        """What is wrong with the declaration: nothing can be."""
        return None


Kind: TypeAlias = Real | Angle | Whole | Flag


def _steps_problem(steps: int) -> str | None:
    return None if isinstance(steps, int) and steps >= 0 else f"steps must be 0 or a whole number above, not {steps}"


def check_declared(what: str, names: Iterable[str], declared: Mapping[str, Any]) -> None:
    """A UsageError that names the field, unless each field of the state or command is declared, in order and right."""
    expected = list(names)
    for name, kind in declared.items():
        if name not in expected:
            raise UsageError(
                f"declare every field of the {what}: {name!r} is declared, and the {what} has no such field"
            )
        if not isinstance(kind, Kind):
            raise UsageError(f"field {name!r} of the {what} must be a Real, Angle, Whole or Flag, not {kind!r}")
        problem = kind.problem()
        if problem is not None:
            raise UsageError(f"field {name!r} of the {what}: {problem}")
    for name in expected:
        if name not in declared:
            raise UsageError(f"declare every field of the {what}: {name!r} is missing")
    for name, found in zip(expected, declared, strict=True):
        if name != found:
            raise UsageError(f"declare every field of the {what} in its order: {name!r} comes before {found!r}")


def is_public(kind: Kind) -> bool:
    """Whether other players see it."""
    return kind.steps > 0 if isinstance(kind, (Real, Angle)) else kind.public


def code_of(kind: Kind) -> str:
    """Its ``struct`` code."""
    if isinstance(kind, (Real, Angle)):
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
    if isinstance(kind, Angle):
        return round32(value if -_PI32 <= value <= _PI32 else remainder(value, 2 * pi))
    return round32(max(kind.lowest, min(kind.highest, value)))


def fits(kind: Kind, value: float) -> bool:
    """Whether the value can be used: a Real or Angle must be finite. One out of bounds is brought there, so it fits."""
    return not isinstance(kind, (Real, Angle)) or isfinite(value)


def _bounds(kind: Real | Angle) -> tuple[float, float]:
    return (-pi, pi) if isinstance(kind, Angle) else (kind.lowest, kind.highest)


def span_of(name: str, kind: Kind, *, exact: bool) -> tuple[str, int, int]:
    """Name, lowest and highest of the whole number that stands for it in a row."""
    if isinstance(kind, Flag):
        return name, 0, 1
    if isinstance(kind, Whole):
        return name, kind.lowest, kind.highest
    if exact:
        return name, 0, 0xFFFFFFFF
    lowest, highest = _bounds(kind)
    return name, round(lowest * kind.steps), round(highest * kind.steps)


def quantise(kind: Kind, value: float, *, exact: bool) -> int:
    """The whole number that stands for the value in a row: of a Real its bits if ``exact``, else its steps."""
    if isinstance(kind, (Real, Angle)):
        if exact:
            return int.from_bytes(_F32.pack(value), "little")
        lowest, highest = _bounds(kind)
        # A bound rounded to binary32 may lie outside the bound as declared, and be one step more than the field has.
        steps: int = round(max(lowest, min(highest, value)) * kind.steps)
        return steps
    return int(value)


def unquantise(kind: Kind, number: int, *, exact: bool) -> float:
    """The value for which the number stands."""
    if isinstance(kind, Flag):
        return bool(number)
    if isinstance(kind, Whole):
        return number
    return _F32.unpack(number.to_bytes(4, "little"))[0] if exact else number / kind.steps
