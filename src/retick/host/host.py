"""Rooms behind one endpoint, for every kind of game: ticks, joining, lost connections, faults, draining.

Sans-I/O: only the five calls reach it, and its ticks are timeouts. Each kind of server says what its rooms are, who
may come in, and what its packets mean.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any, Final, Generic, TypeVar

from retick.errors import UsageError
from retick.host.admission import Admission, Guest
from retick.host.config import CONTROL_QUEUE, FAULTS, HostConfig
from retick.host.events import (
    PlayerJoined,
    PlayerLeft,
    PlayerLost,
    PlayerRejoined,
    RoomClosed,
    RoomFailed,
    ServerDrained,
    ServerEvent,
)
from retick.host.gate import Admit, Gate, with_pass
from retick.host.rooms import HostedPlayer, HostedRoom, Rooms
from retick.host.stats import ServerStats
from retick.link import Connection, Disconnected, LinkConfig, LinkEvent, Reason, ReliableReceived, describe
from retick.link import UnreliableReceived as Unreliable
from retick.routes.online import Online, OnlineEvent
from retick.routes.routed_link import make_link

ORDERLY: Final = (Reason.GOODBYE, Reason.SHUTDOWN, Reason.VIOLATION, Reason.GAME_VERSION)
"""Reasons for which a connection ends and the seat is not kept."""
LINGER: Final = 0.25
"""Seconds that a room's last messages have to arrive before the goodbye."""

P = TypeVar("P", bound=HostedPlayer)
R = TypeVar("R", bound=HostedRoom[Any])


class RoomHost(ABC, Generic[R, P]):
    """A server of any kind: answers the five calls; ``rooms`` are its rooms by name."""

    def __init__(
        self,
        config: HostConfig,
        link: LinkConfig,
        *,
        seats: int,
        entropy: Callable[[int], bytes],
        clock: Callable[[], float] | None,
        admit: Admit | None,
        online: Online | None = None,
    ) -> None:
        """``seats``: for all possible rooms together. ``clock`` measures ticks; ``admit`` decides who comes in."""
        self._config = config
        self._now = 0.0
        self._events: list[ServerEvent | OnlineEvent] = []
        self._rooms: Rooms[R] = Rooms(config, self._make_room)
        self.skipped_ticks = 0
        """How many ticks a late server skipped and never ran."""
        self._link = make_link(
            replace(
                link,
                max_connections=seats + 16,
                max_connections_per_address=config.max_connections_per_address,
                payload_queue=8,
                send_queue=config.message_queue + CONTROL_QUEUE,
            ),
            online,
            on_online=self._report,
            places=seats + 1,
            entropy=entropy,
            admit=lambda request: self._admission.admit(request, self.links, self._now),
        )
        self._gate = Gate(admit, link, self._report)
        self._clock = clock
        self._drain_by: float | None = None
        """The deadline of a drain, when the last rooms are ended; None before ``drain``."""
        self._is_over = False
        """True once there are no more ticks: the server was closed or has drained."""
        self._interval = 1.0 / link.tick_rate
        self._start: float | None = None
        self._ticks = 0
        self._check_at = 0.0
        self.refusals = self._link.refusals  # the recent refusals, with their reasons

    # Hooks: what kinds of servers differ in.

    _admission: Admission[R, P]

    @abstractmethod
    def _make_room(self, name: str, number: int) -> R:
        """Make a room; ``number`` rooms were opened before it."""

    @abstractmethod
    def _failure(self, room: R, error: BaseException) -> RoomFailed:
        """The report of a room whose game raised an error."""

    @abstractmethod
    def _on_payload(self, guest: Any, data: bytes) -> None:
        """Called when an unreliable payload arrived."""

    @abstractmethod
    def _on_message(self, guest: Any, connection: Connection, data: bytes, now: float) -> None:
        """Called when a reliable message arrived."""

    def _on_other(self, guest: Any, event: LinkEvent, now: float) -> None:
        """Called for any other event of a link."""

    @abstractmethod
    def _add_player(self, guest: Any, now: float) -> P | None:
        """Add a new player to the guest's room; returns None if there is no place left."""

    @abstractmethod
    def _return_player(self, player: P, now: float) -> None:
        """Called when a player whose connection was lost is back."""

    def _farewell(self, room: R, text: str) -> None:
        """Send the last messages to everyone in a room that ends."""

    def _tell_dropped(self, connection: Connection, text: str) -> float:
        """Send the last message to a player who is dropped; returns the seconds that it has to arrive."""
        return 0.0

    def _on_skipped(self, ticks: int, now: float) -> None:
        """Called with the number of ticks just skipped, usually 0."""

    def _joined(self, guest: Any, player: P, connection: Connection) -> PlayerJoined:
        made = PlayerJoined(room=guest.room.name, peer_id=player.peer_id, address=connection.address)
        return with_pass(made, guest.admitted)

    def _report(self, event: ServerEvent | OnlineEvent) -> None:
        self._events.append(event)

    def _left(self, room: R, player: P, text: str) -> PlayerLeft:
        return PlayerLeft(room=room.name, peer_id=player.peer_id, text=text, address=player.address)

    @property
    def rooms(self) -> dict[str, R]:
        """All rooms that there are now, by name."""
        return self._rooms.by_name

    def open_room(self, name: str) -> R:
        """Open a room. A room of the same name may have ended before."""
        if self.is_draining:
            raise UsageError("a server that drains or is closed opens no room")
        return self._rooms.open(name)

    def close_room(self, name: str, text: str = "the room is closed") -> None:
        """End a room: its players are told ``text``; a PlayerLeft for each of them and a RoomClosed follow."""
        room = self.rooms.get(name)
        if room is None:
            raise UsageError(self._rooms.why_not(name))
        self._end_room(room, text)
        self._events.append(RoomClosed(room=name, text=text))

    def drain(self, text: str = "the server goes down", *, within: float = 30.0) -> None:
        """Let nobody new in, and end each room once nobody is connected to it, at the latest in ``within`` seconds.

        Players who lost their connection can still rejoin. When the last room has ended, everyone is told goodbye,
        and ServerDrained follows; keep the five calls going until then and for a moment more.
        """
        if not within >= 0:
            raise UsageError(f"within must be 0 seconds or more, not {within}")
        self._drain_by = self._now + within
        self._admission.closed_text = text
        self._check_at = self._now

    @property
    def is_draining(self) -> bool:
        """Whether new players are refused: after ``drain`` or ``close``."""
        return self._admission.closed_text is not None

    def close(self, text: str = "") -> None:
        """Say goodbye to everyone now. Keep the five calls going for a moment, so that it is sent."""
        self._is_over = True
        self._admission.closed_text = text
        self._link.close(Reason.SHUTDOWN, text)

    def drop(self, peer_id: int, ban: bool = False, *, room: str = "", text: str = "the server dropped you") -> None:
        """Drop a player: the seat is free at once, and PlayerLeft follows. The client is told ``text``.

        With ``ban`` the player cannot come back: while the room lives, by player id and lasting key; and in all rooms,
        by host (an IPv4 address, or a /64 network of IPv6).
        """
        place = self.rooms.get(room)
        player = None if place is None else place.players.get(peer_id)
        if place is None or player is None:
            raise UsageError(f"there is no player {peer_id} in a room {room!r}: PlayerJoined names both")
        if ban:
            self._gate.ban(room, player.admitted)
            self._link.ban(player.address if player.connection is None else player.connection.address)
        for link in self.links:
            # Includes a connection that has just dialled with the seat's token.
            if link.tag is not None and link.tag.token == player.token:
                link.tag = None
                link.close(Reason.DENIED, text, linger=self._tell_dropped(link, text))
        self._leave(place, player, "dropped by the server")

    @property
    def refused(self) -> dict[str, int]:
        """How often something was dropped, by reason, with the link's reasons; leaves out those that never occurred."""
        total = dict(self._link.dropped)
        for reason, count in self._rooms.refusals().items():
            total[reason] = total.get(reason, 0) + count
        return {reason: count for reason, count in total.items() if count}

    @property
    def links(self) -> list[Connection]:
        """Every open connection."""
        return list(self._link.connections.values())

    def stats(self) -> ServerStats:
        """All figures of the server at this moment."""
        rooms = self.rooms
        return ServerStats(
            connections=len(self._link.connections),
            skipped_ticks=self.skipped_ticks,
            refused=self.refused,
            rooms={name: room.stats for name, room in rooms.items()},
            players={
                name: {peer: player.stats for peer, player in room.players.items()} for name, room in rooms.items()
            },
        )

    # The five calls.

    def receive_datagram(self, data: bytes, address: Hashable, *, now: float) -> None:
        self._now = now
        self._link.receive_datagram(data, address, now=now)
        self._handle_link(now)

    def datagrams_to_send(self, *, now: float) -> list[tuple[bytes, Hashable]]:
        return self._link.datagrams_to_send(now=now)

    def next_timeout(self) -> float | None:
        link_at = self._link.next_timeout()
        if self._is_over:
            return link_at
        tick_at = self._now if self._start is None else self._start + self._ticks * self._interval
        return tick_at if link_at is None else min(link_at, tick_at)

    def handle_timeout(self, *, now: float) -> None:
        self._now = now
        self._link.handle_timeout(now=now)
        self._handle_link(now)
        if self._is_over:
            return
        if self._start is None:
            self._start = now
        due = int((now - self._start) / self._interval + 1e-6) + 1 - self._ticks
        if due <= 0:
            return
        for _ in range(min(due, self._config.catch_up_ticks)):
            for room in list(self.rooms.values()):
                self._advance(room, now)
        self._ticks += due
        skipped = max(0, due - self._config.catch_up_ticks)
        self.skipped_ticks += skipped
        self._on_skipped(skipped, now)
        if now >= self._check_at:
            self._check_at = now + 0.25
            self._check_timeouts(now)
            if self._drain_by is not None:
                self._drain_rooms(now, self._drain_by)

    def events(self) -> list[ServerEvent | OnlineEvent]:
        events, self._events = self._events, []
        return events

    # Rooms.

    def _advance(self, room: R, now: float) -> None:
        """Run one tick of one room. A fault of the game ends this room, and nothing else."""
        clock = self._clock
        began = 0.0 if clock is None else clock()
        try:
            room.advance(now)
        except FAULTS as error:
            self._fail_room(room, error)
        if clock is not None:
            room.stats.tick_cost.add(clock() - began, self._config.tick_budget or self._interval)

    def _fail_room(self, room: R, error: BaseException) -> None:
        failed = self._failure(room, error)
        self._end_room(room, "the game has failed")
        self._events.append(failed)

    def _end_room(self, room: R, text: str) -> None:
        self._farewell(room, text)
        for link in self.links:
            if link.tag is not None and link.tag.room is room:
                link.tag = None
                link.close(Reason.SHUTDOWN, text, linger=LINGER)
        for player in list(room.players.values()):
            self._leave(room, player, text)
        self._rooms.end(room, text)
        self._gate.forget(room.name)

    def _drain_rooms(self, now: float, by: float) -> None:
        text = self._admission.closed_text or ""
        for room in list(self.rooms.values()):
            if now >= by or not any(link.tag is not None and link.tag.room is room for link in self.links):
                self.close_room(room.name, text)
        if not self.rooms:
            self._is_over = True
            self._link.close(Reason.SHUTDOWN, text, linger=LINGER)
            self._events.append(ServerDrained())

    # Joining and disconnecting.

    def _take_seat(self, guest: Guest[R, P], connection: Connection, now: float) -> P | None:
        """Give a guest a player, or give it back; returns None, and ends the connection, if that is not possible."""
        room: R = guest.room
        player: P | None = room.seat_of(guest.token)
        if player is not None and player.connection is not None:
            connection.close(Reason.DENIED, "the seat is taken")
            return None
        if player is not None:
            self._return_player(player, now)
            player.lost_at = None
            self._events.append(PlayerRejoined(room=room.name, peer_id=player.peer_id, address=connection.address))
        else:
            player = self._add_player(guest, now)
            if player is None:
                room.stats.refused["room_full"] += 1
                connection.close(Reason.FULL, "the room is full")
                return None
            self._events.append(self._joined(guest, player, connection))
        player.connection = connection
        player.admitted = guest.admitted
        guest.player = player
        return player

    def _take_over(self, room: R, player: P) -> None:
        """Handle a client that dialled with the token of a seat in use."""
        if player.connection is not None:
            player.connection.tag = None
            player.connection.close(Reason.DENIED, "the seat was taken over from elsewhere")
            self._lose(room, player)

    def _lose(self, room: R, player: P) -> None:
        room.disconnect(player)
        player.lost_at = self._now
        self._events.append(PlayerLost(room=room.name, peer_id=player.peer_id, address=player.address))

    def _leave(self, room: R, player: P, text: str) -> None:
        if room.players.get(player.peer_id) is not player:
            return  # the room failed while others were leaving, and everybody is gone
        room.disconnect(player)
        room.remove(player)
        self._events.append(self._left(room, player, text))

    def _check_timeouts(self, now: float) -> None:
        """Free seats that were kept long enough; close connections that sent no hello."""
        for room in list(self.rooms.values()):
            for player in list(room.players.values()):
                if player.lost_at is not None and now - player.lost_at > self._config.rejoin_seconds:
                    self._leave(room, player, "did not come back")
        for link in list(self._link.connections.values()):
            guest = link.tag
            if guest is not None and guest.player is None and now - guest.opened_at > self._config.join_seconds:
                link.close(Reason.DENIED, "no hello")

    # Reports of the link.

    def _handle_link(self, now: float) -> None:
        for event in self._link.events():
            guest = event.connection.tag
            if guest is None:
                continue
            try:
                self._handle_event(guest, event, now)
            except FAULTS as error:
                self._fail_room(guest.room, error)

    def _handle_event(self, guest: Guest[R, P], event: LinkEvent, now: float) -> None:
        if isinstance(event, Unreliable):
            self._on_payload(guest, event.data)
        elif isinstance(event, ReliableReceived):
            self._on_message(guest, event.connection, event.data, now)
        elif isinstance(event, Disconnected):
            self._on_disconnected(guest, event)
        else:
            self._on_other(guest, event, now)

    def _on_disconnected(self, guest: Guest[R, P], event: Disconnected) -> None:
        player = guest.player
        if player is None or player.connection is not event.connection:
            return
        if event.reason in ORDERLY or not self._config.rejoin_seconds:
            self._leave(guest.room, player, event.text or describe(event.reason))
        else:
            self._lose(guest.room, player)
