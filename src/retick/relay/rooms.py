"""Rooms of a relay and their members."""

from collections.abc import Hashable
from math import inf
from typing import Any

from retick.relay.tickets import Ticket
from retick.wire.relay import UNTIL_FULL

__all__ = ["Bytes", "Member", "Room"]


class Bytes:
    """Bytes that may be sent: filled up at ``rate`` a second, up to what one second brings.

    It is filled up only when it is used up, so that a frame costs a subtraction. So a burst may be twice as large.
    """

    __slots__ = ("filled_at", "left", "rate")

    def __init__(self, rate: int, now: float) -> None:
        self.rate = rate
        self.left: float = rate
        self.filled_at = now

    def fill(self, now: float) -> float:
        """Add what the time since the last call has brought; returns what there is."""
        self.left = min(float(self.rate), self.left + (now - self.filled_at) * self.rate)
        self.filled_at = now
        return self.left


class Member:
    """One member that is there."""

    __slots__ = ("address", "budget", "heard_at", "number", "request", "room")

    def __init__(
        self, room: "Room", number: int, address: Any, request: tuple[bytes, Hashable], rate: int, now: float
    ) -> None:
        self.room = room
        self.number = number
        self.address = address
        """The last one that was proven."""
        self.request = request
        """Nonce and address of the request that brought it in: the same request again gives the same place."""
        self.budget = Bytes(rate, now)
        self.heard_at = now


class Room:
    """A room: its places, and who is there."""

    __slots__ = ("code", "given", "id", "members", "number", "opened", "origin", "places", "tag", "told_at")

    def __init__(self, identity: bytes, code: bytes, places: int, tag: bytes, opened: int) -> None:
        self.id = identity
        self.code = code
        self.places = places
        self.tag = tag
        self.opened = opened
        """Unix seconds."""
        self.number = 0
        """Counts the rooms of this process: a name that is no secret, for logs."""
        self.origin: Hashable = None
        """Whose room it is, for the limit of rooms."""
        self.given = 0
        """Places that were given; none is given twice."""
        self.members: dict[int, Member] = {}
        self.told_at = -inf
        """When members were last told who is there."""

    @property
    def is_full(self) -> bool:
        return self.given >= self.places

    @property
    def present(self) -> int:
        """A bit for each member that is there."""
        return sum(1 << number for number in self.members)

    def is_expired(self, wall: float, seconds: float) -> bool:
        """Whether its code has expired: nobody has joined for so long. ``wall`` is in Unix seconds."""
        return self.given <= 1 and wall >= self.opened + seconds

    def seconds_of_code(self, wall: float, seconds: float) -> int:
        """For how long its code can still be used: 0 for not at all, UNTIL_FULL if it does not expire."""
        if self.is_full:
            return 0
        return UNTIL_FULL if self.given > 1 else max(0, min(UNTIL_FULL - 1, int(self.opened + seconds - wall)))

    def ticket(self, member: int, expires: int) -> Ticket:
        return Ticket(self.id, member, self.places, self.given, self.opened, expires, self.tag)
