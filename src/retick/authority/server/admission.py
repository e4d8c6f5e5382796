"""Who may come in: requests to join are accepted or refused, each with a text for the player."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from retick.authority.joining import TOKEN_SIZE, JoinRequest, decode_join, encode_acceptance
from retick.authority.server.rooms import Rooms
from retick.errors import InvalidValue
from retick.link import Accept, Connection, Reason, Refuse, Request, describe

__all__ = ["Admission", "Guest"]

R = TypeVar("R", bound=Any)
P = TypeVar("P")


@dataclass(slots=True)
class Guest(Generic[R, P]):
    """A connection that will get a seat, or has one. It is the tag of the link's connection."""

    room: R
    token: bytes
    opened_at: float
    player: P | None = None


class Admission(ABC, Generic[R, P]):
    """Decides about requests to join. Each kind of server says who fits it."""

    def __init__(self, rooms: Rooms[R], *, entropy: Callable[[int], bytes], take_over: Callable[[R, P], None]) -> None:
        """``take_over`` frees a seat in use, for its player who has dialled from elsewhere."""
        self.closed_text: str | None = None
        """What new players are told when the server lets nobody in any more."""
        self._rooms = rooms
        self._entropy = entropy
        self._take_over = take_over

    @abstractmethod
    def _misfit(self, wish: JoinRequest, request: Request) -> Refuse | None:
        """The refusal of a client that could not read what the server sends."""

    @abstractmethod
    def _is_full(self, room: R, wish: JoinRequest, coming: Sequence[Guest[R, P]]) -> bool:
        """Whether there is no place for this client beside those that are there and those that are coming."""

    @abstractmethod
    def _guest(self, room: R, token: bytes, now: float, wish: JoinRequest, request: Request) -> Guest[R, P]:
        """The guest that is let in."""

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
        refused = room.stats.refused
        misfit = self._misfit(wish, request)
        if misfit is not None:
            refused["bad_join"] += 1
            return misfit
        returning: P | None = room.seat_of(wish.token) if wish.token else None
        if returning is None and self.closed_text is not None:
            refused["draining"] += 1
            return Refuse(reason=Reason.SHUTDOWN, text=self.closed_text or describe(Reason.SHUTDOWN))
        if returning is None and self._is_full(room, wish, _coming(room, links)):
            refused["room_full"] += 1
            return Refuse(reason=Reason.FULL, text="the room is full")
        token = self._entropy(TOKEN_SIZE) if returning is None else wish.token
        if returning is not None:
            self._take_over(room, returning)
        request.connection.tag = self._guest(room, token, now, wish, request)
        return Accept(data=encode_acceptance(token))


def _coming(room: R, links: Sequence[Connection]) -> list[Guest[R, P]]:
    """Connections that are about to take a seat."""
    return [link.tag for link in links if link.tag is not None and link.tag.room is room and link.tag.player is None]
