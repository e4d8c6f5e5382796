"""The room of packets: Datagrams and captures, field by field."""

from retick.studio.room import Room
from retick.studio.settings import Settings

__all__ = ["PacketsRoom"]


class PacketsRoom(Room):
    """One page's room."""

    name = "packets"

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
