"""A game that raises, and files on which it does."""

from pathlib import Path

import pytest

from retick import replay

GAMES = '''
from retick.sim import WorldSimulation

class Touchy:
    """Raises when player 0 presses 9."""
    num_players = 2
    game_id, game_version = "touchy", 1
    def initial_state(self, seed): return 0
    def step(self, state, inputs):
        if inputs[0] == 9:
            raise KeyError("nine")
        return state + 1
    def checksum(self, state): return state
    def fields(self, state): return [("state", state), ("raw", bytes([state])), ("kind", Touchy)]
'''


@pytest.fixture
def game(tmp_path: Path) -> str:
    (tmp_path / "games.py").write_text(GAMES)
    return f"{tmp_path / 'games.py'}:Touchy"


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Good, bad for the game, good."""
    paths = []
    for name, pressed in (("a", 1), ("b", 9), ("c", 2)):
        paths.append(tmp_path / f"{name}.rplk")
        replay.save(paths[-1], replay.Replay(seed=1, frames=[(0, 0), (pressed, 0)]))
    return paths
