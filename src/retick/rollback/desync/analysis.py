"""From evidence to report: a pure function, so that equal evidence makes equal reports on every peer."""

from collections import Counter
from collections.abc import Mapping, Sequence

from retick.rollback.desync.evidence import Closeup, StateFields, Timeline
from retick.rollback.desync.report import DesyncReport, Divergence, FieldValues, InputDifference, InputRow
from retick.sim.fields import differing_fields

__all__ = ["Comparison", "first_divergence", "make_report"]

MAX_DIFFERENCES = 64
"""Fields in a report: after the first few, more of them explain nothing."""


class Comparison:
    """Timelines compared as they come: each costs as much as it is long, however many came before."""

    def __init__(self) -> None:
        self.first: int | None = None
        """The first frame that differs between any two peers that both show it."""
        self._shown: dict[int, int] = {}
        """Each frame's checksum, as the first peer showed it."""

    def add(self, line: Timeline) -> None:
        for frame, checksum in enumerate(line.checksums, line.first):
            differs = self._shown.setdefault(frame, checksum) != checksum
            if differs and (self.first is None or frame < self.first):
                self.first = frame


def first_divergence(timelines: Mapping[int, Timeline]) -> int | None:
    """The first frame that differs between any two peers that both show it."""
    compared = Comparison()
    for line in timelines.values():
        compared.add(line)
    return compared.first


def _frames(timelines: Mapping[int, Timeline]) -> list[int]:
    """Every frame that some peer shows; not those between two timelines, of which there may be very many."""
    return sorted({frame for line in timelines.values() for frame in range(line.first, line.end)})


def _checksums(timelines: Mapping[int, Timeline], frame: int) -> tuple[dict[int, int], set[int]]:
    shown = ((peer, timelines[peer].checksum_at(frame)) for peer in sorted(timelines))
    found = {peer: checksum for peer, checksum in shown if checksum is not None}
    return found, set(found.values())


def _divergences(timelines: Mapping[int, Timeline]) -> tuple[Divergence, ...]:
    """Each frame at which two peers differ that did not differ at an earlier frame."""
    apart: set[tuple[int, int]] = set()
    found: list[Divergence] = []
    for frame in _frames(timelines):
        sums, distinct = _checksums(timelines, frame)
        if len(distinct) < 2:
            continue
        now = {(a, b) for a in sums for b in sums if a < b and sums[a] != sums[b]}
        if not now <= apart:
            found.append(_divergence(frame, sums))
        apart |= now
    return tuple(found)


def _divergence(frame: int, sums: dict[int, int]) -> Divergence:
    groups: dict[int, tuple[int, ...]] = {}
    for peer, checksum in sums.items():
        groups[checksum] = (*groups.get(checksum, ()), peer)
    ordered = sorted(groups.items(), key=lambda group: (-len(group[1]), group[1]))
    return Divergence(
        frame=frame,
        groups=tuple(group for _, group in ordered),
        checksums=tuple(checksum for checksum, _ in ordered),
    )


def make_report(
    peers: Sequence[int], timelines: Mapping[int, Timeline], closeups: Mapping[int, Closeup]
) -> DesyncReport:
    """The report on what ``timelines`` and ``closeups``, each by peer id, show."""
    divergences = _divergences(timelines)
    first = divergences[0].frame if divergences else None
    shown = {p: closeups[p] for p in sorted(closeups) if first is not None and closeups[p].frame == first}
    last_agreed, exact = _agreement(timelines, first)
    alarms = [line.alarm for line in timelines.values() if line.alarm is not None]
    whole = timelines.keys() if first is None else timelines.keys() & shown.keys()
    states = {} if first is None else _states(shown, first)
    before = {} if first is None else _states(shown, first - 1)
    rows, differences = _inputs(shown)
    return DesyncReport(
        peers=tuple(sorted(peers)),
        silent=tuple(sorted(set(peers) - whole)),
        alarm=min(alarms, default=None),
        last_agreed=last_agreed,
        first_differing=first,
        exact=exact,
        divergences=divergences,
        fields=_field_differences(states),
        hidden=_field_differences(before) if exact else (),
        inputs=rows,
        input_differences=differences,
        left_out=tuple((p, state.total - len(state.fields)) for p, state in states.items() if _is_cut(state)),
    )


def _states(closeups: Mapping[int, Closeup], frame: int) -> dict[int, StateFields]:
    shown = ((peer, closeup.state(frame)) for peer, closeup in closeups.items())
    return {peer: state for peer, state in shown if state is not None}


def _is_cut(state: StateFields) -> bool:
    return state.total > len(state.fields)


def _agreement(timelines: Mapping[int, Timeline], first: int | None) -> tuple[int | None, bool]:
    """The newest frame that agrees, and whether it is the one directly before the first that differs."""
    if first is None:
        common = range(
            max((line.first for line in timelines.values()), default=0),
            min((line.end for line in timelines.values()), default=0),
        )
        return (common[-1] if common else None), False
    showing = [line for line in timelines.values() if line.checksum_at(first) is not None]
    if first == 0:
        return None, True
    if all(line.checksum_at(first - 1) is not None for line in showing):
        return first - 1, True
    claims = [line.last_agreed for line in showing if line.last_agreed is not None and line.last_agreed < first]
    agreed = min(claims) if len(claims) == len(showing) else None
    return agreed, agreed == first - 1


def _field_differences(states: Mapping[int, StateFields]) -> tuple[FieldValues, ...]:
    """The fields that are not the same on all peers; what a state that was cut does not show is unknown."""
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
    """The rows as most peers have them, on a draw as the lowest peer id has them; and what differs."""
    rows: dict[int, dict[int, tuple[int, ...]]] = {}
    for peer, closeup in closeups.items():
        for offset, row in enumerate(closeup.inputs):
            rows.setdefault(closeup.first_input + offset, {})[peer] = row
    agreed = []
    differences = []
    for frame, by_peer in sorted(rows.items()):
        agreed.append(InputRow(frame=frame, values=Counter(by_peer.values()).most_common(1)[0][0]))
        differences += _input_differences(frame, by_peer)
    return tuple(agreed), tuple(differences)


def _input_differences(frame: int, rows: Mapping[int, tuple[int, ...]]) -> list[InputDifference]:
    found = []
    for player in range(min(len(row) for row in rows.values())):
        values = tuple((peer, row[player]) for peer, row in rows.items())
        if len({value for _, value in values}) > 1:
            found.append(InputDifference(frame=frame, player=player, values=values))
    return found
