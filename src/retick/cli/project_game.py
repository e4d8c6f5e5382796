"""The game that the project in the working directory names: ``[tool.retick] game`` of its pyproject.toml."""

import tomllib
from pathlib import Path

from retick.errors import UsageError

__all__ = ["PROJECT", "project_game"]

PROJECT = Path("pyproject.toml")


def project_game() -> str | None:
    """The game as module:Class or file.py:Class; None if there is no project here, or it names none."""
    try:
        text = PROJECT.read_text(encoding="utf-8")
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
