"""After an alarm: peers show each other what they have, and each makes the same report. No I/O, no clock.

Theory of operation. The match soon overwrites its history, so an investigation first keeps the final states from the
last agreed frame up to now. Two rounds follow, each with one message from every peer to every other. First they show
their checksums frame by frame (a timeline). When all have come, or half of the time is over, every peer finds the same
first frame that differs. Then they show that frame's fields, those of the frame before, and the inputs around (a
close-up). Evidence that comes late but in time is still used: if it moves the first difference, the second round is
repeated for that frame, a few times at most.

A peer that receives an alarm for a frame it has not reached waits for it: ``observe`` keeps what becomes final.
Messages that are not evidence, or too many of them, are refused and counted.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from retick.errors import DecodeError, HistoryEvicted
from retick.rollback.desync.evidence import (
    CLOSEUP,
    MAX_CHECKSUMS,
    TIMELINE,
    Assembler,
    Closeup,
    StateFields,
    Timeline,
    decode_closeup,
    decode_timeline,
    encode_closeup,
    encode_timeline,
    select_fields,
    split_into_messages,
)
from retick.rollback.desync.field_values import portable_fields
from retick.rollback.desync.report import DesyncReport, Divergence, FieldValues, InputDifference, InputRow
from retick.rollback.engine.engine import RollbackEngine
from retick.sim.fields import differing_fields

# Makes the report from evidence: a pure function, so that equal evidence gives equal reports on every peer.

MAX_DIFFERENCES = 64
"""The most fields in a report: after the first few, more of them explain nothing."""


class EvidenceComparison:
    """Compares timelines as they come: each costs only its own length, however many came before."""

    def __init__(self) -> None:
        self.first: int | None = None
        """The first frame that differs between any two peers that both show it."""
        self._shown: dict[int, int] = {}
        """The checksum of each frame, as the first peer showed it."""

    def add(self, line: Timeline) -> None:
        for frame, checksum in enumerate(line.checksums, line.first):
            differs = self._shown.setdefault(frame, checksum) != checksum
            if differs and (self.first is None or frame < self.first):
                self.first = frame


def first_divergence(timelines: Mapping[int, Timeline]) -> int | None:
    """The first frame that differs between any two peers that both show it."""
    compared = EvidenceComparison()
    for line in timelines.values():
        compared.add(line)
    return compared.first


def _frames(timelines: Mapping[int, Timeline]) -> list[int]:
    """Every frame that some peer shows; excludes gaps between timelines, which may be very long."""
    return sorted({frame for line in timelines.values() for frame in range(line.first, line.end)})


def _checksums(timelines: Mapping[int, Timeline], frame: int) -> tuple[dict[int, int], set[int]]:
    shown = ((peer, timelines[peer].checksum_at(frame)) for peer in sorted(timelines))
    found = {peer: checksum for peer, checksum in shown if checksum is not None}
    return found, set(found.values())


def _divergences(timelines: Mapping[int, Timeline]) -> tuple[Divergence, ...]:
    """Each frame at which two peers differ that agreed at every earlier frame."""
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
    """The report on ``timelines`` and ``closeups``, which are by peer id."""
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
    """The newest frame that agrees, and whether it directly precedes the first that differs."""
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
    """The fields that are not equal on all peers; fields missing from a cut state are unknown."""
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
    """The rows as most peers have them, on a tie as the lowest peer id has them; and the differences."""
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


INPUTS_BEFORE, INPUTS_AFTER = 8, 4
"""Rows of inputs shown around the first frame that differs."""
MAX_CLOSEUPS = 4
"""The most close-ups received from one peer and made here, and so how often late evidence may move the difference."""
NEWEST_UNASKED = 600
"""How many frames past the initial local frontier others may show, if the present frontier is not given."""


class HeldEvidence:
    """The final states that an investigation keeps, with their checksums and inputs."""

    def __init__(
        self, engine: RollbackEngine, sim: Any, last_agreed: int, remembered: dict[int, int] | None = None
    ) -> None:
        """``remembered`` has the checksums of final states by frame; newly computed ones are added to it."""
        final = engine.final_state_frame
        self.first = max(last_agreed, final - MAX_CHECKSUMS + 1, 0)
        self.states: list[Any] = []
        self.checksums: list[int] = []
        self.inputs: dict[int, tuple[int, ...]] = {}
        self._sim = sim
        self._remembered = {} if remembered is None else remembered
        for frame in range(self.first - INPUTS_BEFORE, self.first):
            self._keep_inputs(engine, frame)
        self.extend(engine)

    @property
    def end(self) -> int:
        """The frame after the last kept one."""
        return self.first + len(self.states)

    def extend(self, engine: RollbackEngine) -> None:
        """Keep the states that have become final since."""
        for frame in range(self.end, min(engine.final_state_frame + 1, self.first + MAX_CHECKSUMS)):
            try:
                state = engine.state_at(frame)
            except HistoryEvicted:
                # Older than history reaches. After the first state, a gap would be worse than an early end.
                if self.states:
                    return
                self.first = frame + 1
                continue
            self.states.append(state)
            self.checksums.append(self._checksum(frame, state))
            self._keep_inputs(engine, frame - 1)

    def _checksum(self, frame: int, state: Any) -> int:
        if frame not in self._remembered:
            self._remembered[frame] = self._sim.checksum(state) & 0xFFFFFFFF
        return self._remembered[frame]

    def _keep_inputs(self, engine: RollbackEngine, frame: int) -> None:
        try:
            self.inputs[frame] = engine.inputs_at(frame)
        except HistoryEvicted:
            return

    def state_at(self, frame: int) -> Any:
        """The state before ``frame``; None if it was not kept."""
        return self.states[frame - self.first] if self.first <= frame < self.end else None

    def fields_at(self, frame: int) -> StateFields | None:
        state = self.state_at(frame)
        return None if state is None else select_fields(frame, portable_fields(self._sim.fields(state)))

    def rows(self, first: int, end: int) -> tuple[int, tuple[tuple[int, ...], ...]]:
        """The frame of the first kept row, and the inputs from there on without a gap."""
        start = next((frame for frame in range(first, end) if frame in self.inputs), first)
        rows: list[tuple[int, ...]] = []
        for frame in range(start, end):
            if frame not in self.inputs:
                break
            rows.append(self.inputs[frame])
        return max(start, 0), tuple(rows)


class Investigation:
    """One peer's side of an investigation."""

    def __init__(
        self,
        engine: RollbackEngine,
        sim: Any,
        peer_id: int,
        peers: Iterable[int],
        frame: int | None,
        last_agreed: int,
        now: float,
        *,
        patience: float = 8.0,
        remembered: dict[int, int] | None = None,
    ) -> None:
        """Start by keeping the evidence.

        ``peers`` are all peer ids, including this peer's ``peer_id``. ``frame`` and ``last_agreed`` are those of the
        alarm (DesyncDetected); if a peer's evidence came first, its frame (``evidence.alarm_in``) and -1. ``patience``:
        how many seconds the others have. ``remembered``: checksums of this match's final states, by frame, computed by
        earlier investigations; new ones are added to it.
        """
        self.peer_id = peer_id
        self.peers = tuple(sorted({*peers, peer_id}))
        self.held = HeldEvidence(engine, sim, last_agreed, remembered)
        self.refused: Counter[int] = Counter()
        """How many messages were refused as evidence, by the sender's peer id."""
        self.report: DesyncReport | None = None
        self._alarm_frame = frame
        self._last_agreed = last_agreed if last_agreed >= 0 else None
        self._frontier = engine.local_frontier + NEWEST_UNASKED
        self._half = now + patience / 2
        self._end = now + patience
        self._past_half = False
        self._gone: set[int] = set()
        self._outgoing: list[bytes] = []
        self._assemblers = {peer_id: Assembler() for peer_id in self.peers}
        self._timelines: dict[int, Timeline] = {}
        self._compared = EvidenceComparison()
        self._closeups: dict[int, dict[int, Closeup]] = {peer_id: {} for peer_id in self.peers}
        self._go_on()

    @property
    def finished(self) -> bool:
        return self.report is not None

    def messages(self) -> list[bytes]:
        """The messages to send now, reliably, to every other peer; each has at most 57 KiB."""
        drained, self._outgoing = self._outgoing, []
        return drained

    def observe(self, engine: RollbackEngine) -> None:
        """Keep frames of interest that have become final; call it after each advance."""
        if not self.finished and self.peer_id not in self._timelines:
            self.held.extend(engine)
            self._go_on()

    def receive(self, peer_id: int, data: bytes, now: float, *, frontier: int | None = None) -> bool:
        """Receive a message from another peer; returns False if it was refused, which costs only reading it.

        ``frontier`` is the engine's present ``local_frontier``: no peer can have final states beyond it.
        """
        accepted = not self.finished and peer_id in self._assemblers and peer_id != self.peer_id
        try:
            accepted = accepted and self._receive(peer_id, data, self._frontier if frontier is None else frontier)
        except DecodeError:
            accepted = False
        if accepted:
            self.handle_timeout(now)
        else:
            self.refused[peer_id] += 1
        return accepted

    def _receive(self, peer_id: int, data: bytes, frontier: int) -> bool:
        whole = self._assemblers[peer_id].receive(data)
        if whole is None:
            return True
        kind, body = whole
        if kind == TIMELINE:
            return self._receive_timeline(peer_id, decode_timeline(body), frontier)
        return self._receive_closeup(peer_id, decode_closeup(body))

    def _receive_timeline(self, peer_id: int, line: Timeline, frontier: int) -> bool:
        """Accept one timeline from each peer, in its own name, of states that it can have."""
        if line.peer_id != peer_id or peer_id in self._timelines or line.end > frontier + 1:
            return False
        self._add_timeline(peer_id, line)
        return True

    def _add_timeline(self, peer_id: int, line: Timeline) -> None:
        self._timelines[peer_id] = line
        self._compared.add(line)

    def _receive_closeup(self, peer_id: int, closeup: Closeup) -> bool:
        """Accept a few close-ups from each peer, in its own name, of a frame whose checksum is in its timeline."""
        known, line = self._closeups[peer_id], self._timelines.get(peer_id)
        if closeup.peer_id != peer_id or line is None or closeup.frame in known or len(known) >= MAX_CLOSEUPS:
            return False
        if any(line.checksum_at(state.frame) is None for state in closeup.states):
            return False
        known[closeup.frame] = closeup
        return True

    def lose(self, peer_id: int, now: float) -> None:
        """Expect nothing more from a peer that is gone."""
        self._gone.add(peer_id)
        self.handle_timeout(now)

    def next_timeout(self) -> float | None:
        """When to call ``handle_timeout``; None once the investigation is finished."""
        if self.finished:
            return None
        return self._end if self._past_half else self._half

    def handle_timeout(self, now: float) -> None:
        """Continue without the peers that have not answered in time."""
        if self.finished:
            return
        self._past_half = self._past_half or now >= self._half
        self._go_on()
        if now >= self._end:
            self._finish()

    def _go_on(self) -> None:
        """Take the next step that the evidence so far allows."""
        if self.finished:
            return
        if self.peer_id not in self._timelines and (self._past_half or self._has_the_alarm()):
            self._show_timeline()
        missing = set(self.peers) - self._gone - self._timelines.keys()
        if missing and not self._past_half:
            return
        frame = self._compared.first
        if frame is None:
            if not missing:
                self._finish()
            return
        self._show_closeup(frame)
        if all(frame in self._closeups[peer_id] or peer_id in self._gone for peer_id in self.peers):
            self._finish()

    def _has_the_alarm(self) -> bool:
        return self._alarm_frame is None or self._alarm_frame < self.held.end

    def _show_timeline(self) -> None:
        line = Timeline(
            peer_id=self.peer_id,
            alarm=self._alarm_frame,
            last_agreed=self._last_agreed,
            first=self.held.first,
            checksums=tuple(self.held.checksums),
        )
        self._add_timeline(self.peer_id, line)
        self._outgoing += split_into_messages(TIMELINE, encode_timeline(line))

    def _show_closeup(self, frame: int) -> None:
        own = self._closeups[self.peer_id]
        if frame in own or len(own) >= MAX_CLOSEUPS:
            return
        states = (self.held.fields_at(frame - 1), self.held.fields_at(frame))
        first, rows = self.held.rows(frame - INPUTS_BEFORE, frame + INPUTS_AFTER)
        own[frame] = Closeup(
            peer_id=self.peer_id,
            frame=frame,
            first_input=first,
            inputs=rows,
            states=tuple(state for state in states if state is not None),
        )
        self._outgoing += split_into_messages(CLOSEUP, encode_closeup(own[frame]))

    def _finish(self) -> None:
        frame = self._compared.first
        closeups = {
            peer_id: known[frame] for peer_id, known in self._closeups.items() if frame is not None and frame in known
        }
        self.report = make_report(self.peers, self._timelines, closeups)
