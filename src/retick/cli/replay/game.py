"""Which game a recording is played with: the one named on the command line, or the one the recording names."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from retick.cli.games import load_game
from retick.errors import RetickError, UsageError
from retick.games.scramble import Scramble
from retick.replay import Replay

__all__ = ["GameOption", "game_named", "game_of", "playing", "raised"]

FIGHTER = "retick.fighter"
SCRAMBLE = "retick.scramble"
KNOWN = {FIGHTER: "retick.games.fighter:Fighter", SCRAMBLE: "retick.games.scramble:Scramble"}
"""Where the games live whose ids recordings carry."""

GameOption = Annotated[
    str | None,
    typer.Option(
        "--game",
        metavar="MODULE:CLASS",
        help="The game, as module:Class, file.py:Class or by its id.",
        show_default="what the recording says, else the fighter",
    ),
]


def game_of(replay: Replay, named: str | None) -> Any:
    """The game to play ``replay`` with."""
    if named is None and replay.game_id and replay.game_id not in KNOWN:
        raise UsageError(f"the recording is of {replay.game_id!r}, which is not known here: add --game module:Class")
    if named is None and not replay.game_id and replay.checkpoints:
        # RPLK has no room for a game and means the fighter; whatever says more than RPLK must say which game it is.
        raise UsageError("the recording does not say which game it is of: add --game module:Class")
    if named is not None and named not in KNOWN and replay.game_id in KNOWN and KNOWN[replay.game_id] != named:
        game = game_named(named)
        if getattr(game, "game_id", None) != replay.game_id:
            raise UsageError(f"the recording is of {replay.game_id!r}, and {named} is another game")
        return game
    if named in (None, SCRAMBLE) and replay.game_id == SCRAMBLE:
        return Scramble(replay.num_players)
    return game_named(named or replay.game_id or FIGHTER)


def game_named(name: str) -> Any:
    """A new game from ``module:Class``, ``file.py:Class`` or an id."""
    try:
        game = load_game(KNOWN.get(name, name))()
    except TypeError as error:
        raise UsageError(f"{name!r} cannot be made without arguments: {error}") from None
    missing = [
        call for call in ("num_players", "initial_state", "step", "checksum", "fields") if not hasattr(game, call)
    ]
    if missing:
        raise UsageError(f"{name!r} is no game: it has no {', '.join(missing)}")
    return game


@contextmanager
def playing() -> Iterator[None]:
    """What a game raises while it is played is an answer about the game, and not a fault of ours to trace."""
    try:
        yield
    except (RetickError, OSError):
        raise
    except Exception as error:
        raise RetickError(raised(error)) from error


def raised(error: Exception) -> str:
    """What a game raised, where, and whatever was noted of it, in one line."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    notes = "".join(f", {note}" for note in getattr(error, "__notes__", []))
    return f"the game raised {type(error).__name__}: {error} ({where.filename}:{where.lineno}{notes})"
