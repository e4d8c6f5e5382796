"""The room of server: A server's room, seen by the server and by one of its clients."""

from retick.studio.room import Room
from retick.studio.settings import Settings

__all__ = ["ServerRoom"]


class ServerRoom(Room):
    """One page's room."""

    name = "server"

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self._settings = settings
