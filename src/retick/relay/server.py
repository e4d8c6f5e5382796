"""The relay itself: five calls on its first port, five on its second. Its page is docs/formats/relay.md.

Theory of operation. A request is answered without memory until its sender has proven its address with a cookie. A
frame is routed by a table from channel to (sender's address, receiver's address, sender): ``take`` looks there first,
and examines a frame more closely only if it is not found or does not fit. The table caches what rooms say: a channel's
first use fills it, and a member's entries are removed when its address changes or it is gone.
"""

from collections import Counter
from collections.abc import Callable, Hashable
from typing import Any, Final

from retick.errors import DecodeError, UnsupportedVersion
from retick.link.handshake.cookies import CookieJar
from retick.relay import packets as wire
from retick.relay.config import RelayConfig
from retick.relay.events import RelayEvent
from retick.relay.packets import Answer, Refusal, RelayRequest
from retick.relay.rooms import Bytes, Guesses, Hall, RelayRoom, RoomMember, UnprovenAnswers, origin_at, seen_at
from retick.relay.tickets import Ticket, TicketOffice

HEADERS: Final = 28
"""Bytes of IPv4 and UDP headers, counted in the limits of bytes."""
LOOK_EVERY: Final = 0.25
"""Seconds between two checks for silent members; each check covers a quarter of the rooms."""
MOST_CHANNELS: Final = 65536
"""The most channels in the frame table; when it is full it is cleared."""
MOST_WAITING: Final = 4096
"""The most answers that wait to be sent."""


class SecondPort:
    """The five calls of the second port, which answers only ASK."""

    def __init__(self, server: "RelayServer") -> None:
        self._server = server
        self.waiting: list[tuple[bytes, Any]] = []

    def receive_datagram(self, data: bytes, address: Hashable, *, now: float) -> None:
        self._server.take_request(data, address, now, port=1)

    def datagrams_to_send(self, *, now: float) -> list[tuple[bytes, Any]]:
        out, self.waiting = self.waiting, []
        return out

    def next_timeout(self) -> float | None:
        return None

    def handle_timeout(self, *, now: float) -> None:
        """Do nothing: the second port has no timers."""

    def events(self) -> list[Any]:
        return []


class RelayServer:
    """A relay. Drivers that forward frames themselves call ``take`` instead of ``receive_datagram``."""

    def __init__(
        self,
        *,
        key: bytes,
        entropy: Callable[[int], bytes],
        epoch: float = 0.0,
        ports: tuple[int, int] = (0, 0),
        config: RelayConfig | None = None,
    ) -> None:
        """``key``: 32 bytes, the same after each start. ``epoch``: the Unix seconds at which the driver's clock was 0.

        ``ports`` are those of the two sockets; the second is 0 if there is none.
        """
        self.config = config or RelayConfig()
        self.second = SecondPort(self)
        self.on_other_port: Callable[[int], None] | None = None
        """Called with the other port, 0 or 1, when a datagram on one port was answered on the other: for drivers that
        drive each port separately and would not check there for datagrams to send."""
        self.forwarded = 0
        self.forwarded_bytes = 0
        """Bytes of frames that were forwarded, without headers."""
        self.answered = 0
        self.dropped: Counter[str] = Counter()
        """How many datagrams were dropped, by reason."""
        self.refused: Counter[Refusal] = Counter()
        self._office = TicketOffice(key)
        self._cookies = CookieJar(key)
        self._epoch = epoch
        self._ports = ports
        self._guesses = Guesses(self.config)
        self._hall = Hall(self.config, self._office, entropy)
        self._channels: dict[bytes, tuple[Any, Any, RoomMember]] = {}
        self._look_at: float | None = None
        self._untold: dict[bytes, RelayRoom] = {}
        """Rooms whose members have not been told yet who came or went."""
        self._budget: Bytes | None = None
        self._unproven = UnprovenAnswers(self.config, key)
        self._waiting: list[tuple[bytes, Any]] = []

    @property
    def rooms(self) -> int:
        """How many rooms there are."""
        return len(self._hall.rooms)

    @property
    def members(self) -> int:
        """How many members all rooms have together."""
        return self._hall.members

    # The five calls.

    def receive_datagram(self, data: bytes, address: Hashable, *, now: float) -> None:
        target = self.take(data, address, now)
        if target is not None:
            self._queue(self._waiting, data, target)

    def datagrams_to_send(self, *, now: float) -> list[tuple[bytes, Any]]:
        out, self._waiting = self._waiting, []
        return out

    def next_timeout(self) -> float | None:
        return self._look_at

    def handle_timeout(self, *, now: float) -> None:
        """Check a quarter of the rooms for silent members."""
        if self._look_at is None or now < self._look_at:
            return
        for member in self._hall.silent(now):
            self._remove(member, now, silent=True)
        untold, self._untold = self._untold, {}
        for room in untold.values():
            self._tell_present(room, now)
        self._look_at = now + LOOK_EVERY if self._hall.rooms else None

    def events(self) -> list[RelayEvent]:
        out, self._hall.unread = self._hall.unread, []
        return out

    # Frames.

    def take(self, data: bytes, address: Hashable, now: float) -> Any:
        """Receive a datagram; returns where to forward it unchanged, or None. Answers wait in ``datagrams_to_send``."""
        way = self._channels.get(data[1:9])
        if way is None or data[0] | 1 != wire.SIGNAL or way[0] != address:
            return self._take_slowly(data, address, now)
        size = len(data) + HEADERS
        if not HEADERS + wire.FRAME_HEAD_SIZE < size <= HEADERS + wire.MAX_DATAGRAM:
            self.dropped["malformed"] += 1
            return None
        member = way[2]
        own, shared = member.budget, self._budget
        member.heard_at = now
        if own.left < size and own.fill(now) < size:
            self.dropped["member_bytes"] += 1
            return None
        if shared is None:
            shared = self._budget = Bytes(self.config.total_bytes, now)
        if shared.left < size and shared.fill(now) < size:
            self.dropped["relay_bytes"] += 1
            return None
        own.left -= size
        shared.left -= size
        self.forwarded += 1
        self.forwarded_bytes += size - HEADERS
        return way[1]

    def _take_slowly(self, data: bytes, address: Hashable, now: float) -> Any:
        if not data or data[0] not in (wire.DATA, wire.SIGNAL):
            self.take_request(data, address, now)
            return None
        try:
            frame = wire.decode_frame(data)
        except DecodeError:
            self.dropped["malformed"] += 1
            return None
        room = self._hall.rooms.get(frame.room)
        sender = None if room is None else room.members.get(frame.sender)
        if room is None or sender is None or sender.address != address:
            self.dropped["unknown_channel"] += 1
            self._answer_unproven(wire.MemberLost(data[1:9]), address, now)
            return None
        receiver = room.members.get(frame.receiver)
        if receiver is None:
            self.dropped["receiver_gone"] += 1
            return None
        if len(self._channels) >= MOST_CHANNELS:
            self._channels.clear()
        self._channels[data[1:9]] = (address, receiver.address, sender)
        return self.take(data, address, now)

    # Requests.

    def take_request(self, data: bytes, address: Hashable, now: float, *, port: int = 0) -> None:
        """Receive a datagram that is not a frame, on the first port (0) or the second (1)."""
        try:
            request = wire.decode_request(data)
        except UnsupportedVersion:
            self._refuse(data[5:13], Refusal.VERSION, address, now, wire.VERSION, is_proven=False, port=port)
            return
        except DecodeError:
            self.dropped["malformed"] += 1
            return
        if seen_at(address) is None:
            self.dropped["address"] += 1
        elif request.kind == wire.ASK:
            other = request.flags & wire.FROM_OTHER_PORT
            self._show(request, address, now, port=port, through=port ^ other)
        elif port:
            self.dropped["second_port"] += 1
        elif request.kind in (wire.HERE, wire.LEAVE):
            self._take_ticket(request, address, now)
        elif not self._is_proven(request, address, now):
            self._show(request, address, now)
        elif (known := self._hall.by_request.get((request.nonce, address))) is not None:
            known.heard_at = now
            self._give_place(known, request.nonce, now)
        elif request.kind == wire.OPEN:
            self._open(request, address, now)
        else:
            self._join(request, address, now)

    def _is_proven(self, request: RelayRequest, address: Hashable, now: float) -> bool:
        return self._cookies.is_valid(request.cookie, b"", address, now)

    def _take_ticket(self, request: RelayRequest, address: Hashable, now: float) -> None:
        try:
            ticket = self._office.read_ticket(request.ticket)
        except DecodeError:
            ticket = None
        if ticket is None or ticket.expires <= self._wall(now):
            self._refuse(request.nonce, Refusal.TICKET, address, now, is_proven=False)
            return
        room = self._hall.rooms.get(ticket.room)
        member = None if room is None else room.members.get(ticket.member)
        if (member is None or member.address != address) and not self._is_proven(request, address, now):
            self._show(request, address, now, ticket=ticket)
        elif request.kind == wire.LEAVE:
            if member is not None:
                self._remove(member, now, silent=False)
            self._send(wire.encode_answer(wire.Left(request.nonce)), address)
        else:
            self._return(request, ticket, room, member, address, now)

    def _return(
        self,
        request: RelayRequest,
        ticket: Ticket,
        room: RelayRoom | None,
        member: RoomMember | None,
        address: Any,
        now: float,
    ) -> None:
        """Note that a member is still there, has another address, or came back with its ticket."""
        if member is None:
            is_full = self._hall.members >= self.config.members
            if is_full or (room is None and self._hall.why_no_room(address) is not None):
                self._refuse(request.nonce, Refusal.RELAY_FULL, address, now)
                return
            room = room or self._hall.reopen(ticket, address)
            room.given = max(room.given, ticket.given)
            self._enter(room, ticket.member, request.nonce, address, now)
            return
        if member.address != address:
            self._forget_channels(member)
            member.address = address
        member.heard_at = now
        self._give_place(member, request.nonce, now)

    def _open(self, request: RelayRequest, address: Any, now: float) -> None:
        reason = self._hall.why_no_room(address)
        if reason is not None:
            self._refuse(request.nonce, reason, address, now)
            return
        room = self._hall.open(request.places, request.tag, address, self._wall(now))
        room.given = 1
        self._enter(room, 0, request.nonce, address, now)

    def _join(self, request: RelayRequest, address: Any, now: float) -> None:
        origin = origin_at(address)
        wait = self._guesses.seconds_to_wait(origin, now)
        if wait:
            self._refuse(request.nonce, Refusal.SLOW_DOWN, address, now, wait)
            return
        room = self._hall.by_code.get(request.code)
        reason = self._hall.why_no_place(room, request.tag, self._wall(now))
        if room is None or reason is not None:
            self._guesses.count_wrong(origin, now)
            self._refuse(request.nonce, reason or Refusal.NO_SUCH_CODE, address, now)
        elif self._hall.members >= self.config.members:
            self._refuse(request.nonce, Refusal.RELAY_FULL, address, now)
        else:
            room.given += 1
            self._enter(room, room.given - 1, request.nonce, address, now)

    def _enter(self, room: RelayRoom, number: int, nonce: bytes, address: Any, now: float) -> None:
        member = self._hall.enter(room, number, address, nonce, now)
        if self._look_at is None:
            self._look_at = now + LOOK_EVERY
        self._give_place(member, nonce, now)
        self._tell_present(room, now, but=member)

    def _remove(self, member: RoomMember, now: float, *, silent: bool) -> None:
        self._forget_channels(member)
        self._hall.remove(member, silent=silent)
        self._tell_present(member.room, now)

    def _forget_channels(self, member: RoomMember) -> None:
        for number in member.room.members:
            self._channels.pop(wire.channel_of(member.room.id, member.number, number), None)
            self._channels.pop(wire.channel_of(member.room.id, number, member.number), None)

    def _wall(self, now: float) -> float:
        return self._epoch + now

    # Answers.

    def _give_place(self, member: RoomMember, nonce: bytes, now: float) -> None:
        room, wall = member.room, self._wall(now)
        seconds = room.seconds_of_code(wall, self.config.code_seconds)
        ticket = self._office.signed(room.ticket(member.number, int(wall + self.config.ticket_seconds)))
        place = wire.Place(nonce, member.number, room.code, seconds, room.present, ticket)
        self._send(wire.encode_answer(place), member.address)

    def _tell_present(self, room: RelayRoom, now: float, *, but: RoomMember | None = None) -> None:
        """Tell members who is present: at once, or at the next check, so that nobody floods by coming and going."""
        others = [member for member in room.members.values() if member is not but]
        if not others:
            return
        if now - room.told_at < LOOK_EVERY:
            self._untold[room.id] = room
            return
        room.told_at = now
        self._untold.pop(room.id, None)
        data = wire.encode_answer(wire.Present(room.id, room.present))
        for member in others:
            self._send(data, member.address)

    def _show(
        self, request: RelayRequest, address: Hashable, now: float,
        *, port: int = 0, through: int = 0, ticket: Ticket | None = None,
    ) -> None:  # fmt: skip
        seen = seen_at(address)
        assert seen is not None, "checked before"
        cookie = self._cookies.cookie(b"", address, now)
        answer = wire.Seen(request.nonce, wire.VERSION, self._ports[1 - port], *seen, cookie)
        self._answer_unproven(answer, address, now, port=through, ticket=ticket)
        if through != port and self.on_other_port is not None:
            self.on_other_port(through)

    def _refuse(
        self, nonce: bytes, reason: Refusal, address: Hashable, now: float, number: int = 0,
        *, is_proven: bool = True, port: int = 0,
    ) -> None:  # fmt: skip
        self.refused[reason] += 1
        answer = wire.RelayRefused(nonce, reason, number)
        if is_proven:
            self._send(wire.encode_answer(answer), address)
        else:
            self._answer_unproven(answer, address, now, port=port)

    def _answer_unproven(
        self, answer: Answer, address: Hashable, now: float, *, port: int = 0, ticket: Ticket | None = None
    ) -> None:
        if self._unproven.may_answer(address, now, ticket):
            self._send(wire.encode_answer(answer), address, port=port)
        else:
            self.dropped["answers"] += 1

    def _send(self, data: bytes, address: Any, *, port: int = 0) -> None:
        self.answered += 1
        self._queue(self.second.waiting if port else self._waiting, data, address)

    def _queue(self, waiting: list[tuple[bytes, Any]], data: bytes, address: Any) -> None:
        if len(waiting) < MOST_WAITING:
            waiting.append((data, address))
        else:
            self.dropped["queue"] += 1
