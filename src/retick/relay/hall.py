"""All rooms of a relay: by id and by code, how many there are of whom, and who has fallen silent. It sends nothing."""

from collections import Counter, deque
from collections.abc import Callable, Hashable
from typing import Any, Final

from retick.relay.addresses import origin_at
from retick.relay.config import RelayConfig
from retick.relay.events import MemberEntered, MemberGone, RelayEvent, RoomGone, RoomOpened
from retick.relay.rooms import Member, Room
from retick.relay.tickets import Ticket, TicketOffice
from retick.wire.relay import ROOM_SIZE, Refusal

__all__ = ["Hall"]

MOST_UNREAD: Final = 4096
"""Events that nobody has read."""


class Hall:
    """Rooms and members, within the limits of a configuration."""

    def __init__(self, config: RelayConfig, office: TicketOffice, entropy: Callable[[int], bytes]) -> None:
        self.rooms: dict[bytes, Room] = {}
        """By id."""
        self.by_code: dict[bytes, Room] = {}
        self.by_request: dict[tuple[bytes, Hashable], Member] = {}
        """By nonce and address of the request that brought a member in."""
        self.members = 0
        self.unread: list[RelayEvent] = []
        self._config = config
        self._office = office
        self._entropy = entropy
        self._rooms_of: Counter[Hashable] = Counter()
        self._looks: deque[Room] = deque()
        self._opened = 0

    def why_no_room(self, address: Hashable) -> Refusal | None:
        """Why this address may not have one room more, with one member."""
        if len(self.rooms) >= self._config.rooms or self.members >= self._config.members:
            return Refusal.RELAY_FULL
        if self._rooms_of[origin_at(address)] >= self._config.rooms_per_address:
            return Refusal.TOO_MANY_ROOMS
        return None

    def why_no_place(self, room: Room | None, tag: bytes, wall: float) -> Refusal | None:
        """Why nobody can join this room by its code."""
        if room is None:
            return Refusal.NO_SUCH_CODE
        if room.is_expired(wall, self._config.code_seconds):
            return Refusal.CODE_EXPIRED
        if room.is_full:
            return Refusal.ROOM_FULL
        return None if room.tag == tag else Refusal.OTHER_GAME

    def open(self, places: int, tag: bytes, address: Hashable, wall: float) -> Room:
        """A new room, with an id and a code that no other one has."""
        identity = self._entropy(ROOM_SIZE)
        while identity in self.rooms or self._office.code_of(identity) in self.by_code:
            identity = self._entropy(ROOM_SIZE)
        return self._add(Room(identity, self._office.code_of(identity), places, tag, int(wall)), address, False)

    def reopen(self, ticket: Ticket, address: Hashable) -> Room:
        """The room that a ticket is for, which is not there."""
        code = self._office.code_of(ticket.room)
        return self._add(Room(ticket.room, code, ticket.places, ticket.tag, ticket.opened), address, True)

    def _add(self, room: Room, address: Hashable, returned: bool) -> Room:
        self._opened += 1
        room.number, room.origin = self._opened, origin_at(address)
        self.rooms[room.id] = self.by_code[room.code] = room
        self._rooms_of[room.origin] += 1
        self._looks.append(room)
        self._tell(RoomOpened(room=room.number, places=room.places, returned=returned))
        return room

    def enter(self, room: Room, number: int, address: Any, nonce: bytes, now: float) -> Member:
        """Put a member into a room."""
        member = Member(room, number, address, (nonce, address), self._config.member_bytes, now)
        room.members[number] = self.by_request[member.request] = member
        self.members += 1
        self._tell(MemberEntered(room=room.number, member=number, address=address))
        return member

    def remove(self, member: Member, *, silent: bool) -> None:
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

    def silent(self, now: float) -> list[Member]:
        """Look at a quarter of the rooms: their members of whom nothing was heard for too long."""
        found: list[Member] = []
        for _ in range(min(len(self._looks), len(self._looks) // 4 + 1)):
            room = self._looks.popleft()
            if self.rooms.get(room.id) is room:
                found += [each for each in room.members.values() if now - each.heard_at >= self._config.idle_seconds]
                self._looks.append(room)
        return found

    def _tell(self, event: RelayEvent) -> None:
        if len(self.unread) < MOST_UNREAD:
            self.unread.append(event)
