"""Runs one step of a game and traces every line, to find which line gave which field its value.

Theory of operation. Python calls a trace function before each line of the game's own source. What changed since the
last call is the effect of the line that ran in between: fields of the state, and local variables of simple types. How
to read a state in the middle of a step depends on the game, and there are three ways. A mutable world is asked for its
fields. A flat game changes a row of slots whose names are known. Any other game makes new states, and the newest one
that a local variable or a return value shows is read.

The module ``line_watch`` asks less of many frames: only which lines ran.

Only Python source can be traced, so compiled kernels run from theirs (RETICK_PURE=1).
"""

import ast
import linecache
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from types import FrameType
from typing import Any, NamedTuple

from retick.audit.own_source import OwnSource
from retick.rollback.desync.field_values import Value, portable_fields
from retick.sim.contract import Simulation
from retick.sim.fields import same_value
from retick.sim.flat import FlatSimulation
from retick.sim.record import Record, RecordLayout
from retick.sim.world import SimulatedWorld

LONGEST = 300
"""Most characters of a statement that are shown."""


def statement_at(filename: str, line: int) -> str:
    """The statement that begins on ``line``, as one line; for blocks, and in other places, the line itself."""
    end = _ends(filename).get(line, line)
    lines = (linecache.getline(filename, number).strip() for number in range(line, end + 1))
    return " ".join(lines).strip()[:LONGEST]


@lru_cache(maxsize=256)
def _ends(filename: str) -> dict[int, int]:
    """The last line of each statement over several lines that contains no statements, by its first line."""
    try:
        tree = ast.parse("".join(linecache.getlines(filename)))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    return {
        node.lineno: node.end_lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.stmt) and not hasattr(node, "body") and (node.end_lineno or 0) > node.lineno
        if node.end_lineno is not None
    }


MAX_LINES = 20_000
"""Most lines that are kept."""
MAX_ITEMS = 64
"""Most items of a local list whose fields are read."""
SIMPLE = (bool, int, float, str)
Probe = Callable[[FrameType | None, Any], dict[str, Value]]
Tracing = Callable[[FrameType, str, Any], Any]


class Executed(NamedTuple):
    """One line that ran, and its effects."""

    file: str
    line: int
    function: str
    text: str
    writes: dict[str, Value]
    """Watched fields that changed, with their new values."""
    variables: dict[str, Value]
    """Local variables of simple types that changed, with their new values; ``returned`` for a simple return value.
    Local records, and lists of them, are listed by their fields: ``ship.x``, ``ships[0].x``."""


def trace_step(
    sim: Simulation[Any], state: Any, inputs: tuple[int, ...], watch: Iterable[str]
) -> tuple[Any, "LineTracer"]:
    """Run one step; return the new state, and the tracer with every line that ran."""
    tracer = LineTracer(sim, state, frozenset(watch))
    return tracer.run(lambda: sim.step(state, inputs)), tracer


class _Running:
    """A call in progress: the index of its current line, and its variables as last read."""

    __slots__ = ("at", "variables")

    def __init__(self, variables: dict[str, Value]) -> None:
        self.at: int | None = None
        self.variables = variables


class LineTracer:
    """Traces the lines of a game's own source."""

    def __init__(self, sim: Simulation[Any], state: Any, watch: frozenset[str]) -> None:
        self.executed: list[Executed] = []
        self.cut = False
        """Whether more lines ran than are kept."""
        self._sim = sim
        self._watch = watch
        self._source = OwnSource(sim)
        self._state_type = type(state)
        self._values = _chosen(sim.fields(state), watch)
        self._probe = self._probe_for(sim, state)
        self._calls: list[_Running] = []
        self._row: list[int] | None = None

    def run(self, call: Callable[[], Any]) -> Any:
        """Make the call with tracing on, and return its result, which must be a state."""
        before = sys.gettrace()
        sys.settrace(self._on_call)
        try:
            result = call()
        finally:
            sys.settrace(before)
        last = _Running({})
        last.at = len(self.executed) - 1 if self.executed else None
        self._note(last, _chosen(self._sim.fields(result), self._watch), {})
        return result

    # Called by Python.

    def _on_call(self, frame: FrameType, event: str, _arg: Any) -> Tracing | None:
        if event != "call" or not self._source.has(frame.f_code):
            return None
        self._look(None, None)
        self._calls.append(_Running(self._locals(frame)))
        if frame.f_code.co_name == "advance_slots" and frame.f_code.co_argcount >= 2:
            self._row = frame.f_locals[frame.f_code.co_varnames[1]]
        return self._on_event

    def _on_event(self, frame: FrameType, event: str, arg: Any) -> Tracing:
        if event == "line":
            self._look(frame, None)
            self._begin(frame)
        elif event == "return" and self._calls:
            self._look(frame, arg)
            self._calls.pop()
        return self._on_event

    def _begin(self, frame: FrameType) -> None:
        code = frame.f_code
        text = statement_at(code.co_filename, frame.f_lineno)
        name = self._source.shown(code.co_filename)
        self._calls[-1].at = self._add(Executed(name, frame.f_lineno, code.co_qualname, text, {}, {}))

    def _add(self, line: Executed) -> int | None:
        if len(self.executed) >= MAX_LINES:
            self.cut = True
            return None
        self.executed.append(line)
        return len(self.executed) - 1

    def _look(self, frame: FrameType | None, returned: Any) -> None:
        """Note everything that has changed as an effect of the line that ran last."""
        if not self._calls:
            return
        running = self._calls[-1]
        self._note(running, self._probe(frame, returned), {})
        if frame is None:
            return
        now = self._locals(frame)
        changed = {name: value for name, value in now.items() if not same_value(running.variables.get(name), value)}
        if type(returned) in SIMPLE:
            changed["returned"] = returned
        self._note(running, {}, dict(portable_fields(changed.items())))
        running.variables = now

    def _note(self, running: _Running, fields: dict[str, Value], variables: dict[str, Value]) -> None:
        writes = {name: value for name, value in fields.items() if not same_value(self._values.get(name), value)}
        self._values.update(writes)
        if running.at is None or not (writes or variables):
            return
        line = self.executed[running.at]
        if running.at < len(self.executed) - 1:
            # The line made a call and continues after it, so its effects are noted again at this point.
            line = line._replace(writes={}, variables={})
            running.at = self._add(line)
        line.writes.update(writes)
        line.variables.update(variables)

    def _locals(self, frame: FrameType) -> dict[str, Value]:
        """The local variables that can be compared; whole states are watched by their fields."""
        named = ((name, value) for name, value in frame.f_locals.items() if type(value) is not self._state_type)
        return dict(pair for name, value in named for pair in _fields_of_local(name, value))

    # How to read a state in the middle of a step.

    def _probe_for(self, sim: Simulation[Any], state: Any) -> Probe:
        if isinstance(sim, SimulatedWorld):
            return lambda _frame, _returned: self._fields_or_nothing(sim.world.fields)
        if isinstance(sim, FlatSimulation) and type(sim).step is FlatSimulation.step:
            layout = sim.state_type.layout
            return lambda _frame, _returned: _row_values(self._row, layout, self._watch)
        newest = [state]

        def look(frame: FrameType | None, returned: Any) -> dict[str, Value]:
            shown = [*(frame.f_locals.values() if frame is not None else ()), returned]
            for value in shown:
                if type(value) is type(state) and not any(value is known for known in newest):
                    newest.append(value)
            return self._fields_or_nothing(lambda: sim.fields(newest[-1]))

        return look

    def _fields_or_nothing(self, fields: Callable[[], Iterable[tuple[str, Any]]]) -> dict[str, Value]:
        """The watched fields; empty if they cannot be read at this point of the step."""
        try:
            return _chosen(fields(), self._watch)
        except Exception:
            return {}


def _fields_of_local(name: str, value: object) -> Iterator[tuple[str, Value]]:
    """Yield a simple value under its name, or the fields of a record or of a list of records."""
    if type(value) in SIMPLE:
        yield name, value  # type: ignore[misc] # one of the simple types
    elif isinstance(value, Record):
        yield from ((f"{name}.{field}", inner) for field, inner in value.fields())
    elif type(value) in (list, tuple) and len(value) <= MAX_ITEMS:  # type: ignore[arg-type] # it is a list
        for number, item in enumerate(value):  # type: ignore[arg-type, var-annotated] # it is a list
            if isinstance(item, Record):
                yield from _fields_of_local(f"{name}[{number}]", item)


def _chosen(fields: Iterable[tuple[str, Any]], watch: frozenset[str]) -> dict[str, Value]:
    return {name: value for name, value in portable_fields(fields) if name in watch}


def _row_values(row: Any, layout: RecordLayout, watch: frozenset[str]) -> dict[str, Value]:
    if not isinstance(row, list) or len(row) != len(layout.names):
        return {}
    values = (
        (name, kind.value(kind.from_slot(slot)))
        for name, kind, slot in zip(layout.names, layout.kinds, row, strict=True)
        if name in watch
    )
    return dict(portable_fields(values))
