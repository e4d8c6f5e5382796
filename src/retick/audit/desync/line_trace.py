"""Runs one step of a game with every line watched: which line gave which field its value.

Theory of operation. Python calls back before each line of the game's own source. What changed since the last call
is the work of the line that ran in between: fields of the state, and plain local variables. How to see a state that
is half made depends on the game, and three ways cover the contract: a mutable world is asked for its fields, a flat
game changes a row of slots whose names are known, and any other game makes new states, the newest of which is looked
at wherever a local variable or a return value shows it.

Only Python source is seen: compiled kernels are run from theirs (RETICK_PURE=1).
"""

import inspect
import linecache
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

from retick.rollback.desync.field_values import Value, portable_fields
from retick.sim.fields import same_value
from retick.sim.flat import FlatSimulation
from retick.sim.record import Layout
from retick.sim.world import WorldSimulation

__all__ = ["Executed", "LineTracer", "trace_step"]

MAX_LINES = 20_000
PLAIN = (bool, int, float, str)
Probe = Callable[[FrameType | None, Any], dict[str, Value]]
Tracing = Callable[[FrameType, str, Any], Any]


class Executed(NamedTuple):
    """One line that ran, and what it did."""

    file: str
    line: int
    function: str
    text: str
    writes: dict[str, Value]
    """Watched fields that changed, with their new values."""
    variables: dict[str, Value]
    """Plain local variables that changed, with their new values; ``returned`` for a plain value that was returned."""


def trace_step(sim: Any, state: Any, inputs: tuple[int, ...], watch: Iterable[str]) -> tuple[Any, "LineTracer"]:
    """The state after one step, and the tracer with every line that ran."""
    tracer = LineTracer(sim, state, frozenset(watch))
    return tracer.run(lambda: sim.step(state, inputs)), tracer


class _Running:
    """A call that is under way: the line it is on, and its variables as last seen."""

    __slots__ = ("at", "variables")

    def __init__(self, variables: dict[str, Value]) -> None:
        self.at: int | None = None
        self.variables = variables


class LineTracer:
    """Watches the lines of a game's own source."""

    def __init__(self, sim: Any, state: Any, watch: frozenset[str]) -> None:
        self.executed: list[Executed] = []
        self.cut = False
        """There were more lines than are kept."""
        self._sim = sim
        self._watch = watch
        self._roots = _roots_of(sim)
        self._ours: dict[CodeType, bool] = {}
        self._values = _chosen(sim.fields(state), watch)
        self._probe = self._probe_for(sim, state)
        self._calls: list[_Running] = []
        self._row: list[int] | None = None

    def run(self, call: Callable[[], Any]) -> Any:
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

    # What Python calls.

    def _on_call(self, frame: FrameType, event: str, _arg: Any) -> Tracing | None:
        if event != "call" or not self._is_ours(frame.f_code):
            return None
        self._look(None, None)
        self._calls.append(_Running(_plain(frame)))
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
        text = linecache.getline(code.co_filename, frame.f_lineno).strip()
        name = self._shown(code.co_filename)
        self._calls[-1].at = self._add(Executed(name, frame.f_lineno, code.co_qualname, text, {}, {}))

    def _add(self, line: Executed) -> int | None:
        if len(self.executed) >= MAX_LINES:
            self.cut = True
            return None
        self.executed.append(line)
        return len(self.executed) - 1

    def _look(self, frame: FrameType | None, returned: Any) -> None:
        """Put down to the line that ran last whatever is different now."""
        if not self._calls:
            return
        running = self._calls[-1]
        self._note(running, self._probe(frame, returned), {})
        if frame is None:
            return
        now = _plain(frame)
        changed = {name: value for name, value in now.items() if not same_value(running.variables.get(name), value)}
        if type(returned) in PLAIN:
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
            # The line called something and goes on after it: that stands in its place in time.
            line = line._replace(writes={}, variables={})
            running.at = self._add(line)
        line.writes.update(writes)
        line.variables.update(variables)

    # How a half-made state is seen.

    def _probe_for(self, sim: Any, state: Any) -> Probe:
        if isinstance(sim, WorldSimulation):
            return lambda _frame, _returned: self._fields_or_last(sim.world.fields)
        if isinstance(sim, FlatSimulation) and type(sim).step is FlatSimulation.step:
            layout = sim.state_type.layout
            return lambda _frame, _returned: _row_values(self._row, layout, self._watch)
        newest = [state]

        def look(frame: FrameType | None, returned: Any) -> dict[str, Value]:
            shown = [*(frame.f_locals.values() if frame is not None else ()), returned]
            for value in shown:
                if type(value) is type(state) and not any(value is known for known in newest):
                    newest.append(value)
            return self._fields_or_last(lambda: sim.fields(newest[-1]))

        return look

    def _fields_or_last(self, fields: Callable[[], Iterable[tuple[str, Any]]]) -> dict[str, Value]:
        """In the middle of a step a state may be in pieces: then nothing is seen, and the next look sees more."""
        try:
            return _chosen(fields(), self._watch)
        except Exception:
            return {}

    # Whose source it is.

    def _is_ours(self, code: CodeType) -> bool:
        known = self._ours.get(code)
        if known is None:
            name = os.path.abspath(code.co_filename)
            inside = [name[len(root) :] for root in self._roots if name.startswith(root + os.sep)]
            known = self._ours[code] = any("site-packages" not in rest for rest in inside)
        return known

    def _shown(self, filename: str) -> str:
        """The path from the package or folder of the game on."""
        name = os.path.abspath(filename)
        root = next((root for root in self._roots if name.startswith(root + os.sep)), "")
        return Path(name).relative_to(Path(root).parent).as_posix() if root else Path(name).as_posix()


def _roots_of(sim: Any) -> list[str]:
    """The folders with a game's own source: its package, or where its file lies; of our own, only the games."""
    game = sim.world if isinstance(sim, WorldSimulation) else sim
    own = Path(__file__).resolve().parents[2]
    roots: list[str] = []
    for cls in type(game).__mro__:
        file = _file_of(cls)
        if file is None or cls.__module__.split(".")[0] in sys.stdlib_module_names:
            continue
        root = Path(file).resolve().parent
        if root.is_relative_to(own):
            if not root.is_relative_to(own / "games"):
                continue
        else:
            while (root.parent / "__init__.py").exists() and (root / "__init__.py").exists():
                root = root.parent
        if str(root) not in roots:
            roots.append(str(root))
    return roots


def _file_of(cls: type) -> str | None:
    """The file that a class's own code came from: two builds may have modules of one name."""
    for member in vars(cls).values():
        code = getattr(inspect.unwrap(getattr(member, "__func__", member)), "__code__", None)
        if code is not None and os.path.isfile(code.co_filename):
            return str(code.co_filename)
    return None


def _plain(frame: FrameType) -> dict[str, Value]:
    return {name: value for name, value in frame.f_locals.items() if type(value) in PLAIN}


def _chosen(fields: Iterable[tuple[str, Any]], watch: frozenset[str]) -> dict[str, Value]:
    return {name: value for name, value in portable_fields(fields) if name in watch}


def _row_values(row: Any, layout: Layout, watch: frozenset[str]) -> dict[str, Value]:
    if not isinstance(row, list) or len(row) != len(layout.names):
        return {}
    # A slot holds an unsigned field of 64 bits as the signed number with the same bits.
    return {
        name: value + (1 << 64) if value < 0 and not width.signed else value
        for name, width, value in zip(layout.names, layout.widths, row, strict=True)
        if name in watch
    }
