"""Which game a recording is played with: the one named on the command line, or the one that the recording names."""

from typing import Annotated, Any

import typer

from retick.audit.game_loader import GAME_IDS, load_game, made_for
from retick.cli.project_game import project_game
from retick.errors import UsageError
from retick.replay import Replay
from retick.sim.contract import Simulation

__all__ = ["FIGHTER", "GameOption", "UnknownGame", "game_of", "project_game_of"]

FIGHTER = "retick.fighter"

GameOption = Annotated[
    str | None,
    typer.Option(
        "--game",
        metavar="MODULE:CLASS",
        help="The game, as module:Class, file.py:Class or by its id.",
        show_default="what the recording says: a game of Retick, or [tool.retick] game of pyproject.toml",
    ),
]


class UnknownGame(UsageError):
    """The recording does not name a game that is known here, and the command line names none."""


def project_game_of(replay: Replay) -> str | None:
    """The game of the project in the working directory, if the recording is of that one; else None."""
    named = None if not replay.game_id or replay.game_id in GAME_IDS else project_game()
    if named is None or getattr(load_game(named)(), "game_id", None) != replay.game_id:
        return None
    return named


def game_of(replay: Replay, named: str | None) -> Simulation[Any]:
    """The game to play ``replay`` with: as named, else that of the recording, which may be the project's."""
    named = named or project_game_of(replay)
    if named is None and replay.game_id and replay.game_id not in GAME_IDS:
        raise UnknownGame(
            f"the recording is of {replay.game_id!r}, which is not known here: add --game module:Class, "
            "or name it in pyproject.toml: [tool.retick] game = 'game.py:Tanks'"
        )
    if named is None and not replay.game_id and replay.checkpoints:
        # An RPLK file cannot name its game and is always of the fighter. Checkpoints mean that this is no RPLK file.
        raise UnknownGame("the recording does not say which game it is of: add --game module:Class")
    if named is not None and named not in GAME_IDS and replay.game_id in GAME_IDS and GAME_IDS[replay.game_id] != named:
        game = made_for(load_game(named), replay.num_players)
        if getattr(game, "game_id", None) != replay.game_id:
            raise UsageError(f"the recording is of {replay.game_id!r}, and {named} is another game")
        return game
    return made_for(load_game(named or replay.game_id or FIGHTER), replay.num_players)
