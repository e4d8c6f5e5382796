"""Another time, another user and another process, as far as a game in this process can tell.

Two peers never read the same clock, and a frame is run again later than the first time. But within one process a game
that asks ``int(time.time()) % 2`` mostly gets the same answer twice. So the sync test and the audit run a match once
more ``with Elsewhere()``: there each reading of a clock is some time after the one before, and the environment has
another user, host and time zone. Functions of ``time`` that a game has imported by name are replaced too; those that it
keeps elsewhere, as in a default argument, are not.
"""

import datetime as dt
import os
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from random import Random
from types import ModuleType, TracebackType
from typing import Any, Self

ENVIRONMENT = {
    "USER": "elsewhere",
    "LOGNAME": "elsewhere",
    "USERNAME": "elsewhere",
    "HOSTNAME": "elsewhere",
    "COMPUTERNAME": "ELSEWHERE",
    "LANG": "C.UTF-8",
    "TZ": "Asia/Kathmandu",
}
"""Variables that differ between machines, and that no game needs to find its files."""
SECONDS, NANOSECONDS = ("time", "monotonic", "perf_counter", "process_time", "thread_time"), 1_000_000_000
FIRST_JUMP = 410 * 86400.0
"""Seconds to the first reading: another day of the week and of the month, another month and another year."""
LONGEST_JUMP = 5000.0
"""Most seconds between two readings of a clock."""
_INSTALLED = tuple({sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")})
_OWN = __name__.partition(".")[0]


class Elsewhere:
    """A context in which clocks jump ahead and the environment is another; it may be entered again and again."""

    def __init__(self, seed: int = 1) -> None:
        self._dice = Random(seed)
        self._ahead = FIRST_JUMP
        self._seen: list[tuple[Any, str, Any]] = []
        """What is replaced: module, name, and what stands there now."""
        self._environment: dict[str, str | None] = {}
        self._changes = list(self._all_changes())

    def __enter__(self) -> Self:
        for module, name, instead in self._changes:
            self._seen.append((module, name, getattr(module, name)))
            setattr(module, name, instead)
        for name, value in ENVIRONMENT.items():
            self._environment[name] = os.environ.get(name)
            os.environ[name] = value
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        while self._seen:
            setattr(*self._seen.pop())
        for name, value in self._environment.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value

    def _jump(self) -> float:
        """How far ahead a clock is that is read now."""
        self._ahead += self._dice.uniform(0.01, LONGEST_JUMP)
        return self._ahead

    def _all_changes(self) -> Iterator[tuple[Any, str, Any]]:
        known = list(self._functions())
        yield from known
        instead = {id(getattr(module, name)): replaced for module, name, replaced in known}
        for module in _modules_of_games():
            for name, value in list(vars(module).items()):
                if id(value) in instead:
                    yield module, name, instead[id(value)]

    def _functions(self) -> Iterator[tuple[Any, str, Any]]:
        """The functions and classes that are replaced in their own modules."""
        now = self._ahead_of(time.time, 1)
        for name in SECONDS:
            for function, scale in ((name, 1), (f"{name}_ns", NANOSECONDS)):
                if hasattr(time, function):
                    yield time, function, self._ahead_of(getattr(time, function), scale)
        for name in ("localtime", "gmtime", "ctime"):
            yield time, name, _with_default(getattr(time, name), now)
        local = time.localtime
        yield time, "asctime", _with_default(time.asctime, lambda: local(now()))
        real_strftime = time.strftime
        yield time, "strftime", lambda form, moment=None: real_strftime(form, moment or local(now()))
        yield dt, "datetime", _datetime_at(now)
        yield dt, "date", _date_at(now)
        yield os, "getpid", lambda: 4711
        yield os, "cpu_count", lambda: 3
        ticks = sys.modules.get("pygame.time")
        if ticks is not None:
            yield ticks, "get_ticks", self._ahead_of(ticks.get_ticks, 1000)

    def _ahead_of(self, read: Callable[[], Any], scale: int) -> Callable[[], Any]:
        """A clock that is ahead of another one, in units of ``1 / scale`` seconds."""
        if scale == 1:
            return lambda: read() + self._jump()
        return lambda: read() + int(self._jump() * scale)


def _with_default(function: Callable[..., Any], default: Callable[[], Any]) -> Callable[..., Any]:
    """A function that takes a moment, or else the present one."""
    return lambda moment=None: function(default() if moment is None else moment)


class _Like(type):
    """The type of a class that stands for another, whose instances are those of the other."""

    real: type

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, cls.real)

    def __subclasscheck__(cls, other: type) -> bool:
        return issubclass(other, cls.real)


def _datetime_at(now: Callable[[], float]) -> type:
    usual = dt.datetime

    class Datetime(dt.datetime, metaclass=_Like):
        real = usual

        def __new__(cls, *given: Any, **named: Any) -> Any:
            return usual(*given, **named)

        @classmethod
        def now(cls, tz: dt.tzinfo | None = None) -> Any:
            return usual.fromtimestamp(now(), tz)

        @classmethod
        def utcnow(cls) -> Any:
            return usual.fromtimestamp(now(), dt.UTC).replace(tzinfo=None)

        today = now

    return Datetime


def _date_at(now: Callable[[], float]) -> type:
    usual = dt.date

    class Date(dt.date, metaclass=_Like):
        real = usual

        def __new__(cls, *given: Any, **named: Any) -> Any:
            return usual(*given, **named)

        @classmethod
        def today(cls) -> Any:
            return usual.fromtimestamp(now())

    return Date


def _modules_of_games() -> list[ModuleType]:
    """The modules that are neither installed nor ours, whose code may be a part of a game."""
    found = []
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if file and name.partition(".")[0] != _OWN and not file.startswith(_INSTALLED):
            found.append(module)
    return found
