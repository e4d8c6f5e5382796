"""The room of play: A match of two peers over a network that its sliders make bad."""

from retick.studio.room import Room
from retick.studio.settings import Settings

__all__ = ["PlayRoom"]


class PlayRoom(Room):
    """One page's room."""

    name = "play"

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
