"""The messages of a room: what the world and the application send, and news of the players."""

from typing import TYPE_CHECKING, Final

from retick.authority.server.game_messages import send_control
from retick.authority.world.frames import encode_note
from retick.authority.world.messages import misfit
from retick.errors import UsageError

if TYPE_CHECKING:
    from retick.authority.world.server.player import WorldPlayer
    from retick.authority.world.server.room import WorldRoom

__all__ = ["HOPELESS", "MOST_QUEUED", "Post"]

MOST_QUEUED: Final = 4096
"""Messages that a world may send in one tick; more are dropped, and reported."""
HOPELESS: Final = 65536
"""Messages in one tick after which the world is taken to be in a loop without end: that is an error of the game."""

_Queued = tuple[bytes, tuple[int, ...] | None, bool]


class Post:
    """Keeps what is sent in a tick until the tick is over: a tick in which the game fails sends nothing."""

    def __init__(self, room: "WorldRoom") -> None:
        self._room = room
        self._queue: list[_Queued] = []

    def check(self, data: bytes, reliable: bool) -> None:
        """Refuse what cannot be sent."""
        why = misfit(data, reliable)
        if why is not None:
            raise UsageError(why)

    def queue(self, data: bytes, to: tuple[int, ...] | None, reliable: bool, /) -> None:
        """Send this at the end of the tick."""
        if len(self._queue) >= HOPELESS:
            raise UsageError(f"the world has sent {HOPELESS} messages in one tick, and goes on")
        self._queue.append((data, to, reliable))

    def deliver(self) -> None:
        """Hand over all that was queued; and tell clients of what they will never get."""
        queue, self._queue = self._queue, []
        for number, (data, to, reliable) in enumerate(queue):
            why = misfit(data, reliable) if number < MOST_QUEUED else f"a tick has at most {MOST_QUEUED} messages"
            for player in list(self._room.players.values()):
                if player.bot is None and (to is None or player.peer_id in to):
                    self._send(player, data, reliable, why)
        for player in self._room.players.values():
            if player.connection is not None:
                player.outbox.tell_losses(player.connection)

    def _send(self, player: "WorldPlayer", data: bytes, reliable: bool, why: str | None) -> None:
        if reliable:
            why = player.outbox.refuse(why) if why is not None else player.outbox.send(player.connection, data)
            if why is not None:
                self._room.drop_message(player, data, why)
        elif why is None and player.connection is not None:
            player.connection.send_unreliable(encode_note(data))

    def tell_all(self, packet: bytes) -> None:
        """A message of the server's own to every client."""
        for player in self._room.players.values():
            if player.connection is not None and player.receiver is not None:
                send_control(player.connection, packet)
