"""The report on a desync, as a value and as plain sentences.

A *frame* stands for the state before that frame, as everywhere: states diverge at frame ``f`` if the step of frame
``f - 1`` gave different results, or got different inputs. Peers are named by their peer ids.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from retick.rollback.desync.equivocation import EquivocationProof
from retick.rollback.desync.field_values import Value, encode_field


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """A frame at which peers differ that did not differ before."""

    frame: int
    """The frame."""
    groups: tuple[tuple[int, ...], ...]
    """Peers with equal states, the largest group first; of equally large groups, the one with the lowest peer id."""
    checksums: tuple[int, ...]
    """The checksum of each group's state."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldValues:
    """A field that differs between peers."""

    name: str
    """The name of the field, as the game calls it."""
    values: tuple[tuple[int, Value | None], ...]
    """Pairs of peer id and value, by peer id; None if the peer's state does not have the field."""

    def by_value(self) -> list[tuple[Value | None, tuple[int, ...]]]:
        """Each value with the peers that have it."""
        found: dict[bytes, tuple[Value | None, tuple[int, ...]]] = {}
        for peer, value in self.values:
            key = b"" if value is None else encode_field((self.name, value))
            found[key] = (value, (*found.get(key, (value, ()))[1], peer))
        return list(found.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class InputRow:
    """The inputs of one frame, as most peers confirmed them."""

    frame: int
    """The frame."""
    values: tuple[int, ...]
    """One input per player."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InputDifference:
    """An input that peers confirmed differently: then the game itself may be correct."""

    frame: int
    """The frame."""
    player: int
    """The seat."""
    values: tuple[tuple[int, int], ...]
    """Pairs of peer id and input, by peer id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DesyncReport:
    """What the peers found out together."""

    peers: tuple[int, ...]
    """All peer ids, ascending."""
    silent: tuple[int, ...]
    """The peers whose evidence did not come completely or in time."""
    alarm: int | None
    """The earliest frame for which some peer raised the alarm; None if no peer names one."""
    last_agreed: int | None
    """The newest frame known to be equal on all peers that show the difference."""
    first_differing: int | None
    """The first frame that differs; None if nothing shown differs: then the alarm was false."""
    exact: bool
    """Whether the frame before is known to agree, so that this one is certainly the first."""
    divergences: tuple[Divergence, ...]
    """The first difference, and each later frame at which further peers diverged."""
    fields: tuple[FieldValues, ...]
    """The fields that differ at ``first_differing``, in the game's order."""
    hidden: tuple[FieldValues, ...]
    """Fields that differ one frame earlier, although the checksums are equal: the checksum does not cover them."""
    inputs: tuple[InputRow, ...]
    """The inputs of the surrounding frames."""
    input_differences: tuple[InputDifference, ...]
    """The inputs that were not equal on all peers."""
    left_out: tuple[tuple[int, int], ...]
    """Peer id and number of omitted fields, for states with more than can be sent."""
    proofs: tuple[EquivocationProof, ...] = ()
    """Proofs so far that a peer told others different inputs: see ``EquivocationProved``."""

    @property
    def groups(self) -> tuple[tuple[int, ...], ...]:
        """The peers with equal states at the first differing frame, largest group first."""
        return self.divergences[0].groups if self.divergences else ()

    @property
    def suggested_source(self) -> int | None:
        """The peer whose state to continue from, if the match should go on: the lowest id in the largest group."""
        return self.groups[0][0] if self.groups else None

    def __str__(self) -> str:
        return "\n".join(report_lines(self))


def report_lines(report: DesyncReport) -> list[str]:
    """The report as lines of text."""
    proofs = [f"proved by two signatures: {proof}" for proof in report.proofs]
    if report.first_differing is None:
        return _no_difference(report) + proofs
    lines = [_headline(report), *proofs]
    lines += _groups(report)
    lines += [f"frame {report.first_differing}: {_field(field)}" for field in report.fields]
    if not report.fields:
        lines.append(f"frame {report.first_differing}: the fields that were shown are all equal")
    for peer, count in report.left_out:
        lines.append(f"{count} fields of peer {peer} were too many to show")
    for field in report.hidden:
        where = f"frame {report.last_agreed}, where checksums are equal"
        lines.append(f"{where}: {_field(field)}: the checksum does not cover it")
    lines += _inputs(report)
    return lines + _silence(report)


def _no_difference(report: DesyncReport) -> list[str]:
    lines = ["nothing that the peers show of their states differs"]
    if report.alarm is not None:
        lines[0] += f", although an alarm was raised for frame {report.alarm}: a checksum that was sent was not true"
    if report.last_agreed is not None:
        lines.append(f"all that answered agree up to frame {report.last_agreed}")
    return lines + _silence(report)


def _headline(report: DesyncReport) -> str:
    if report.exact:
        agreed = "nothing before it" if report.last_agreed is None else f"last agreed at frame {report.last_agreed}"
        return f"the peers diverge at frame {report.first_differing}; {agreed}"
    known = "no earlier frame is known to agree"
    if report.last_agreed is not None:
        known = f"last known to agree at frame {report.last_agreed}"
    return f"the peers diverged at frame {report.first_differing} or before; {known}"


def _groups(report: DesyncReport) -> list[str]:
    lines = []
    for divergence in report.divergences:
        sides = (
            f"{peers_text(group)} {'have' if len(group) > 1 else 'has'} 0x{checksum:08X}"
            for group, checksum in zip(divergence.groups, divergence.checksums, strict=True)
        )
        lines.append(f"checksums at frame {divergence.frame}: {', '.join(sides)}")
    return lines


def _field(field: FieldValues) -> str:
    sides = (f"{value_text(value)} at {peers_text(peers)}" for value, peers in field.by_value())
    return f"{field.name}: {', '.join(sides)}"


def _inputs(report: DesyncReport) -> list[str]:
    lines = [_input_difference(difference) for difference in report.input_differences]
    if report.inputs:
        lines.append("inputs, one for each player:")
    for row in report.inputs:
        mark = "  <- its step led to the difference" if row.frame + 1 == report.first_differing else ""
        lines.append(f"  frame {row.frame}: {' '.join(f'0x{value:04X}' for value in row.values)}{mark}")
    return lines


def _input_difference(difference: InputDifference) -> str:
    found: dict[int, tuple[int, ...]] = {}
    for peer, value in difference.values:
        found[value] = (*found.get(value, ()), peer)
    sides = ", ".join(f"0x{value:04X} at {peers_text(peers)}" for value, peers in found.items())
    return f"frame {difference.frame}: player {difference.player} did not press the same on all peers: {sides}"


def _silence(report: DesyncReport) -> list[str]:
    return [f"{peers_text(report.silent)} did not show everything in time"] if report.silent else []


def value_text(value: Value | None) -> str:
    return "absent" if value is None else str(value)


def peers_text(peers: Sequence[int]) -> str:
    """Name peers in a sentence."""
    if len(peers) == 1:
        return f"peer {peers[0]}"
    return f"peers {', '.join(map(str, peers[:-1]))} and {peers[-1]}"
