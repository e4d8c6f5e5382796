"""What cheats may cost honest machines: time, memory and work, as numbers; and how each is measured.

Nothing here reads a clock. Time is virtual. Memory is the sum of all objects that a session holds, found by following
references from it. Work is counted as calls of Python functions and steps of the game, so that it is the same on every
computer. Compiled code is not seen by this count; its steps of the game are.
"""

import gc
import sys
from collections.abc import Hashable
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, ModuleType
from typing import Any

from retick.rollback.match.config import MatchConfig
from retick.rollback.session.agreement import STEP, most_liars
from retick.rollback.session.input_bounds import DECIDING_SECONDS
from retick.rollback.session.membership import MOST_EXCUSED
from retick.rollback.session.session import RollbackSession

__all__ = [
    "AHEAD_OF_CLOCK",
    "CALLS_AT_ONCE",
    "CALLS_PER_BYTE",
    "CALLS_PER_SECOND",
    "MOST_MEMORY",
    "STANDS_WITHIN",
    "MeasuredSession",
    "longest_hold",
    "memory_of",
    "most_steps",
    "slot_seconds",
]

SLACK_SECONDS = 3.0
"""Seconds for messages that are lost and sent again on a bad link."""
STANDS_WITHIN = 2.0
"""Seconds of frames that a machine may run from when a pause was decided: a stop lies at most one second behind that of
an honest machine, whose own lies at most one second ahead of it."""
AHEAD_OF_CLOCK = 6
"""Frames, beyond its history, by which an honest machine may be ahead of its schedule of one frame for each tick."""
MOST_MEMORY = 2 << 20
"""Bytes of one honest session, its queues and its history of small states included."""
CALLS_AT_ONCE = 20_000
"""Python calls within one call of a session: some milliseconds."""
CALLS_PER_SECOND = 6_000
"""Python calls in a virtual second of a match, for each other peer, without regard to what was received."""
CALLS_PER_BYTE = 1.5
"""Python calls for each byte that was received."""


def slot_seconds(config: MatchConfig, members: int) -> float:
    """Seconds in which a slot is decided at the latest (E2 of docs/formats/membership.md)."""
    return max(config.disconnect_after, STEP) + (2 * most_liars(members) + 1) * STEP


def longest_hold(
    config: MatchConfig, members: int, *, slots: int = 1, of_inputs: bool = False, after_report: bool = False
) -> float:
    """Seconds for which cheats may hold honest machines at a frame, with these settings.

    A slot ends by E2; where somebody else is lost in it, a liar is lost by the end of the next one only. Who sends no
    inputs is waited for, which does not count while its stop excuses it; a slot may begin in the last moment. After a
    desync was reported people may need time to agree on a state.
    """
    timeout = max(config.input_timeout, DECIDING_SECONDS) if after_report else config.input_timeout
    inputs = timeout + MOST_EXCUSED if of_inputs or after_report else 0.0
    return slots * slot_seconds(config, members) + inputs + SLACK_SECONDS


def most_steps(config: MatchConfig, frames: int) -> int:
    """Steps of the game for so many frames: each may be resimulated once for every frame of the window."""
    return (frames + 2 * config.history) * (config.prediction_window + config.input_delay + 2)


_NOT_FOLLOWED = (type, ModuleType, FunctionType, BuiltinFunctionType, CodeType, FrameType)


def memory_of(session: Any) -> int:
    """Bytes of all objects that are reached from a session; classes, modules and functions are not its own."""
    seen: set[int] = set()
    waiting: list[Any] = [session]
    total = 0
    while waiting:
        found = waiting.pop()
        if id(found) in seen or isinstance(found, _NOT_FOLLOWED):
            continue
        seen.add(id(found))
        total += sys.getsizeof(found)
        waiting.extend(gc.get_referents(found))
    return total


class MeasuredSession(RollbackSession):
    """An honest session that counts the Python calls within its own, and the bytes that it receives."""

    calls = 0
    """Python calls within the session."""
    most_at_once = 0
    """The most of them within one call."""
    bytes_received = 0

    def receive_datagram(self, data: Any, address: Hashable, *, now: float) -> None:
        self.bytes_received += len(data)
        before = self._count_from_here()
        try:
            super().receive_datagram(data, address, now=now)
        finally:
            self._count_to_here(before)

    def datagrams_to_send(self, *, now: float) -> list[tuple[bytes, Hashable]]:
        before = self._count_from_here()
        try:
            return super().datagrams_to_send(now=now)
        finally:
            self._count_to_here(before)

    def handle_timeout(self, *, now: float) -> None:
        before = self._count_from_here()
        try:
            super().handle_timeout(now=now)
        finally:
            self._count_to_here(before)

    def _count_from_here(self) -> int:
        sys.setprofile(self._on_call)
        return self.calls

    def _count_to_here(self, before: int) -> None:
        sys.setprofile(None)
        self.most_at_once = max(self.most_at_once, self.calls - before)

    def _on_call(self, frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            self.calls += 1
