"""The room of replay: Recorded matches and desync bundles."""

from retick.studio.room import Room
from retick.studio.settings import Settings

__all__ = ["ReplayRoom"]


class ReplayRoom(Room):
    """One page's room."""

    name = "replay"

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
