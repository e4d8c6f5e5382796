"""Watches which lines and branches of a game's own source run, while a call is made.

Theory of operation. A search asks after every frame: did anything run that never ran before? ``places`` only grows, so
the answer is whether its length changed. A place is a line, or a step from one line to the next.

Python 3.12 and later report a line or a branch until they are told to stop (``sys.monitoring``), so that known places
cost nothing. Python 3.11 has only trace functions, which are called for every line every time, until a function has
shown nothing new for long. The two find different places, so searches may differ between them.

What lines do is not looked at here: ``desync/line_trace.py`` follows one step line by line.

The lines that never ran are those of functions that were entered. A function that nothing called is not listed: the
line that would call it is.
"""

import linecache
import sys
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import Any, NamedTuple

from retick.audit.own_source import OwnSource

Tracing = Callable[[FrameType, str, Any], Any]
Place = tuple[CodeType, int, int]
QUIET_CALLS = 500
"""On Python 3.11, calls without a new step after which a function is no longer traced if all its lines have run."""
TOOLS = 6
"""Number of tool ids of ``sys.monitoring``."""


class Unrun(NamedTuple):
    """Consecutive lines of one function that never ran."""

    file: str
    first: int
    last: int
    function: str
    text: str
    """Text of the first line."""

    def __str__(self) -> str:
        lines = str(self.first) if self.first == self.last else f"{self.first}-{self.last}"
        return f"{self.file}:{lines} in {self.function}: {self.text}"


class LinesRun(NamedTuple):
    """How much of the functions that were entered has run."""

    ran: int
    total: int
    unrun: tuple[Unrun, ...]


class LineWatch:
    """The places of a game's own source that have run so far: ``with watch:`` around the calls to watch."""

    def __init__(self, source: OwnSource, *, monitoring: bool = sys.version_info >= (3, 12)) -> None:
        self.places: set[Place] = set()
        self._source = source
        self._entered: dict[CodeType, set[int]] = {}
        """The lines that ran in each function that was entered."""
        self._lines: dict[CodeType, set[int]] = {}
        """All lines of each function that was entered."""
        self._way: _Monitor | _Tracer = _Monitor(self) if monitoring else _Tracer(self)

    def __enter__(self) -> None:
        self._way.begin()

    def __exit__(self, *_error: object) -> None:
        self._way.end()

    def lines(self) -> LinesRun:
        """Which lines have run and which have not, in all functions that were entered."""
        ran = total = 0
        unrun: list[Unrun] = []
        for code, seen in self._entered.items():
            wanted = self._lines[code] | seen
            ran += len(seen)
            total += len(wanted)
            unrun += self._stretches(code, wanted, seen)
        return LinesRun(ran, total, tuple(sorted(unrun)))

    def _stretches(self, code: CodeType, wanted: set[int], seen: set[int]) -> Iterator[Unrun]:
        """Group the lines that never ran, if no line between them ran."""
        stretch: list[int] = []
        for line in [*sorted(wanted), 0]:
            if line and line not in seen:
                stretch.append(line)
            elif stretch:
                text = linecache.getline(code.co_filename, stretch[0]).strip()
                yield Unrun(self._source.shown(code.co_filename), stretch[0], stretch[-1], code.co_qualname, text)
                stretch = []

    def note_line(self, code: CodeType, line: int) -> None:
        if code not in self._lines:
            self._lines[code], self._entered[code] = _lines_of(code), set()
        if line in self._lines[code]:
            self._entered[code].add(line)
            self.places.add((code, line, line))

    def is_complete(self, code: CodeType) -> bool:
        """Whether every line of the function has run."""
        return code in self._lines and self._lines[code] <= self._entered[code]

    def is_own(self, code: CodeType) -> bool:
        return self._source.has(code)


class _Tracer:
    """Watches by a trace function, for Python 3.11."""

    def __init__(self, watch: LineWatch) -> None:
        self._watch = watch
        self._before: Any = None
        self._quiet: dict[CodeType, int] = {}
        """Calls of each function since its last new step."""

    def begin(self) -> None:
        self._before = sys.gettrace()
        sys.settrace(self._on_call)

    def end(self) -> None:
        sys.settrace(self._before)

    def _on_call(self, frame: FrameType, event: str, _arg: Any) -> Tracing | None:
        watch, code = self._watch, frame.f_code
        if event != "call" or not watch.is_own(code):
            return None
        quiet = self._quiet[code] = self._quiet.get(code, 0) + 1
        if quiet > QUIET_CALLS and watch.is_complete(code):
            return None
        places, last = watch.places, 0

        def on_line(frame: FrameType, event: str, _arg: Any) -> Tracing:
            nonlocal last
            if event == "line":
                line = frame.f_lineno
                way = (code, last, line)
                if way not in places:
                    places.add(way)
                    watch.note_line(code, line)
                    self._quiet[code] = 0
                last = line
            return on_line

        return on_line


class _Monitor:
    """Watches by ``sys.monitoring``, for Python 3.12 and later."""

    def __init__(self, watch: LineWatch) -> None:
        self._watch = watch
        self._api: Any = sys.monitoring  # type: ignore[attr-defined, unused-ignore] # Python 3.12 on
        self._tool: int | None = None
        self._started: set[CodeType] = set()
        self._targets: dict[tuple[CodeType, int], set[int]] = {}

    def begin(self) -> None:
        api = self._api
        self._tool = next((number for number in range(TOOLS) if api.get_tool(number) is None), None)
        if self._tool is None:
            return  # debuggers and profilers use all ids, so nothing is seen, as with a compiled game
        api.use_tool_id(self._tool, "retick")
        api.register_callback(self._tool, api.events.PY_START, self._on_start)
        api.register_callback(self._tool, api.events.LINE, self._on_line)
        api.register_callback(self._tool, api.events.BRANCH, self._on_branch)
        api.set_events(self._tool, api.events.PY_START | api.events.LINE | api.events.BRANCH)

    def end(self) -> None:
        if self._tool is not None:
            self._api.set_events(self._tool, 0)
            self._api.free_tool_id(self._tool)

    def _on_start(self, code: CodeType, _offset: int) -> Any:
        if self._watch.is_own(code):
            self._started.add(code)
        return self._api.DISABLE

    def _on_line(self, code: CodeType, line: int) -> Any:
        if code in self._started:
            self._watch.note_line(code, line)
        elif self._watch.is_own(code):
            return None  # the function began before the watch, and may begin again
        return self._api.DISABLE

    def _on_branch(self, code: CodeType, offset: int, target: int) -> Any:
        if code not in self._started:
            return None if self._watch.is_own(code) else self._api.DISABLE
        targets = self._targets.setdefault((code, offset), set())
        targets.add(target)
        self._watch.places.add((code, -1 - offset, target))
        return self._api.DISABLE if len(targets) > 1 else None  # report it until both branches were taken


def _lines_of(code: CodeType) -> set[int]:
    """The lines that a run of ``code`` reports: all lines with code, except its ``def``."""
    found = {line for _, _, line in code.co_lines() if line}
    return found - {code.co_firstlineno} if len(found) > 1 else found
