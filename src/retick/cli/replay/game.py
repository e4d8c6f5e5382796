"""Which game a recording is played with: the one named on the command line, or the one that the recording names."""

from typing import Annotated, Any

import typer

from retick.audit.game_loader import GAME_IDS, load_game
from retick.bulk.games import FIGHTER, UnknownGame, game_for
from retick.cli.project_game import project_game
from retick.errors import UsageError
from retick.replay import Replay
from retick.sim.contract import Simulation

__all__ = ["FIGHTER", "GameOption", "UnknownGame", "game_of", "project_game_of"]

GameOption = Annotated[
    str | None,
    typer.Option(
        "--game",
        metavar="MODULE:CLASS",
        help="The game, as module:Class, file.py:Class or by its id.",
        show_default="what the recording says: a game of Retick, or [tool.retick] game of pyproject.toml",
    ),
]


def project_game_of(replay: Replay) -> str | None:
    """The game of the project in the working directory, if the recording is of that one; else None."""
    named = None if not replay.game_id or replay.game_id in GAME_IDS else project_game()
    if named is None or getattr(load_game(named)(), "game_id", None) != replay.game_id:
        return None
    return named


def game_of(replay: Replay, named: str | None) -> Simulation[Any]:
    """The game to play ``replay`` with: as named, else that of the recording, which may be the project's."""
    named = named or project_game_of(replay)
    game = game_for(replay, None if named is None else load_game(named), None)
    is_other = replay.game_id in GAME_IDS and getattr(game, "game_id", None) != replay.game_id
    if named is not None and named not in GAME_IDS and is_other:
        raise UsageError(f"the recording is of {replay.game_id!r}, and {named} is another game")
    return game
