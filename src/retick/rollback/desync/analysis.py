"""From evidence to report: a pure function, so that equal evidence makes equal reports on every machine."""

from collections import Counter
from collections.abc import Mapping, Sequence

from retick.rollback.desync.evidence import Closeup, StateFields, Timeline
from retick.rollback.desync.report import DesyncReport, FieldValues, InputDifference, InputRow, Parting
from retick.sim.fields import differing_fields

__all__ = ["first_parting", "make_report"]

MAX_DIFFERENCES = 64
"""Fields in a report: after the first few, more of them explain nothing."""


def first_parting(timelines: Mapping[int, Timeline]) -> int | None:
    """The first frame that differs between any two machines that both show it."""
    for frame in _frames(timelines):
        if len(_checksums(timelines, frame)[1]) > 1:
            return frame
    return None


def _frames(timelines: Mapping[int, Timeline]) -> list[int]:
    """Every frame that some machine shows: no gap between two of them is walked through."""
    return sorted({frame for line in timelines.values() for frame in range(line.first, line.end)})


def _checksums(timelines: Mapping[int, Timeline], frame: int) -> tuple[dict[int, int], set[int]]:
    shown = ((machine, timelines[machine].checksum_at(frame)) for machine in sorted(timelines))
    found = {machine: checksum for machine, checksum in shown if checksum is not None}
    return found, set(found.values())


def _partings(timelines: Mapping[int, Timeline]) -> tuple[Parting, ...]:
    """Each frame at which two machines part that no earlier frame had parted."""
    apart: set[tuple[int, int]] = set()
    found: list[Parting] = []
    for frame in _frames(timelines):
        sums, distinct = _checksums(timelines, frame)
        if len(distinct) < 2:
            continue
        now = {(a, b) for a in sums for b in sums if a < b and sums[a] != sums[b]}
        if not now <= apart:
            found.append(_parting(frame, sums))
        apart |= now
    return tuple(found)


def _parting(frame: int, sums: dict[int, int]) -> Parting:
    groups: dict[int, tuple[int, ...]] = {}
    for machine, checksum in sums.items():
        groups[checksum] = (*groups.get(checksum, ()), machine)
    ordered = sorted(groups.items(), key=lambda group: (-len(group[1]), group[1]))
    return Parting(
        frame=frame,
        groups=tuple(group for _, group in ordered),
        checksums=tuple(checksum for checksum, _ in ordered),
    )


def make_report(
    machines: Sequence[int], timelines: Mapping[int, Timeline], closeups: Mapping[int, Closeup]
) -> DesyncReport:
    """The report on what ``timelines`` and ``closeups``, each by machine, show."""
    partings = _partings(timelines)
    first = partings[0].frame if partings else None
    shown = {m: closeups[m] for m in sorted(closeups) if first is not None and closeups[m].frame == first}
    last_agreed, exact = _agreement(timelines, first)
    alarms = [line.alarm for line in timelines.values() if line.alarm is not None]
    whole = timelines.keys() if first is None else timelines.keys() & shown.keys()
    states = {} if first is None else _states(shown, first)
    before = {} if first is None else _states(shown, first - 1)
    rows, differences = _inputs(shown)
    return DesyncReport(
        machines=tuple(sorted(machines)),
        silent=tuple(sorted(set(machines) - whole)),
        alarm=min(alarms, default=None),
        last_agreed=last_agreed,
        first_differing=first,
        exact=exact,
        partings=partings,
        fields=_field_differences(states),
        hidden=_field_differences(before) if exact else (),
        inputs=rows,
        input_differences=differences,
        left_out=tuple((m, state.total - len(state.fields)) for m, state in states.items() if _is_cut(state)),
    )


def _states(closeups: Mapping[int, Closeup], frame: int) -> dict[int, StateFields]:
    shown = ((machine, closeup.state(frame)) for machine, closeup in closeups.items())
    return {machine: state for machine, state in shown if state is not None}


def _is_cut(state: StateFields) -> bool:
    return state.total > len(state.fields)


def _agreement(timelines: Mapping[int, Timeline], first: int | None) -> tuple[int | None, bool]:
    """The newest frame that agrees, and whether it is the one right before the first that differs."""
    if first is None:
        common = range(
            max((line.first for line in timelines.values()), default=0),
            min((line.end for line in timelines.values()), default=0),
        )
        return (common[-1] if common else None), False
    parties = [line for line in timelines.values() if line.checksum_at(first) is not None]
    if first == 0:
        return None, True
    if all(line.checksum_at(first - 1) is not None for line in parties):
        return first - 1, True
    claims = [line.last_agreed for line in parties if line.last_agreed is not None and line.last_agreed < first]
    agreed = min(claims) if len(claims) == len(parties) else None
    return agreed, agreed == first - 1


def _field_differences(states: Mapping[int, StateFields]) -> tuple[FieldValues, ...]:
    """The fields that are not the same on all; where a state was cut, a missing field says nothing."""
    values = {peer: dict(state.fields) for peer, state in states.items()}
    cut = {peer for peer, state in states.items() if _is_cut(state)}
    incomplete = [index for index, peer in enumerate(values) if peer in cut]
    names = differing_fields(tuple(values.values()), incomplete)[:MAX_DIFFERENCES]
    return tuple(
        FieldValues(
            name=name,
            values=tuple(
                (peer, fields.get(name)) for peer, fields in values.items() if name in fields or peer not in cut
            ),
        )
        for name in names
    )


def _inputs(closeups: Mapping[int, Closeup]) -> tuple[tuple[InputRow, ...], tuple[InputDifference, ...]]:
    """The rows as most machines have them, the lowest number deciding a draw; and what differs."""
    rows: dict[int, dict[int, tuple[int, ...]]] = {}
    for machine, closeup in closeups.items():
        for offset, row in enumerate(closeup.inputs):
            rows.setdefault(closeup.first_input + offset, {})[machine] = row
    agreed = []
    differences = []
    for frame, by_machine in sorted(rows.items()):
        agreed.append(InputRow(frame=frame, values=Counter(by_machine.values()).most_common(1)[0][0]))
        differences += _input_differences(frame, by_machine)
    return tuple(agreed), tuple(differences)


def _input_differences(frame: int, rows: Mapping[int, tuple[int, ...]]) -> list[InputDifference]:
    found = []
    for player in range(min(len(row) for row in rows.values())):
        values = tuple((machine, row[player]) for machine, row in rows.items())
        if len({value for _, value in values}) > 1:
            found.append(InputDifference(frame=frame, player=player, values=values))
    return found
