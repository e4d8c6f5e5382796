"""Chooses the game that a recording is run with, and sends the choice to workers."""

import pickle
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from retick._kernels import is_compiled
from retick.audit.game_failure import game_failure, is_raised_by_game
from retick.audit.game_loader import GAME_IDS, import_game, load_game, locate_game, made_for
from retick.errors import RetickError, UsageError
from retick.replay import ReadLimits, Replay
from retick.sim.contract import Simulation
from retick.sim.flat import FlatSimulation
from retick.verify.judge import Judge, UnknownGame

__all__ = ["FIGHTER", "GameSpec", "UnknownGame", "game_for", "judge_for", "spec_of"]

FIGHTER = "retick.fighter"
Make = Callable[[], Simulation[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class GameSpec:
    """The choice of a game, in a form that can be sent to another process."""

    located: dict[str, str] | None = None
    """Where to import the game from. If this and ``pickled`` are None, each recording names its game."""
    pickled: bytes | None = None
    """The game itself, pickled."""
    project: dict[str, str] | None = None
    """Where to import the project's game from, which is used for recordings with its id."""
    strict: bool = True
    limits: ReadLimits | None = None

    def plain_game(self) -> Simulation[Any]:
        """The game for recordings that name none: the chosen one, or else the fighter."""
        if self.pickled is not None:
            return pickle.loads(self.pickled)  # type: ignore[no-any-return]  # what spec_of packed
        return (import_game(**self.located) if self.located else load_game(FIGHTER))()

    @property
    def uses_all_cores_by_threads(self) -> bool:
        """Whether the game, and the project's, run without the GIL."""
        games = [self.plain_game(), *([import_game(**self.project)()] if self.project else [])]
        return is_compiled() and all(
            isinstance(game, FlatSimulation)
            and game.python_advance is None
            and type(game).run is FlatSimulation.run
            and type(game).step is FlatSimulation.step
            for game in games
        )


def spec_of(
    game: object, *, project: str | None = None, strict: bool = True, limits: ReadLimits | None = None
) -> GameSpec:
    """Make the spec of ``game``: an import path, an id, a game, its class, or None if each recording names its own."""
    located = pickled = None
    if isinstance(game, str):
        load_game(game)
        located = _located(game)
    elif game is not None:
        made = game() if isinstance(game, type) else game
        try:
            pickled = pickle.dumps(made)
        except Exception as error:
            raise UsageError(
                f"{type(made).__name__} cannot be sent to workers ({error}): give the game by import path, "
                "as module:Class"
            ) from None
    return GameSpec(
        located=located,
        pickled=pickled,
        project=None if project is None else _located(project),
        strict=strict,
        limits=limits,
    )


def _located(name: str) -> dict[str, str]:
    found = locate_game(name)
    return {**found, "root": str(Path(found["root"]).resolve())}


def game_for(replay: Replay, chosen: Make | None, project: Make | None) -> Simulation[Any]:
    """The game to run ``replay`` with: the chosen one, else the one that the recording names."""
    if chosen is not None:
        return made_for(chosen, replay.num_players)
    if replay.game_id in GAME_IDS:
        return made_for(load_game(replay.game_id), replay.num_players)
    if not replay.game_id:
        if replay.checkpoints:
            # An RPLK file cannot name its game and always holds the fighter, but it has no checkpoints.
            raise UnknownGame("the recording does not name its game: add --game module:Class")
        return made_for(load_game(FIGHTER), replay.num_players)
    if project is not None and getattr(project(), "game_id", None) == replay.game_id:
        return made_for(project, replay.num_players)
    raise UnknownGame(
        f"the recording is of {replay.game_id!r}, which is not known here: add --game module:Class, "
        "or --project for the game of the project in this folder"
    )


def judge_for(spec: GameSpec) -> Judge:
    """Make the judge of one thread or process, with games of its own: a game may keep things between calls."""
    project = None if spec.project is None else import_game(**spec.project)
    chosen: Make | None = None
    if spec.pickled is not None:
        own = spec.plain_game()
        chosen = lambda: own  # noqa: E731 - as import_game returns
    elif spec.located is not None:
        chosen = import_game(**spec.located)
    made: dict[tuple[str, int, bool], Simulation[Any]] = {}

    def find(replay: Replay) -> Simulation[Any]:
        key = (replay.game_id, replay.num_players, bool(replay.checkpoints))
        if key not in made:
            if len(made) > MOST_GAMES:
                made.clear()
            made[key] = game_for(replay, chosen, project)
        return made[key]

    return Judge(find, plain=spec.plain_game(), explain=_explained, strict=spec.strict, limits=spec.limits)


MOST_GAMES = 64
"""Most games that a judge keeps: recordings may name any number of them."""


def _explained(error: Exception) -> str:
    if isinstance(error, RetickError) and not is_raised_by_game(error):
        return str(error)
    return game_failure(error)
