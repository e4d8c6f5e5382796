"""What an application can do in the middle of a server's work; for everything else there are events."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from retick.authority.world.server.player import WorldPlayer
    from retick.authority.world.server.room import WorldRoom

__all__ = ["RoomHooks"]


class RoomHooks:
    """Override what you need. An error in any of them is an error of that room: it ends, and the others go on."""

    def opened(self, room: "WorldRoom") -> None:
        """A new room, at its start, with nobody in it: ``room.add_bot`` fits here. Not called for a restored one. What
        this raises, ``open_room`` and the server's constructor raise: there is no room then."""

    def received(self, room: "WorldRoom", player: "WorldPlayer", data: bytes) -> None:
        """The application of a client has sent a message, reliably or not; ``MessageFromPlayer`` comes as well. It may
        be any bytes: check them, since what this raises ends the room."""

    def joined(self, room: "WorldRoom", player: "WorldPlayer") -> None:
        """A player, a bot or a spectator has just joined; ``player.name`` and ``player.address`` say who it is."""

    def leaving(self, room: "WorldRoom", player: "WorldPlayer") -> None:
        """A player is about to leave: what it has is still in ``room.world``. Not called in a room that has failed."""

    def ticked(self, room: "WorldRoom") -> None:
        """A tick was run; nothing of it was sent yet. Read the world here, and do not change it."""

    def ended(self, room: "WorldRoom", text: str) -> None:
        """A room ends, and everybody is still in it. Not called for a room that has failed."""
