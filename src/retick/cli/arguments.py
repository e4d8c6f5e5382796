"""Options of several commands: ``--budget`` and ``--project`` where files are read, ``--metrics`` of servers."""

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from retick._regular_files import read_text
from retick.errors import LimitExceeded, RetickError, UsageError
from retick.replay import ReadLimits, Replay, load
from retick.replay.limits import MIB

BudgetOption = Annotated[
    int | None,
    typer.Option(
        "--budget",
        min=1,
        max=1 << 20,
        metavar="MIB",
        help="MiB of memory that a trusted file may take when it is read.",
        show_default="by its size, 256 at most",
    ),
]

MetricsOption = Annotated[
    str | None,
    typer.Option(
        metavar="[HOST:]PORT",
        help="TCP port that answers /metrics, /healthz and /readyz; without a host on 127.0.0.1; 0: any free one.",
    ),
]


def read_limits(budget: int | None) -> ReadLimits:
    """The limits that the option asks for, or else the limits for files from strangers."""
    return ReadLimits() if budget is None else ReadLimits.trusting(budget * MIB)


def load_within(path: Path, budget: int | None, *, strict: bool = False) -> Replay:
    """Call ``retick.replay.load`` with the limits of the option."""
    with raisable():
        return load(path, strict=strict, limits=read_limits(budget))


@contextmanager
def raisable() -> Iterator[None]:
    """Add to a refusal how the limit can be raised."""
    try:
        yield
    except LimitExceeded as error:
        raise RetickError(f"{error}; if you trust the file, let it take more memory with --budget MIB") from None


# A project names its game in pyproject.toml: ``[tool.retick] game``.
#
# Only commands about a game take it by themselves (``play``, ``synctest``, ``audit``). A folder with somebody else's
# recordings may hold somebody else's pyproject.toml, so commands that open files import its game only after
# ``--project``.

PROJECT = Path("pyproject.toml")


def project_game() -> str | None:
    """The game of the project in the working directory, as module:Class or file.py:Class; None if it names none."""
    try:
        text = read_text(PROJECT)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except UnicodeDecodeError as error:
        raise UsageError(f"{PROJECT}: it is not UTF-8: {error.reason}") from None
    try:
        tools = tomllib.loads(text).get("tool", {})
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{PROJECT}: {error}") from None
    settings = tools.get("retick", {}) if isinstance(tools, dict) else {}
    game = settings.get("game") if isinstance(settings, dict) else None
    if game is not None and not isinstance(game, str):
        raise UsageError(f"{PROJECT}: [tool.retick] game must be a text such as 'game.py:Tanks', not {game!r}")
    return game


def wanted_game(given: str | None) -> str:
    """The game that was named, or else the project's; UsageError without either."""
    game = given or project_game()
    if game is None:
        raise UsageError("name the game, as module:Class, or in pyproject.toml: [tool.retick] game = 'game.py:Tanks'")
    return game


ProjectOption = Annotated[
    bool,
    typer.Option(
        "--project",
        help="Take the game that [tool.retick] of pyproject.toml in the working directory names: its code is run.",
    ),
]


def asked_project(wanted: bool, *given: str | None) -> str | None:
    """The project's game if ``--project`` asks for it; UsageError if there is none, or if a game was given as well."""
    if not wanted:
        return None
    if any(game is not None for game in given):
        raise UsageError("name the game or give --project, not both")
    game = project_game()
    if game is None:
        raise UsageError(f"--project: no {PROJECT} here names a game, as [tool.retick] game = 'game.py:Tanks'")
    return game
