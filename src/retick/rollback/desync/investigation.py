"""After an alarm: machines show each other what they hold, and each arrives at the same report. No I/O, no clock.

Theory of operation. History is a ring that the match soon overwrites, so an investigation first takes hold of the
final states between the frame that last agreed and now. Two rounds follow, each one message from every machine to
every other. In the first they show their checksums frame by frame; once all have come, or half of the time is over,
everyone finds the same first frame that differs. In the second they show that frame's fields, those of the frame
before, and the inputs around. Evidence that comes late but in time is still taken in: if it moves the first
difference, the second round is run again for that frame, a few times at most.

A machine that hears of an alarm before it has the frame itself waits for it: ``observe`` takes hold of what becomes
final. Whatever another machine sends that is no evidence, or too much of it, is refused and counted.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from retick.errors import DecodeError, HistoryEvicted
from retick.rollback.desync.analysis import first_parting, make_report
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
from retick.rollback.desync.report import DesyncReport
from retick.rollback.engine.engine import RollbackEngine

__all__ = ["Held", "Investigation"]

INPUTS_BEFORE, INPUTS_AFTER = 8, 4
"""Rows of inputs shown around the first frame that differs."""
MAX_CLOSEUPS = 4
"""Close-ups taken from one machine, and made here: so often can late evidence move the first difference."""
NEWEST_UNASKED = 600
"""Frames past the local frontier of the beginning that others may show, where the present frontier is not given."""


class Held:
    """The final states that were taken hold of, with their checksums and inputs."""

    def __init__(self, engine: RollbackEngine, sim: Any, last_agreed: int) -> None:
        final = engine.final_state_frame
        self.first = max(last_agreed, final - MAX_CHECKSUMS + 1, 0)
        self.states: list[Any] = []
        self.checksums: list[int] = []
        self.inputs: dict[int, tuple[int, ...]] = {}
        self._sim = sim
        for frame in range(self.first - INPUTS_BEFORE, self.first):
            self._keep_inputs(engine, frame)
        self.extend(engine)

    @property
    def end(self) -> int:
        """The frame after the last one held."""
        return self.first + len(self.states)

    def extend(self, engine: RollbackEngine) -> None:
        """Take hold of what has become final since."""
        for frame in range(self.end, min(engine.final_state_frame + 1, self.first + MAX_CHECKSUMS)):
            try:
                state = engine.state_at(frame)
            except HistoryEvicted:
                # Older than history reaches. Later on, a gap would be worse than an early end.
                if self.states:
                    return
                self.first = frame + 1
                continue
            self.states.append(state)
            self.checksums.append(self._sim.checksum(state) & 0xFFFFFFFF)
            self._keep_inputs(engine, frame - 1)

    def _keep_inputs(self, engine: RollbackEngine, frame: int) -> None:
        try:
            self.inputs[frame] = engine.inputs_at(frame)
        except HistoryEvicted:
            return

    def state_at(self, frame: int) -> Any:
        """The state before ``frame``; None if it was not held."""
        return self.states[frame - self.first] if self.first <= frame < self.end else None

    def fields_at(self, frame: int) -> StateFields | None:
        state = self.state_at(frame)
        return None if state is None else select_fields(frame, portable_fields(self._sim.fields(state)))

    def rows(self, first: int, end: int) -> tuple[int, tuple[tuple[int, ...], ...]]:
        """The inputs from the first held row on, without a gap; and that row's frame."""
        start = next((frame for frame in range(first, end) if frame in self.inputs), first)
        rows: list[tuple[int, ...]] = []
        for frame in range(start, end):
            if frame not in self.inputs:
                break
            rows.append(self.inputs[frame])
        return max(start, 0), tuple(rows)


class Investigation:
    """One machine's part in finding out what parted."""

    def __init__(
        self,
        engine: RollbackEngine,
        sim: Any,
        number: int,
        machines: Iterable[int],
        frame: int | None,
        last_agreed: int,
        now: float,
        *,
        patience: float = 8.0,
    ) -> None:
        """Take hold of the evidence at once.

        ``machines`` are the numbers of all, this one's ``number`` included. ``frame`` and ``last_agreed`` are those
        of the alarm (DesyncDetected); where the alarm was only heard of, its frame (``evidence.alarm_in``) and -1.
        ``patience`` is how many seconds the others have.
        """
        self.number = number
        self.machines = tuple(sorted({*machines, number}))
        self.held = Held(engine, sim, last_agreed)
        self.refused: Counter[int] = Counter()
        """Messages that were no evidence, by the machine that sent them."""
        self.report: DesyncReport | None = None
        self._alarm = frame
        self._last_agreed = last_agreed if last_agreed >= 0 else None
        self._frontier = engine.local_frontier + NEWEST_UNASKED
        self._half = now + patience / 2
        self._end = now + patience
        self._past_half = False
        self._gone: set[int] = set()
        self._outgoing: list[bytes] = []
        self._assemblers = {machine: Assembler() for machine in self.machines}
        self._timelines: dict[int, Timeline] = {}
        self._closeups: dict[int, dict[int, Closeup]] = {machine: {} for machine in self.machines}
        self._go_on()

    @property
    def finished(self) -> bool:
        return self.report is not None

    def messages(self) -> list[bytes]:
        """What to send now, reliably, to every other machine; each at most 57 KiB."""
        drained, self._outgoing = self._outgoing, []
        return drained

    def observe(self, engine: RollbackEngine) -> None:
        """After each advance: take hold of frames that the alarm is about and that were not final yet."""
        if not self.finished and self.number not in self._timelines:
            self.held.extend(engine)
            self._go_on()

    def take(self, machine: int, data: bytes, now: float, *, frontier: int | None = None) -> bool:
        """Take in a message from another machine; False if it was refused.

        ``frontier`` is the engine's present ``local_frontier``: no machine can have final states past it.
        """
        taken = not self.finished and machine in self._assemblers and machine != self.number
        try:
            taken = taken and self._take(machine, data, self._frontier if frontier is None else frontier)
        except DecodeError:
            taken = False
        if not taken:
            self.refused[machine] += 1
        self.handle_timeout(now)
        return taken

    def _take(self, machine: int, data: bytes, frontier: int) -> bool:
        whole = self._assemblers[machine].take(data)
        if whole is None:
            return True
        kind, body = whole
        if kind == TIMELINE:
            return self._take_timeline(machine, decode_timeline(body), frontier)
        return self._take_closeup(machine, decode_closeup(body))

    def _take_timeline(self, machine: int, line: Timeline, frontier: int) -> bool:
        """One a machine, in its own name, of states that it can have."""
        if line.machine != machine or machine in self._timelines or line.end > frontier + 1:
            return False
        self._timelines[machine] = line
        return True

    def _take_closeup(self, machine: int, closeup: Closeup) -> bool:
        """Few a machine, in its own name, of a frame that it showed a checksum of."""
        known, line = self._closeups[machine], self._timelines.get(machine)
        if closeup.machine != machine or line is None or closeup.frame in known or len(known) >= MAX_CLOSEUPS:
            return False
        if any(line.checksum_at(state.frame) is None for state in closeup.states):
            return False
        known[closeup.frame] = closeup
        return True

    def lose(self, machine: int, now: float) -> None:
        """A machine is gone: nothing more is awaited from it."""
        self._gone.add(machine)
        self.handle_timeout(now)

    def next_timeout(self) -> float | None:
        """When ``handle_timeout`` is to be called; None when it is all over."""
        if self.finished:
            return None
        return self._end if self._past_half else self._half

    def handle_timeout(self, now: float) -> None:
        """Go on without those who have not answered, when their time is over."""
        if self.finished:
            return
        self._past_half = self._past_half or now >= self._half
        self._go_on()
        if now >= self._end:
            self._finish()

    def _go_on(self) -> None:
        """Do whatever the evidence at hand allows."""
        if self.finished:
            return
        if self.number not in self._timelines and (self._past_half or self._has_the_alarm()):
            self._show_timeline()
        awaited = set(self.machines) - self._gone - self._timelines.keys()
        if awaited and not self._past_half:
            return
        frame = first_parting(self._timelines)
        if frame is None:
            if not awaited:
                self._finish()
            return
        self._show_closeup(frame)
        if all(frame in self._closeups[machine] or machine in self._gone for machine in self.machines):
            self._finish()

    def _has_the_alarm(self) -> bool:
        return self._alarm is None or self._alarm < self.held.end

    def _show_timeline(self) -> None:
        line = Timeline(
            machine=self.number,
            alarm=self._alarm,
            last_agreed=self._last_agreed,
            first=self.held.first,
            checksums=tuple(self.held.checksums),
        )
        self._timelines[self.number] = line
        self._outgoing += split_into_messages(TIMELINE, encode_timeline(line))

    def _show_closeup(self, frame: int) -> None:
        own = self._closeups[self.number]
        if frame in own or len(own) >= MAX_CLOSEUPS:
            return
        states = (self.held.fields_at(frame - 1), self.held.fields_at(frame))
        first, rows = self.held.rows(frame - INPUTS_BEFORE, frame + INPUTS_AFTER)
        own[frame] = Closeup(
            machine=self.number,
            frame=frame,
            first_input=first,
            inputs=rows,
            states=tuple(state for state in states if state is not None),
        )
        self._outgoing += split_into_messages(CLOSEUP, encode_closeup(own[frame]))

    def _finish(self) -> None:
        frame = first_parting(self._timelines)
        closeups = {
            machine: known[frame] for machine, known in self._closeups.items() if frame is not None and frame in known
        }
        self.report = make_report(self.machines, self._timelines, closeups)
