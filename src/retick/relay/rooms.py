"""The rooms of a relay and their members, and its limits for strangers: rooms, wrong codes and answers an address."""

from collections import Counter, deque
from collections.abc import Callable, Hashable
from hashlib import blake2s
from ipaddress import IPv4Address, IPv6Address, ip_address
from math import ceil, inf
from typing import Any, Final

from retick.link.addresses import origin_of
from retick.link.handshake.strangers import RateBudget
from retick.relay.config import RelayConfig
from retick.relay.events import MemberEntered, MemberGone, RelayEvent, RoomGone, RoomOpened
from retick.relay.packets import ROOM_SIZE, UNTIL_FULL, Refusal
from retick.relay.tickets import Ticket, TicketOffice


class Bytes:
    """A budget of bytes to send: refilled at ``rate`` a second, up to one second's worth.

    It is refilled only when it runs out, so that a frame costs one subtraction. A burst may thus be twice as large.
    """

    __slots__ = ("filled_at", "left", "rate")

    def __init__(self, rate: int, now: float) -> None:
        self.rate = rate
        self.left: float = rate
        self.filled_at = now

    def fill(self, now: float) -> float:
        """Add what has accrued since the last call; returns the budget."""
        self.left = min(float(self.rate), self.left + (now - self.filled_at) * self.rate)
        self.filled_at = now
        return self.left


class RoomMember:
    """A member that is in a room."""

    __slots__ = ("address", "budget", "heard_at", "number", "request", "room")

    def __init__(
        self, room: "RelayRoom", number: int, address: Any, request: tuple[bytes, Hashable], rate: int, now: float
    ) -> None:
        self.room = room
        self.number = number
        self.address = address
        """The address that was proven last."""
        self.request = request
        """Nonce and address of the request that brought it in: repeating that request gives the same place."""
        self.budget = Bytes(rate, now)
        self.heard_at = now


class RelayRoom:
    """A room: its places, and the members in them."""

    __slots__ = ("code", "given", "id", "members", "number", "opened", "origin", "places", "tag", "told_at")

    def __init__(self, identity: bytes, code: bytes, places: int, tag: bytes, opened: int) -> None:
        self.id = identity
        self.code = code
        self.places = places
        self.tag = tag
        self.opened = opened
        """When the room was opened, in Unix seconds."""
        self.number = 0
        """The number of the room within this process: a name for logs that is not secret."""
        self.origin: Hashable = None
        """The origin that opened the room, for the limit of rooms."""
        self.given = 0
        """How many places were given out; none is given twice."""
        self.members: dict[int, RoomMember] = {}
        self.told_at = -inf
        """When members were last told who is present."""

    @property
    def is_full(self) -> bool:
        return self.given >= self.places

    @property
    def present(self) -> int:
        """A mask with a bit for each member present."""
        return sum(1 << number for number in self.members)

    def is_expired(self, wall: float, seconds: float) -> bool:
        """Whether the code has expired because nobody joined for ``seconds``. ``wall`` is in Unix seconds."""
        return self.given <= 1 and wall >= self.opened + seconds

    def seconds_of_code(self, wall: float, seconds: float) -> int:
        """Seconds for which the code is still valid: 0 if it is not, UNTIL_FULL if it does not expire."""
        if self.is_full:
            return 0
        return UNTIL_FULL if self.given > 1 else max(0, min(UNTIL_FULL - 1, int(self.opened + seconds - wall)))

    def ticket(self, member: int, expires: int) -> Ticket:
        return Ticket(self.id, member, self.places, self.given, self.opened, expires, self.tag)


# Socket addresses as a relay needs them: host and port, and the sender they belong to.


def seen_at(address: Hashable) -> tuple[IPv4Address | IPv6Address, int] | None:
    """Host and port of a socket address, IPv4 also where an IPv6 socket maps it; None for any other address."""
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


# All rooms of a relay: by id and by code, how many each origin has, and which members are silent. It sends nothing.

MOST_UNREAD: Final = 4096
"""The most events kept for the application to read."""


class Hall:
    """Rooms and members, within the limits of a configuration."""

    def __init__(self, config: RelayConfig, office: TicketOffice, entropy: Callable[[int], bytes]) -> None:
        self.rooms: dict[bytes, RelayRoom] = {}
        """All rooms, by id."""
        self.by_code: dict[bytes, RelayRoom] = {}
        self.by_request: dict[tuple[bytes, Hashable], RoomMember] = {}
        """Members by the nonce and address of the request that brought them in."""
        self.members = 0
        self.unread: list[RelayEvent] = []
        self._config = config
        self._office = office
        self._entropy = entropy
        self._rooms_of: Counter[Hashable] = Counter()
        self._looks: deque[RelayRoom] = deque()
        self._opened = 0

    def why_no_room(self, address: Hashable) -> Refusal | None:
        """Why this address may not open another room; None if it may."""
        if len(self.rooms) >= self._config.rooms or self.members >= self._config.members:
            return Refusal.RELAY_FULL
        if self._rooms_of[origin_at(address)] >= self._config.rooms_per_address:
            return Refusal.TOO_MANY_ROOMS
        return None

    def why_no_place(self, room: RelayRoom | None, tag: bytes, wall: float) -> Refusal | None:
        """Why nobody can join this room by its code; None if someone can."""
        if room is None:
            return Refusal.NO_SUCH_CODE
        if room.is_expired(wall, self._config.code_seconds):
            return Refusal.CODE_EXPIRED
        if room.is_full:
            return Refusal.ROOM_FULL
        return None if room.tag == tag else Refusal.OTHER_GAME

    def open(self, places: int, tag: bytes, address: Hashable, wall: float) -> RelayRoom:
        """Open a new room, with an unused id and code."""
        identity = self._entropy(ROOM_SIZE)
        while identity in self.rooms or self._office.code_of(identity) in self.by_code:
            identity = self._entropy(ROOM_SIZE)
        return self._add(RelayRoom(identity, self._office.code_of(identity), places, tag, int(wall)), address, False)

    def reopen(self, ticket: Ticket, address: Hashable) -> RelayRoom:
        """Open the room of a ticket again, after it is gone."""
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
        """Take a member out of its room, and close the room if it was the last."""
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
        """Check a quarter of the rooms; returns members that were silent for too long."""
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


# Limits on wrong codes, per address and for all together. Only proven addresses are counted.

ORIGINS_KEPT = 4096
"""How many addresses have their wrong codes remembered; the one that tried longest ago is forgotten first."""


class Guesses:
    """Budgets of wrong codes: one per origin, and one for all."""

    def __init__(self, config: RelayConfig) -> None:
        self._config = config
        self._each: dict[Hashable, RateBudget] = {}
        self._all: RateBudget | None = None

    def seconds_to_wait(self, origin: Hashable, now: float) -> int:
        """Seconds until this origin may try a code; 0 if it may now."""
        if self._all is None:
            self._all = RateBudget(self._config.wrong_codes_a_second, now)
        own = self._each.get(origin)
        if own is not None and not _has_one(own, now):
            return ceil(self._config.wrong_code_seconds)
        return 0 if _has_one(self._all, now) else 1

    def count_wrong(self, origin: Hashable, now: float) -> None:
        config = self._config
        own = self._each.pop(origin, None) or RateBudget(1 / config.wrong_code_seconds, now, most=config.wrong_codes)
        _keep(self._each, origin, own)
        own.spend(now)
        if self._all is not None:
            self._all.spend(now)


class UnprovenAnswers:
    """Budgets of answers to senders whose address is not proven: one per ticket, one per origin, and one for all.

    Addresses can be forged and tickets cannot. So a flood of forged requests uses up the budget of all, and a member
    that comes from another address still gets its cookie; and nobody can have many answers sent to one victim. Origins
    share 1024 budgets by a keyed hash, so that forged ones leave nothing behind.
    """

    def __init__(self, config: RelayConfig, key: bytes) -> None:
        self._rate = config.answers
        self._key = blake2s(key, person=b"answers_").digest()
        self._all: RateBudget | None = None
        self._origins: list[RateBudget] = []
        self._tickets: dict[Hashable, RateBudget] = {}

    def may_answer(self, address: Hashable, now: float, ticket: Ticket | None = None) -> bool:
        """Whether there is budget for an answer to this address; if so, spend it."""
        if ticket is not None:
            key = ticket.room, ticket.member
            own = self._tickets.pop(key, None) or RateBudget(2.0, now, most=8.0)
            _keep(self._tickets, key, own)
            return own.spend(now)
        if self._all is None:
            rate = self._rate / 100
            self._all = RateBudget(self._rate, now)
            self._origins = [RateBudget(rate, now, most=max(rate, 10.0)) for _ in range(1024)]
        # The origin's own budget first: its excess must not come out of that of all.
        seen = seen_at(address)
        return (seen is None or seen[0].is_loopback or self._own(seen[0]).spend(now)) and self._all.spend(now)

    def _own(self, host: IPv4Address | IPv6Address) -> RateBudget:
        origin = host.packed[:8]  # all of an IPv4 address, and the /64 of another
        place = blake2s(origin, key=self._key, digest_size=4).digest()
        return self._origins[int.from_bytes(place, "little") % len(self._origins)]


def _keep(budgets: dict[Hashable, RateBudget], key: Hashable, budget: RateBudget) -> None:
    """Keep a budget as the newest one, and forget the oldest of too many."""
    budgets[key] = budget
    if len(budgets) > ORIGINS_KEPT:
        del budgets[next(iter(budgets))]


def _has_one(budget: RateBudget, now: float) -> bool:
    if budget.spend(now):
        budget.give_back(1)
        return True
    return False
