"""Records all calls to a session, and repeats them to time the session alone.

Theory of operation. A session has no clock, no socket and no randomness of its own, so the same calls with the same
times and the same random bytes do the same work again. While a match is played in simulated time, every call is
recorded. To time a session, the recorded calls are made to a fresh one in one plain loop: *alone*, one session from its
first call to its last, or *interleaved*, all sessions of the match in the order in which they were called, as a process
with many of them does. The cost of the loop itself is found by making the same calls to an object that does nothing.
"""

import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import count
from typing import Any

from retick.rollback.session.session import RollbackSession

__all__ = ["CALLS", "DRIVER", "RecordedCalls", "interleaved"]

DRIVER = "recorded calls, made again in one Python loop of functools.partial"
"""The objects whose calls are timed."""
CLOCK = time.perf_counter if sys.platform == "win32" else time.process_time
"""CPU time of this process, to which others add nothing; it is too coarse on Windows."""
Call = Callable[[], object]

CALLS = ("receive_datagram", "datagrams_to_send", "next_timeout", "handle_timeout", "events", "due", "advance")


class _Nothing:
    """Has all calls of a session, and does nothing."""

    def receive_datagram(self, data: bytes, address: Any, *, now: float) -> None: ...

    def datagrams_to_send(self, *, now: float) -> None: ...

    def next_timeout(self) -> None: ...

    def handle_timeout(self, *, now: float) -> None: ...

    def events(self) -> None: ...

    def due(self, *, now: float) -> None: ...

    def advance(self, pressed: Any, *, now: float) -> None: ...


class RecordedCalls:
    """The recording of one peer's session: how it was made, and all calls to it."""

    def __init__(self, sim: Any, *, turns: Iterator[int] | None = None, **details: Any) -> None:
        """``turns`` is shared by the sessions of a match, and orders all their calls."""
        self._turns = count() if turns is None else turns
        self._order: list[int] = []
        self.frames = 0
        """Number of frames that the session has run."""
        self.session = RollbackSession(sim, **{**details, "entropy": self._record_entropy(details["entropy"])})
        """Passes calls to a session and records them."""
        self._sim, self._details = sim, details
        self._calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        self._marks: list[int] = []
        for name in CALLS:
            setattr(self.session, name, self._recording(name, getattr(self.session, name)))

    def mark(self) -> None:
        """End a stretch here and begin the next."""
        self._marks.append(len(self._calls))

    def rerun(self) -> list[float]:
        """Seconds of a fresh session for each stretch; calls before the first mark are made but not timed."""
        session = self._fresh()
        times = _timed(self._calls_to(session), self._marks)
        assert session.frame == self.frames, "the calls did not do the same work again"
        return times

    def cost_of_calling(self) -> list[float]:
        """Seconds of an object that does nothing, for each stretch."""
        return _timed(self._calls_to(_Nothing()), self._marks)

    def by_call(self) -> dict[str, float]:
        """Seconds for each kind of call, without the cost of reading the clock."""
        found, passes = self._clocked(self._fresh()), [self._clocked(_Nothing()) for _ in range(3)]
        return {name: max(found[name] - min(empty[name] for empty in passes), 0.0) for name in CALLS}

    def _clocked(self, target: Any) -> dict[str, float]:
        spent = dict.fromkeys(CALLS, 0.0)
        clock = time.perf_counter
        for name, given, named in self._calls:
            call = partial(getattr(target, name), *given, **named)
            started = clock()
            call()
            spent[name] += clock() - started
        return spent

    def _fresh(self) -> RollbackSession:
        drawn = deque(self._entropy)
        return RollbackSession(self._sim, **{**self._details, "entropy": lambda size: drawn.popleft()})

    def _calls_to(self, target: Any) -> list[Call]:
        return [partial(getattr(target, name), *given, **named) for name, given, named in self._calls]

    def _recording(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def recorded(*given: Any, **named: Any) -> Any:
            self._calls.append((name, given, named))
            self._order.append(next(self._turns))
            if name == "advance":
                self.frames += 1
            return call(*given, **named)

        return recorded

    def _record_entropy(self, entropy: Callable[[int], bytes]) -> Callable[[int], bytes]:
        self._entropy: list[bytes] = []

        def recorded(size: int) -> bytes:
            self._entropy.append(entropy(size))
            return self._entropy[-1]

        return recorded


def interleaved(recorded: Sequence[RecordedCalls], *, nothing: bool = False) -> list[float]:
    """Seconds for each stretch of a match, with the calls of all sessions in order, or of objects that do nothing."""
    placed: list[tuple[int, Call]] = []
    sessions = [_Nothing() if nothing else calls._fresh() for calls in recorded]
    for calls, session in zip(recorded, sessions, strict=True):
        placed += zip(calls._order, calls._calls_to(session), strict=True)
    placed.sort(key=lambda entry: entry[0])
    marks = [sum(each) for each in zip(*(calls._marks for calls in recorded), strict=True)]
    return _timed([call for _, call in placed], marks)


def _timed(calls: list[Call], marks: list[int]) -> list[float]:
    first = marks[0]
    for call in calls[:first]:
        call()
    times = []
    for end in marks[1:]:
        stretch = calls[first:end]
        started = CLOCK()
        for call in stretch:
            call()
        times.append(CLOCK() - started)
        first = end
    return times
