"""A recording in the window of its game."""

import importlib.util
from pathlib import Path

from retick.playing.window_module import find_window, window_game
from retick.replay import Replay

__all__ = ["play_in_window"]


def play_in_window(game: str | None, replay: Replay, file: Path, start: int | None) -> bool:
    """Play it until the window is closed; False if the game has no window, or pygame is not installed."""
    if game is None or importlib.util.find_spec("pygame") is None:
        return False
    module = find_window(game)
    if module is None:
        return False
    settings = window_game(game, module)
    from retick.integrations.pygame import Program

    program = Program(settings)
    page = program.replay(replay, file.name)
    if start is not None:
        page.playback.player.seek(start)
    program.show(lambda: page)
    program.run()
    return True
