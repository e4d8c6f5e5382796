"""Runs programs on several sides, compares the stories, and shrinks a program whose stories differ.

Theory of operation. A side is a build of Retick in a process of its own, which gets a program compiled, since all sides
run on this Python. It answers with two stories: the world is never loaded, or after every operation. The first side is
compared with itself, and all others with the first, story by story. A process that dies is a difference too.
"""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

from tests.checkers.worlds.program import Program

__all__ = ["Difference", "Judge", "Side", "SideFailed", "sides"]

ROOT = Path(__file__).parents[3]
PLAYER = Path(__file__).with_name("player.py")
AHEAD = 3
"""Programs that are sent before the answer to one is read."""
LOADED = ("never loaded", "loaded after every operation")


class SideFailed(Exception):
    """A side could not be started."""


class Side:
    """A build of Retick that plays programs, in a process that is started again when it has died."""

    def __init__(self, name: str, folder: Path, *, pure: bool, environment: Mapping[str, str] | None = None) -> None:
        self.name = name
        self._environment = {
            **os.environ,
            "PYTHONPATH": str(folder / "src"),
            "PYTHONSAFEPATH": "1",
            "PYTHONHASHSEED": "0",
            "RETICK_PURE": "1" if pure else "0",
            **(environment or {}),
        }
        self._folder, self._pure = folder, pure
        self._process: subprocess.Popen[str] | None = None
        self._lines: SimpleQueue[str] = SimpleQueue()
        """What the process has said, and an empty line at its end: read by a thread, so that neither waits for ever."""

    def start(self) -> None:
        """Start the process; SideFailed if it is not the build that was asked for."""
        self._process = subprocess.Popen(
            [sys.executable, str(PLAYER)],
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            process_group=None if os.name == "nt" else 0,  # Ctrl-C reaches us only
        )
        self._lines = SimpleQueue()
        threading.Thread(target=_read, args=(self._process, self._lines), daemon=True).start()
        line = self._lines.get()
        if not line:
            raise SideFailed(f"{self.name}: the process ended at its start; its error is above")
        where, is_compiled = json.loads(line)
        if Path(where).parent.parent.resolve() != (self._folder / "src").resolve():
            raise SideFailed(f"{self.name}: this Python imports retick from {where}")
        if is_compiled == self._pure:
            raise SideFailed(f"{self.name}: the kernels are {'' if is_compiled else 'not '}compiled; build them first")

    def ask(self, code: str) -> None:
        """Send a program."""
        if self._process is None:
            self.start()
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"code": code}) + "\n")
            self._process.stdin.flush()
        except OSError:
            pass  # its answer tells that it has died

    def answer(self) -> list[str]:
        """The stories of the oldest program that was sent; one of a process that died says so."""
        assert self._process is not None
        line = self._lines.get()
        if line.endswith("\n"):
            stories: list[str] = json.loads(line)
            return stories
        code = self._process.wait()
        self.close()
        return [f"the process died with code {code}"] * 2

    @property
    def is_running(self) -> bool:
        return self._process is not None

    def close(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            with suppress(OSError):  # what was not sent to it any more
                assert self._process.stdin is not None
                self._process.stdin.close()
            self._process = None

    def __enter__(self) -> "Side":
        if not self.is_running:
            self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _read(process: subprocess.Popen[str], lines: "SimpleQueue[str]") -> None:
    assert process.stdout is not None
    with process.stdout:
        for line in process.stdout:
            lines.put(line)
    lines.put("")


def sides(against: Path | None, *, pure: bool = False) -> list[Side]:
    """This tree in both forms, and another one compiled; with ``pure`` also that one uncompiled."""
    found = [Side("this tree", ROOT, pure=False), Side("this tree, uncompiled", ROOT, pure=True)]
    if against is not None:
        # The one that was there before comes first: the others are compared with it.
        found.insert(0, Side(f"{against.name}", against, pure=False))
        if pure:
            found.append(Side(f"{against.name}, uncompiled", against, pure=True))
    return found


@dataclass(frozen=True, slots=True)
class Difference:
    """Two stories of one program, to the first line that differs."""

    program: Program
    names: tuple[str, str]
    line: int
    stories: tuple[list[str], list[str]]

    def __str__(self) -> str:
        first, _ = self.stories
        before = first[max(self.line - 3, 0) : self.line]
        shown = [f"    {line}" for line in before]
        for name, story in zip(self.names, self.stories, strict=True):
            shown.append(f"  {name}:\n    {story[self.line] if self.line < len(story) else '(the story ends)'}")
        return f"{self.program}\n\nline {self.line} of the stories:\n" + "\n".join(shown)


def _joint(story: str) -> list[str]:
    """The lines of a story in which a loaded world and one that never was must agree."""
    kept = []
    for line in story.split("\n"):
        if line == "~~":
            break
        if not line.startswith("~ "):
            kept.append(line)
    return kept


def _compared(program: Program, names: tuple[str, str], one: list[str], other: list[str]) -> Difference | None:
    if one == other:
        return None
    lines = range(max(len(one), len(other)))
    first = next(n for n in lines if n >= len(one) or n >= len(other) or one[n] != other[n])
    return Difference(program, names, first, (one, other))


class Judge:
    """Plays programs on all sides; use it as a context. A side that runs already goes on after it."""

    def __init__(self, taking_part: Sequence[Side]) -> None:
        self.taking_part = taking_part
        self._stack = ExitStack()
        self._waiting: list[tuple[int, Program, str]] = []
        """Programs that were sent to all sides and not answered yet."""

    def __enter__(self) -> "Judge":
        for side in self.taking_part:
            if not side.is_running:
                self._stack.enter_context(side)
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        if error is None:
            while self._waiting:
                self._answers()
        else:  # perhaps in the middle of a question: nobody knows which answers will come
            for side in self.taking_part:
                side.close()
        self._stack.close()

    def differences(self, programs: Iterator[tuple[int, Program]]) -> Iterator[tuple[int, Difference | None]]:
        """The number of each program, and its first difference; while one is played the next ones are drawn.

        What was sent for an iterator before, which was left, is given up.
        """
        while self._waiting:
            self._answers()
        for number, program in programs:
            self._waiting.append((number, program, program.code))
            for side in self.taking_part:
                side.ask(self._waiting[-1][2])
            if len(self._waiting) > AHEAD:
                yield self._answers()
        while self._waiting:
            yield self._answers()

    def _answers(self) -> tuple[int, Difference | None]:
        number, program, _ = self._waiting.pop(0)
        stories = []
        for side in self.taking_part:
            stories.append(side.answer())
            if not side.is_running:
                for _, _, code in self._waiting:
                    side.ask(code)
        return number, self._first_difference(program, stories)

    def difference(self, program: Program) -> Difference | None:
        """The first difference of one program."""
        return next(found for _, found in self.differences(iter([(0, program)])))

    def _first_difference(self, program: Program, stories: list[list[str]]) -> Difference | None:
        names = [side.name for side in self.taking_part]
        for name, story in zip(names[1:], stories[1:], strict=True):
            for how, here, there in zip(LOADED, stories[0], story, strict=True):
                if here != there:
                    pair = (f"{names[0]}, {how}", f"{name}, {how}")
                    return _compared(program, pair, here.split("\n"), there.split("\n"))
        one, other = map(_joint, stories[0])
        return _compared(program, (f"{names[0]}, {LOADED[0]}", f"{names[0]}, {LOADED[1]}"), one, other)

    def shrunk(self, found: Difference, tell: Callable[[str], None] = lambda _: None) -> Difference:
        """A difference of a shorter program, with as few operations, classes and lines as still give one."""
        for take in (_without_operations, _without_lines, _without_operations):
            size = 16
            while size:
                start, is_shorter = 0, False
                while (shorter := take(found.program, start, size)) is not None:
                    tell(f"shrinking, {len(found.program.operations)} operations")
                    less = None if shorter == found.program else self.difference(shorter)
                    if less is not None:
                        found, is_shorter = less, True
                    else:
                        start += size
                if not is_shorter or size > 1:
                    size //= 2
        return found


def _without_operations(program: Program, start: int, size: int) -> Program | None:
    """The program without some of its operations, or without some classes; None past the end."""
    units = (*program.classes, *program.operations)
    if start >= len(units):
        return None
    kept = [unit for number, unit in enumerate(units) if not start <= number < start + size]
    classes = sum(1 for number in range(len(program.classes)) if not start <= number < start + size)
    return Program(tuple(kept[:classes]), tuple(kept[classes:]))


def _without_lines(program: Program, start: int, size: int) -> Program | None:
    """The program without some lines of its units; None past the end."""
    lines = [
        (number, line)
        for number, unit in enumerate((*program.classes, *program.operations))
        for line in unit.split("\n")
    ]
    if start >= len(lines):
        return None
    kept = [each for place, each in enumerate(lines) if not start <= place < start + size]
    count = len(program.classes) + len(program.operations)
    units = ["\n".join(line for unit, line in kept if unit == number) for number in range(count)]
    try:
        for unit in units:
            compile(unit, "shorter", "exec")
    except SyntaxError:
        return program
    return Program(tuple(units[: len(program.classes)]), tuple(units[len(program.classes) :]))
