"""Decides who may come in: requests to join are accepted or refused, each with a text for the player."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar

from retick.errors import InvalidValue
from retick.host.gate import BANNED, NOBODY, Gate
from retick.host.joining import TOKEN_SIZE, JoinAcceptance, JoinRequest, decode_join, encode_acceptance
from retick.host.rooms import Rooms
from retick.link import Accept, Connection, Reason, Refuse, Request, describe
from retick.tokens import Applicant, Pass

R = TypeVar("R", bound=Any)
P = TypeVar("P", bound=Any)


@dataclass(slots=True)
class Guest(Generic[R, P]):
    """A connection that will get a seat, or has one. It is the tag of the link's connection."""

    room: R
    token: bytes = field(repr=False)
    """The token of the seat."""
    opened_at: float
    player: P | None = None
    admitted: Pass = NOBODY
    """What is known about the player who comes in."""
    compact: bool = False
    """Whether the client gets compact delta snapshots."""


class Admission(ABC, Generic[R, P]):
    """Decides on requests to join. Each kind of server says which clients fit it."""

    def __init__(
        self, rooms: Rooms[R], *, entropy: Callable[[int], bytes], take_over: Callable[[R, P], None], gate: Gate
    ) -> None:
        """``take_over`` frees a seat in use whose player has dialled from elsewhere. ``gate`` knows the bans, and asks
        the application."""
        self.closed_text: str | None = None
        """What new players are told once the server accepts nobody; None while it does."""
        self._rooms = rooms
        self._entropy = entropy
        self._take_over = take_over
        self._gate = gate

    @abstractmethod
    def _misfit(self, wish: JoinRequest, request: Request) -> Refuse | None:
        """Refuse a client that could not read what the server sends; None if it fits."""

    @abstractmethod
    def _is_full(self, room: R, wish: JoinRequest, coming: Sequence[Guest[R, P]]) -> bool:
        """Whether the players present and the connections in ``coming`` leave this client no place."""

    @abstractmethod
    def _guest(self, room: R, token: bytes, now: float, wish: JoinRequest, request: Request) -> Guest[R, P]:
        """The guest for a client that is let in."""

    def admit(self, request: Request, links: Sequence[Connection], now: float) -> Accept | Refuse:
        """Answer a request; ``links`` are all open connections."""
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
        admitted = NOBODY if returning is None else _again(returning, request)
        if self._gate.is_banned(wish.room, admitted):
            refused["not_admitted"] += 1
            return Refuse(text=BANNED)
        if returning is None:
            answer = self._gate.ask(_applicant(wish, request, self._gate.server_key))
            if isinstance(answer, Refuse):
                refused["not_admitted"] += 1
                return answer
            admitted = answer
            returning = self._with_ticket(room, admitted, links)
        if returning is None and self._is_full(room, wish, _coming(room, links)):
            refused["room_full"] += 1
            return Refuse(reason=Reason.FULL, text="the room is full")
        token = self._entropy(TOKEN_SIZE)
        if returning is not None:
            token = returning.token
            self._take_over(room, returning)
        guest = request.connection.tag = self._guest(room, token, now, wish, request)
        guest.admitted = admitted
        return Accept(data=encode_acceptance(JoinAcceptance(token, guest.compact)))

    def _with_ticket(self, room: R, admitted: Pass, links: Sequence[Connection]) -> P | None:
        """The player who came in with the same join token, if any; closes a connection that is joining with it."""
        if not admitted.ticket:
            return None
        for link in links:
            guest = link.tag
            if guest is not None and guest.player is None and guest.admitted.ticket == admitted.ticket:
                link.tag = None
                link.close(Reason.DENIED, "the join token was shown again")
        return next((each for each in room.players.values() if each.admitted.ticket == admitted.ticket), None)


def _applicant(wish: JoinRequest, request: Request, server_key: bytes | None) -> Applicant:
    return Applicant(
        room=wish.room,
        address=request.address,
        fingerprint=request.fingerprint,
        name=wish.name,
        watches=wish.watches,
        token=request.token,
        server_key=server_key,
    )


def _again(player: Any, request: Request) -> Pass:
    """What is known about a returning player: as before, with the key of this connection."""
    known: Pass = player.admitted
    return known if request.fingerprint is None else replace(known, fingerprint=request.fingerprint)


def _coming(room: R, links: Sequence[Connection]) -> list[Guest[R, P]]:
    """Connections that are about to take a seat in a room."""
    return [link.tag for link in links if link.tag is not None and link.tag.room is room and link.tag.player is None]
