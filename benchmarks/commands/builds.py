"""Measures two builds of Retick in turns: this tree, and a checkout in another folder, such as the commit before.

Each build has a process that runs the same module of ``benchmarks`` with the sources of its own folder. In every round
each is asked for each figure, one after the other, and the best round of each counts: what else the machine does
disturbs both alike, and their ratio holds on a busy machine too.
"""

import json
import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retick.audit.interpreter import start_module
from retick.cli.terminal import say
from retick.errors import RetickError, UsageError

__all__ = ["Build", "Row", "builds", "checkout", "in_turns", "print_rows"]

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A figure of all builds."""

    name: str
    unit: str
    values: tuple[float, ...]
    """The best of all rounds, in the order of the builds; the last one is this tree."""

    @property
    def ratio(self) -> float | None:
        """This tree's value divided by the other build's; None without another one."""
        return self.values[-1] / self.values[0] if len(self.values) > 1 and self.values[0] else None


class Build:
    """The parent's end of a process that measures one build."""

    def __init__(self, folder: Path, process: "subprocess.Popen[str]") -> None:
        self.folder = folder
        self._process = process

    def ask(self, what: str, **details: Any) -> Any:
        """Send a request, and wait for the answer."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(json.dumps({"ask": what, **details}) + "\n")
            self._process.stdin.flush()
            return json.loads(self._process.stdout.readline())
        except (OSError, ValueError):
            raise RetickError(f"the process that measures {self.folder} ended; its error is above") from None

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def checkout(folder: Path | None) -> Path | None:
    """The folder as it is used; a UsageError if it is no checkout."""
    if folder is not None and not (folder / "src" / "retick").is_dir():
        raise UsageError(f"{folder} is no checkout of Retick: it has no src/retick")
    return None if folder is None else folder.resolve()


@contextmanager
def builds(module: str, other: Path | None, *, pure: bool) -> Iterator[list[Build]]:
    """Start ``python -m benchmarks.commands.MODULE`` for another build, if there is one, and for this one."""
    with ExitStack() as stack:
        found = []
        for folder in [*([other] if other is not None else []), ROOT]:
            process = start_module(
                f"benchmarks.commands.{module}",
                environment={
                    "PYTHONPATH": os.pathsep.join((str(folder / "src"), str(ROOT))),
                    "RETICK_PURE": "1" if pure else "0",
                    "PYGAME_HIDE_SUPPORT_PROMPT": "1",
                    "SDL_VIDEODRIVER": "dummy",
                },
                stdin=subprocess.PIPE,
            )
            stack.enter_context(process)
            found.append(Build(folder, process))
            stack.callback(found[-1].close)
            where, is_compiled = found[-1].ask("form")
            if Path(where).resolve() != (folder / "src" / "retick" / "__init__.py").resolve():
                raise UsageError(f"this Python imports retick from {where}, not from {folder}")
            if is_compiled == pure:
                raise UsageError(f"the kernels in {folder} are {'' if is_compiled else 'not '}compiled")
        yield found


def in_turns(
    taking_part: Sequence[Build], figures: Sequence[tuple[str, str]], rounds: int, tell: Callable[[str], None]
) -> list[Row]:
    """The best of all rounds of each figure, which is a name and a unit; RetickError if two builds end differently.

    A build answers with a value and with something that must be the same for all builds, as a checksum.
    """
    best = {name: [float("inf")] * len(taking_part) for name, _ in figures}
    ends: dict[str, Any] = {}
    for number in range(1, rounds + 1):
        for name, _ in figures:
            tell(f"round {number} of {rounds}, {name}")
            for index, build in enumerate(taking_part):
                value, end = build.ask("measure", name=name)
                best[name][index] = min(best[name][index], value)
                if ends.setdefault(name, end) != end:
                    raise RetickError(f"{name} ends differently: {ends[name]} in one build and {end} in {build.folder}")
    return [Row(name=name, unit=unit, values=tuple(best[name])) for name, unit in figures]


def print_rows(rows: Sequence[Row], taking_part: Sequence[Build]) -> None:
    """Print a table with a column for each build, and the ratio."""
    names = ["before", "now"] if len(taking_part) > 1 else ["now"]
    say(f"{'':>44}  {'':>3}" + "".join(f"{name:>12}" for name in names) + (f"{'ratio':>8}" if len(names) > 1 else ""))
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:8.2f}"
        values = "".join(f"{value:12,.2f}" for value in row.values)
        say(f"{row.name:>44}  {row.unit:>3}{values}{ratio}")
    if len(taking_part) > 1:
        say(f"before: {taking_part[0].folder}")
