"""The report on a desync, as a value and in plain sentences.

A *frame* here names the state before that frame, as everywhere: states part at frame ``f`` when the step of frame
``f - 1`` gave different results, or was given different inputs.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from retick.rollback.desync.field_values import Value, encode_field

__all__ = [
    "DesyncReport",
    "FieldValues",
    "InputDifference",
    "InputRow",
    "Parting",
    "machines_text",
    "report_lines",
    "value_text",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Parting:
    """A frame at which machines that had agreed agree no longer."""

    frame: int
    groups: tuple[tuple[int, ...], ...]
    """Machines with equal states, the largest group first; among equals, the one with the lowest number."""
    checksums: tuple[int, ...]
    """One a group."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldValues:
    """A field on which machines do not agree."""

    name: str
    values: tuple[tuple[int, Value | None], ...]
    """Machine and value, by machine; None: the state there has no such field."""

    def by_value(self) -> list[tuple[Value | None, tuple[int, ...]]]:
        """Each value with the machines that hold it."""
        found: dict[bytes, tuple[Value | None, tuple[int, ...]]] = {}
        for machine, value in self.values:
            key = b"" if value is None else encode_field((self.name, value))
            found[key] = (value, (*found.get(key, (value, ()))[1], machine))
        return list(found.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class InputRow:
    """The inputs of one frame, as most machines confirmed them."""

    frame: int
    values: tuple[int, ...]
    """One a player."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputDifference:
    """An input that machines confirmed differently: then the game need not be at fault."""

    frame: int
    player: int
    values: tuple[tuple[int, int], ...]
    """Machine and input, by machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DesyncReport:
    """What the machines found out together."""

    machines: tuple[int, ...]
    """All of the match, ascending."""
    silent: tuple[int, ...]
    """Those that gave no evidence, or not all of it, in time."""
    alarm: int | None
    """The earliest frame for which some machine raised the alarm."""
    last_agreed: int | None
    """The newest frame known to be equal on all that show the difference."""
    first_differing: int | None
    """The first frame that differs; None: what the machines showed does not differ."""
    exact: bool
    """The frame before is known to agree, so that this one is truly the first."""
    partings: tuple[Parting, ...]
    """The first difference, and each later frame at which more machines parted."""
    fields: tuple[FieldValues, ...]
    """The fields that differ at ``first_differing``, in the game's order."""
    hidden: tuple[FieldValues, ...]
    """Fields that differ one frame earlier, where checksums are equal: no checksum covers them."""
    inputs: tuple[InputRow, ...]
    """The inputs around."""
    input_differences: tuple[InputDifference, ...]
    """Inputs around that were not the same everywhere."""
    left_out: tuple[tuple[int, int], ...]
    """Machine and number of fields, where a state had more than are sent."""

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """Who agrees with whom at the first differing frame."""
        return self.partings[0].groups if self.partings else ()

    @property
    def suggested_source(self) -> int | None:
        """Whose state to go on from, if the match is to go on: the lowest number in the largest group."""
        return self.groups[0][0] if self.groups else None

    def __str__(self) -> str:
        return "\n".join(report_lines(self))


def report_lines(report: DesyncReport) -> list[str]:
    """The report, a line for each thing it says."""
    if report.first_differing is None:
        return _no_difference(report)
    lines = [_headline(report)]
    lines += _groups(report)
    lines += [f"frame {report.first_differing}: {_field(field)}" for field in report.fields]
    if not report.fields:
        lines.append(f"frame {report.first_differing}: the fields that were shown are all equal")
    for machine, count in report.left_out:
        lines.append(f"{count} fields of machine {machine} were too many to show")
    for field in report.hidden:
        lines.append(f"frame {report.last_agreed}, where checksums are equal: {_field(field)}: no checksum covers it")
    lines += _inputs(report)
    return lines + _silence(report)


def _no_difference(report: DesyncReport) -> list[str]:
    lines = ["what the machines show of their states does not differ"]
    if report.alarm is not None:
        lines[0] += f", although an alarm was raised for frame {report.alarm}: some checksum that was sent was not true"
    if report.last_agreed is not None:
        lines.append(f"all that answered agree up to frame {report.last_agreed}")
    return lines + _silence(report)


def _headline(report: DesyncReport) -> str:
    if report.exact:
        agreed = "nothing before it" if report.last_agreed is None else f"last agreed at frame {report.last_agreed}"
        return f"the machines part at frame {report.first_differing}; {agreed}"
    known = "no earlier frame is known to agree"
    if report.last_agreed is not None:
        known = f"last known to agree at frame {report.last_agreed}"
    return f"the machines have parted at frame {report.first_differing} or before; {known}"


def _groups(report: DesyncReport) -> list[str]:
    lines = []
    for parting in report.partings:
        sides = (
            f"{machines_text(group)} {'have' if len(group) > 1 else 'has'} 0x{checksum:08X}"
            for group, checksum in zip(parting.groups, parting.checksums, strict=True)
        )
        lines.append(f"checksums at frame {parting.frame}: {', '.join(sides)}")
    return lines


def _field(field: FieldValues) -> str:
    sides = (f"{value_text(value)} at {machines_text(machines)}" for value, machines in field.by_value())
    return f"{field.name}: {', '.join(sides)}"


def _inputs(report: DesyncReport) -> list[str]:
    lines = [_input_difference(difference) for difference in report.input_differences]
    if report.inputs:
        lines.append("inputs, one for each player:")
    for row in report.inputs:
        mark = "  <- its step led there" if row.frame + 1 == report.first_differing else ""
        lines.append(f"  frame {row.frame}: {' '.join(f'0x{value:04X}' for value in row.values)}{mark}")
    return lines


def _input_difference(difference: InputDifference) -> str:
    found: dict[int, tuple[int, ...]] = {}
    for machine, value in difference.values:
        found[value] = (*found.get(value, ()), machine)
    sides = ", ".join(f"0x{value:04X} at {machines_text(machines)}" for value, machines in found.items())
    return f"frame {difference.frame}: player {difference.player} did not press the same everywhere: {sides}"


def _silence(report: DesyncReport) -> list[str]:
    return [f"{machines_text(report.silent)} did not show everything in time"] if report.silent else []


def value_text(value: Value | None) -> str:
    return "absent" if value is None else str(value)


def machines_text(machines: Sequence[int]) -> str:
    """Machines as a sentence names them."""
    if len(machines) == 1:
        return f"machine {machines[0]}"
    return f"machines {', '.join(map(str, machines[:-1]))} and {machines[-1]}"
