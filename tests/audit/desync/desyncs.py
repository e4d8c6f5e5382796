"""Matches between two builds of a game, up to the bundle that each peer writes."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from retick.audit.desync.bundle import Bundle, bundle_of
from retick.audit.game_loader import load_game
from retick.replay import Replay
from tests.audit.desync.desync_builds import write_build
from tests.rollback.engine.engines import exchange, investigate, play, script_of

FRAMES = 60


def load_build(name: str) -> Any:
    """A game from its own file, although all builds' files have one name."""
    sys.modules.pop("rules", None)
    try:
        return load_game(name)()
    finally:
        sys.modules.pop("rules", None)


def build_and_load(tmp_path: Path, name: str, source: str, attribute: str, *changes: tuple[str, str]) -> Any:
    """A game made from source text, with some of it replaced."""
    return load_build(f"{write_build(tmp_path, name, source, *changes)}:{attribute}")


def bundles(sims: Sequence[Any], *, seed: int = 7, last_agreed: int = -1, record: bool = False) -> list[Bundle]:
    """The bundles of all peers after a match whose alarm came at its end."""
    script = script_of(3, len(sims))
    engines = play(sims, script, FRAMES)
    investigations = investigate(engines, FRAMES - FRAMES % 16, last_agreed)
    exchange(investigations)
    rows = [script(frame) for frame in range(FRAMES)]
    recording = Replay(seed=seed, frames=rows, num_players=len(sims))  # type: ignore[arg-type] # packed there
    recordings = dict.fromkeys(range(len(sims)), recording) if record else {}
    return [
        bundle_of(investigation, sim, seed=seed, recordings=recordings)
        for investigation, sim in zip(investigations, sims, strict=True)
    ]
