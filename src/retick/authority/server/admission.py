"""Who may come in: requests to join are accepted or refused, each with a text for the player."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from retick.authority.config import DELTA_SNAPSHOTS
from retick.authority.delta import DeltaCodec
from retick.authority.joining import TOKEN_SIZE, decode_join, encode_acceptance
from retick.authority.server.player import Player
from retick.authority.server.room import Room
from retick.authority.server.rooms import Rooms
from retick.errors import InvalidValue
from retick.link import Accept, Connection, Reason, Refuse, Request, describe

__all__ = ["Admission", "Guest"]


@dataclass(slots=True)
class Guest:
    """A connection that will get a seat, or has one. It is the tag of the link's connection."""

    room: Room
    token: bytes
    opened_at: float
    delta: DeltaCodec | None
    player: Player | None = None


def _taken(room: Room, links: Sequence[Connection]) -> int:
    """Seats taken, and connections that are about to take one."""
    coming = sum(1 for link in links if link.tag is not None and link.tag.room is room and link.tag.player is None)
    return len(room.players) + coming


class Admission:
    """Decides about requests to join."""

    def __init__(
        self,
        rooms: Rooms,
        delta: DeltaCodec | None,
        *,
        serves_fixed: bool,
        entropy: Callable[[int], bytes],
        take_over: Callable[[Room, Player], None],
    ) -> None:
        """``take_over`` frees a seat in use, for its player who has dialled from elsewhere."""
        self.closed_text: str | None = None
        """What new players are told when the server lets nobody in any more."""
        self._rooms = rooms
        self._delta = delta
        self._serves_fixed = serves_fixed
        self._entropy = entropy
        self._take_over = take_over

    def admit(self, request: Request, links: Sequence[Connection], now: float) -> Accept | Refuse:
        """The answer to a request; ``links`` are all open connections."""
        try:
            wish = decode_join(request.data)
        except InvalidValue:
            self._rooms.refused["bad_join"] += 1
            return Refuse(text="the request to join could not be read")
        room = self._rooms.by_name.get(wish.room)
        if room is None:
            self._rooms.refused["bad_join"] += 1
            return Refuse(text=self._rooms.why_not(wish.room))
        delta = self._delta if request.capabilities & DELTA_SNAPSHOTS else None
        if delta is not None and wish.schema != delta.codec.schema_hash:
            room.stats.refused["bad_join"] += 1
            return Refuse(reason=Reason.GAME_VERSION, text="the game's state is laid out differently here")
        if delta is None and not self._serves_fixed:
            room.stats.refused["bad_join"] += 1
            return Refuse(reason=Reason.GAME_VERSION, text="this game has only delta snapshots")
        returning = room.seat_of(wish.token) if wish.token else None
        if returning is None and self.closed_text is not None:
            room.stats.refused["draining"] += 1
            return Refuse(reason=Reason.SHUTDOWN, text=self.closed_text or describe(Reason.SHUTDOWN))
        if returning is None and _taken(room, links) >= room.profile.config.max_players:
            room.stats.refused["room_full"] += 1
            return Refuse(reason=Reason.FULL, text="the room is full")
        token = self._entropy(TOKEN_SIZE) if returning is None else wish.token
        if returning is not None:
            self._take_over(room, returning)
        request.connection.tag = Guest(room, token, now, delta)
        return Accept(data=encode_acceptance(token))
