"""Rooms of a relay and their members."""

from collections import Counter, deque
from collections.abc import Callable, Hashable
from ipaddress import IPv4Address, IPv6Address, ip_address
from math import ceil, inf
from typing import Any, Final

from retick.link.handshake.strangers import RateBudget, origin_of
from retick.relay.config import RelayConfig
from retick.relay.events import MemberEntered, MemberGone, RelayEvent, RoomGone, RoomOpened
from retick.relay.packets import ROOM_SIZE, UNTIL_FULL, Refusal
from retick.relay.tickets import Ticket, TicketOffice

__all__ = [
    "Bytes",
    "Guesses",
    "Hall",
    "RelayRoom",
    "RoomMember",
    "origin_at",
    "seen_at",
]


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


class RoomMember:
    """One member that is there."""

    __slots__ = ("address", "budget", "heard_at", "number", "request", "room")

    def __init__(
        self, room: "RelayRoom", number: int, address: Any, request: tuple[bytes, Hashable], rate: int, now: float
    ) -> None:
        self.room = room
        self.number = number
        self.address = address
        """The last one that was proven."""
        self.request = request
        """Nonce and address of the request that brought it in: the same request again gives the same place."""
        self.budget = Bytes(rate, now)
        self.heard_at = now


class RelayRoom:
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
        self.members: dict[int, RoomMember] = {}
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


# Addresses of sockets as a relay needs them: host and port, and whose they are.


def seen_at(address: Hashable) -> tuple[IPv4Address | IPv6Address, int] | None:
    """Host and port of a socket's address; IPv4 as such, also where an IPv6 socket shows it. None for any other."""
    if not isinstance(address, tuple) or len(address) < 2 or not isinstance(address[0], str):
        return None
    try:
        host = ip_address(address[0])
    except ValueError:
        return None
    if isinstance(host, IPv6Address):
        host = host.ipv4_mapped or host
    return host, address[1]


def origin_at(address: Hashable) -> Hashable:
    """What counts as one sender: an IPv4 address, or the /64 network of an IPv6 address."""
    seen = seen_at(address)
    return address if seen is None else origin_of((str(seen[0]), seen[1]))


# All rooms of a relay: by id and by code, how many there are of whom, and who has fallen silent. It sends nothing.

MOST_UNREAD: Final = 4096
"""Events that nobody has read."""


class Hall:
    """Rooms and members, within the limits of a configuration."""

    def __init__(self, config: RelayConfig, office: TicketOffice, entropy: Callable[[int], bytes]) -> None:
        self.rooms: dict[bytes, RelayRoom] = {}
        """By id."""
        self.by_code: dict[bytes, RelayRoom] = {}
        self.by_request: dict[tuple[bytes, Hashable], RoomMember] = {}
        """By nonce and address of the request that brought a member in."""
        self.members = 0
        self.unread: list[RelayEvent] = []
        self._config = config
        self._office = office
        self._entropy = entropy
        self._rooms_of: Counter[Hashable] = Counter()
        self._looks: deque[RelayRoom] = deque()
        self._opened = 0

    def why_no_room(self, address: Hashable) -> Refusal | None:
        """Why this address may not have one room more, with one member."""
        if len(self.rooms) >= self._config.rooms or self.members >= self._config.members:
            return Refusal.RELAY_FULL
        if self._rooms_of[origin_at(address)] >= self._config.rooms_per_address:
            return Refusal.TOO_MANY_ROOMS
        return None

    def why_no_place(self, room: RelayRoom | None, tag: bytes, wall: float) -> Refusal | None:
        """Why nobody can join this room by its code."""
        if room is None:
            return Refusal.NO_SUCH_CODE
        if room.is_expired(wall, self._config.code_seconds):
            return Refusal.CODE_EXPIRED
        if room.is_full:
            return Refusal.ROOM_FULL
        return None if room.tag == tag else Refusal.OTHER_GAME

    def open(self, places: int, tag: bytes, address: Hashable, wall: float) -> RelayRoom:
        """A new room, with an id and a code that no other one has."""
        identity = self._entropy(ROOM_SIZE)
        while identity in self.rooms or self._office.code_of(identity) in self.by_code:
            identity = self._entropy(ROOM_SIZE)
        return self._add(RelayRoom(identity, self._office.code_of(identity), places, tag, int(wall)), address, False)

    def reopen(self, ticket: Ticket, address: Hashable) -> RelayRoom:
        """The room that a ticket is for, which is not there."""
        code = self._office.code_of(ticket.room)
        return self._add(RelayRoom(ticket.room, code, ticket.places, ticket.tag, ticket.opened), address, True)

    def _add(self, room: RelayRoom, address: Hashable, returned: bool) -> RelayRoom:
        self._opened += 1
        room.number, room.origin = self._opened, origin_at(address)
        self.rooms[room.id] = self.by_code[room.code] = room
        self._rooms_of[room.origin] += 1
        self._looks.append(room)
        self._tell(RoomOpened(room=room.number, places=room.places, returned=returned))
        return room

    def enter(self, room: RelayRoom, number: int, address: Any, nonce: bytes, now: float) -> RoomMember:
        """Put a member into a room."""
        member = RoomMember(room, number, address, (nonce, address), self._config.member_bytes, now)
        room.members[number] = self.by_request[member.request] = member
        self.members += 1
        self._tell(MemberEntered(room=room.number, member=number, address=address))
        return member

    def remove(self, member: RoomMember, *, silent: bool) -> None:
        """Take a member out of its room; a room without members is gone."""
        room = member.room
        del room.members[member.number]
        self.members -= 1
        if self.by_request.get(member.request) is member:
            del self.by_request[member.request]
        self._tell(MemberGone(room=room.number, member=member.number, silent=silent))
        if room.members:
            return
        del self.rooms[room.id]
        if self.by_code.get(room.code) is room:
            del self.by_code[room.code]
        self._rooms_of[room.origin] -= 1
        if not self._rooms_of[room.origin]:
            del self._rooms_of[room.origin]
        self._tell(RoomGone(room=room.number))

    def silent(self, now: float) -> list[RoomMember]:
        """Look at a quarter of the rooms: their members of whom nothing was heard for too long."""
        found: list[RoomMember] = []
        for _ in range(min(len(self._looks), len(self._looks) // 4 + 1)):
            room = self._looks.popleft()
            if self.rooms.get(room.id) is room:
                found += [each for each in room.members.values() if now - each.heard_at >= self._config.idle_seconds]
                self._looks.append(room)
        return found

    def _tell(self, event: RelayEvent) -> None:
        if len(self.unread) < MOST_UNREAD:
            self.unread.append(event)


# Wrong codes: how many an address may try, and all addresses together. Only proven addresses come here.

ORIGINS_KEPT = 4096
"""Addresses whose wrong codes are remembered; the one that tried longest ago is forgotten first."""


class Guesses:
    """Budgets of wrong codes by origin, and one for all."""

    def __init__(self, config: RelayConfig) -> None:
        self._config = config
        self._each: dict[Hashable, RateBudget] = {}
        self._all: RateBudget | None = None

    def seconds_to_wait(self, origin: Hashable, now: float) -> int:
        """0 if this origin may try a code now."""
        if self._all is None:
            self._all = RateBudget(self._config.wrong_codes_a_second, now)
        own = self._each.get(origin)
        if own is not None and not _has_one(own, now):
            return ceil(self._config.wrong_code_seconds)
        return 0 if _has_one(self._all, now) else 1

    def count_wrong(self, origin: Hashable, now: float) -> None:
        config = self._config
        own = self._each.pop(origin, None) or RateBudget(1 / config.wrong_code_seconds, now, most=config.wrong_codes)
        self._each[origin] = own
        if len(self._each) > ORIGINS_KEPT:
            del self._each[next(iter(self._each))]
        own.spend(now)
        if self._all is not None:
            self._all.spend(now)


def _has_one(budget: RateBudget, now: float) -> bool:
    if budget.spend(now):
        budget.give_back(1)
        return True
    return False
