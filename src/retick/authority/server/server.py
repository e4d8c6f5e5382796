"""The server: rooms behind one endpoint. Sans-I/O: only the five calls reach it, and its ticks are timeouts.

A connection becomes a player in three steps: the link's handshake names a room (and, after a lost connection, the
seat), the link is up, and a hello of the right version arrives. Only then does the player exist.
"""

import struct
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from hmac import compare_digest
from typing import Final

from retick.authority.config import DELTA_SNAPSHOTS, ServerConfig
from retick.authority.delta import MOST_PLAYERS, DeltaCodec
from retick.authority.delta_frames import ACKED_INPUT, split_acked_input
from retick.authority.events import PlayerJoined, PlayerLeft, PlayerLost, PlayerRejoined, ServerEvent
from retick.authority.joining import TOKEN_SIZE, decode_join, encode_acceptance
from retick.authority.link_config import link_config_for
from retick.authority.profile import Profile
from retick.authority.server.player import Player
from retick.authority.server.room import Room
from retick.errors import DecodeError, EncodeError, InvalidValue, UnsupportedVersion, UsageError
from retick.link import (
    Accept,
    Connection,
    Disconnected,
    LinkEndpoint,
    MessageReceived,
    Reason,
    Refuse,
    Request,
    UnreliableReceived,
    describe,
)
from retick.link.layout import ENVELOPE_SIZE
from retick.wire.authority import Hello, InputStats, PlayerView

__all__ = ["Server"]

ORDERLY: Final = (Reason.GOODBYE, Reason.SHUTDOWN, Reason.VIOLATION, Reason.GAME_VERSION)
"""Reasons for an end of a connection after which the seat is not kept."""
LARGEST_DATAGRAM: Final = 1472
"""A fixed snapshot of sixteen players and the link's envelope are longer than the 1200 bytes that links keep to."""
LARGEST_SNAPSHOT: Final = LARGEST_DATAGRAM - ENVELOPE_SIZE


@dataclass(slots=True)
class _Guest:
    """A connection that will get a seat, or has one."""

    room: Room
    token: bytes
    opened_at: float
    delta: DeltaCodec | None
    player: Player | None = None


def _fits_fixed(profile: Profile) -> bool:
    """Whether a fixed snapshot of a full room fits into one datagram, and its players into the packet's count."""
    views = [PlayerView(peer, 0, profile.motor.spawn(peer), InputStats()) for peer in range(profile.config.max_players)]
    try:
        return len(profile.encode_snapshot(0, views)) <= LARGEST_SNAPSHOT
    except (EncodeError, struct.error):
        return False


def _check_snapshots(profile: Profile, delta: DeltaCodec | None, serves_fixed: bool) -> None:
    """Refuse a game whose snapshots can be too long, before a room fills up."""
    players = profile.config.max_players
    if delta is None and not serves_fixed:
        raise UsageError(
            f"a fixed snapshot of {players} players is longer than the {LARGEST_SNAPSHOT} bytes of a datagram"
        )
    if delta is not None and (players > MOST_PLAYERS or delta.largest(players) > LARGEST_SNAPSHOT):
        most = delta.largest(players)
        raise UsageError(
            f"a snapshot of {players} players may take {most} bytes, and a datagram holds {LARGEST_SNAPSHOT}:"
            f" have fewer players (at most {MOST_PLAYERS}), or fewer and coarser public numbers"
        )


class Server:
    """Answers the five calls; ``rooms`` are its rooms by name."""

    def __init__(
        self, profile: Profile, *, entropy: Callable[[int], bytes], config: ServerConfig | None = None
    ) -> None:
        self.profile = profile
        self.config = config or ServerConfig()
        # Rooms begin at different ticks, so that their snapshots do not all fall on the same one.
        self.rooms = {
            name: Room(profile, name, config=self.config, first_tick=number)
            for number, name in enumerate(self.config.rooms)
        }
        self.skipped_ticks = 0
        """Ticks that a late server left out: they were never run."""
        layout = profile.layout if self.config.delta else None
        self._delta = None if layout is None else DeltaCodec(layout)
        self._serves_fixed = _fits_fixed(profile)
        _check_snapshots(profile, self._delta, self._serves_fixed)
        seats = len(self.rooms) * profile.config.max_players
        shared = link_config_for(profile, timeout=self.config.timeout, delta=self._delta is not None)
        self._link = LinkEndpoint(
            replace(
                shared,
                tick_rate=profile.config.server_tick_rate,
                max_connections=seats + 16,
                max_connections_per_address=self.config.max_connections_per_address,
                max_datagram=LARGEST_DATAGRAM,
                payload_queue=8,
            ),
            entropy=entropy,
            admit=self._admit,
        )
        self._entropy = entropy
        self._events: list[ServerEvent] = []
        self._interval = 1.0 / profile.config.server_tick_rate
        self._start: float | None = None
        self._ticks = 0
        self._now = 0.0
        self._check_at = 0.0

    def close(self, text: str = "") -> None:
        """Say goodbye to everyone. Keep the five calls going for a moment, so that it is sent."""
        self._link.close(Reason.SHUTDOWN, text)

    def drop(self, peer_id: int, ban: bool = False, *, room: str = "", text: str = "the server dropped you") -> None:
        """Show a player out: the seat is free at once, and PlayerLeft follows. The client is told ``text``.

        With ``ban``, requests from its host (an IPv4 address, or a /64 network of IPv6) are refused from now on.
        """
        place = self.rooms.get(room)
        player = None if place is None else place.players.get(peer_id)
        if place is None or player is None:
            raise UsageError(f"there is no player {peer_id} in a room {room!r}: PlayerJoined names both")
        if ban:
            self._link.ban(player.address if player.connection is None else player.connection.address)
        for link in self.links:
            # Also one that has just dialled again with the seat's token.
            if link.tag is not None and link.tag.token == player.token:
                link.tag = None
                link.close(Reason.DENIED, text)
        self._leave(place, player, "dropped by the server")

    @property
    def refused(self) -> dict[str, int]:
        """How often something was dropped, by reason, with the link's reasons; without those that never occurred."""
        total = dict(self._link.dropped)
        for room in self.rooms.values():
            for reason, count in room.stats.refused.items():
                total[reason] = total.get(reason, 0) + count
        return {reason: count for reason, count in total.items() if count}

    @property
    def links(self) -> list[Connection]:
        """Every open connection."""
        return list(self._link.connections.values())

    # The five calls.

    def receive_datagram(self, data: bytes, address: Hashable, *, now: float) -> None:
        self._now = now
        self._link.receive_datagram(data, address, now=now)
        self._handle_link(now)

    def datagrams_to_send(self, *, now: float) -> list[tuple[bytes, Hashable]]:
        return self._link.datagrams_to_send(now=now)

    def next_timeout(self) -> float | None:
        tick_at = self._now if self._start is None else self._start + self._ticks * self._interval
        link_at = self._link.next_timeout()
        return tick_at if link_at is None else min(link_at, tick_at)

    def handle_timeout(self, *, now: float) -> None:
        self._now = now
        self._link.handle_timeout(now=now)
        self._handle_link(now)
        if self._start is None:
            self._start = now
        due = int((now - self._start) / self._interval + 1e-6) + 1 - self._ticks
        if due <= 0:
            return
        for _ in range(min(due, self.config.catch_up_ticks)):
            for room in self.rooms.values():
                room.advance(now)
        self._ticks += due
        self.skipped_ticks += max(0, due - self.config.catch_up_ticks)
        if now >= self._check_at:
            self._check_at = now + 0.25
            self._check_timeouts(now)

    def events(self) -> list[ServerEvent]:
        events, self._events = self._events, []
        return events

    # Joining and disconnecting.

    def _admit(self, request: Request) -> Accept | Refuse:
        try:
            wish = decode_join(request.data)
        except InvalidValue:
            self._any_room().stats.refused["bad_join"] += 1
            return Refuse(text="the request to join could not be read")
        room = self.rooms.get(wish.room)
        if room is None:
            self._any_room().stats.refused["bad_join"] += 1
            return Refuse(text=f"there is no room {wish.room!r}")
        delta = self._delta if request.capabilities & DELTA_SNAPSHOTS else None
        if delta is not None and wish.schema != delta.codec.schema_hash:
            room.stats.refused["bad_join"] += 1
            return Refuse(reason=Reason.GAME_VERSION, text="the game's state is laid out differently here")
        if delta is None and not self._serves_fixed:
            room.stats.refused["bad_join"] += 1
            return Refuse(reason=Reason.GAME_VERSION, text="this game has only delta snapshots")
        returning = self._seat_of(room, wish.token) if wish.token else None
        token = self._entropy(TOKEN_SIZE) if returning is None else wish.token
        guest = _Guest(room, token, self._now, delta)
        if returning is None and self._taken(room) >= self.profile.config.max_players:
            room.stats.refused["room_full"] += 1
            return Refuse(reason=Reason.FULL, text="the room is full")
        if returning is not None and returning.connection is not None:
            returning.connection.tag = None
            returning.connection.close(Reason.DENIED, "the seat was taken over from elsewhere")
            self._lose(guest.room, returning)
        request.connection.tag = guest
        return Accept(data=encode_acceptance(guest.token))

    def _any_room(self) -> Room:
        return next(iter(self.rooms.values()))

    def _taken(self, room: Room) -> int:
        """Seats taken, and connections that are about to take one."""
        coming = sum(
            1
            for link in self._link.connections.values()
            if link.tag is not None and link.tag.room is room and link.tag.player is None
        )
        return len(room.players) + coming

    def _seat_of(self, room: Room, token: bytes) -> Player | None:
        for player in room.players.values():
            if compare_digest(player.token, token):
                return player
        return None

    def _hello(self, guest: _Guest, connection: Connection, now: float) -> None:
        """A hello of the right version: the client gets its player, or gets it back."""
        room = guest.room
        player = guest.player
        if player is not None:
            if player.ack == 0 and player.grant_control():
                connection.send_reliable(room.welcome(player))
            else:
                room.stats.refused["unexpected"] += 1
            return
        player = self._seat_of(room, guest.token)
        if player is not None and player.connection is not None:
            connection.close(Reason.DENIED, "the seat is taken")
            return
        if player is not None:
            player.begin(now)
            player.lost_at = None
            self._events.append(PlayerRejoined(room=room.name, peer_id=player.peer_id))
        elif room.is_full:
            room.stats.refused["room_full"] += 1
            connection.close(Reason.FULL, "the room is full")
            return
        else:
            player = room.add(guest.token, now)
            self._events.append(PlayerJoined(room=room.name, peer_id=player.peer_id))
        player.connection = connection
        player.sender = None if guest.delta is None else guest.delta.sender()
        guest.player = player
        connection.send_reliable(room.welcome(player))

    def _lose(self, room: Room, player: Player) -> None:
        if player.connection is not None:
            player.address = player.connection.address
        player.connection = None
        player.sender = None
        player.lost_at = self._now
        self._events.append(PlayerLost(room=room.name, peer_id=player.peer_id))

    def _leave(self, room: Room, player: Player, text: str) -> None:
        room.remove(player)
        self._events.append(PlayerLeft(room=room.name, peer_id=player.peer_id, text=text))

    def _check_timeouts(self, now: float) -> None:
        """Free seats that were kept long enough; close connections that sent no hello."""
        for room in self.rooms.values():
            for player in list(room.players.values()):
                if player.lost_at is not None and now - player.lost_at > self.config.rejoin_seconds:
                    self._leave(room, player, "did not come back")
        for link in list(self._link.connections.values()):
            guest = link.tag
            if guest is not None and guest.player is None and now - guest.opened_at > self.config.join_seconds:
                link.close(Reason.DENIED, "no hello")

    # What the link reports.

    def _handle_link(self, now: float) -> None:
        for event in self._link.events():
            guest = event.connection.tag
            if guest is None:
                continue
            if isinstance(event, UnreliableReceived):
                self._on_payload(guest, event.data)
            elif isinstance(event, MessageReceived):
                self._on_message(guest, event.connection, event.data, now)
            elif isinstance(event, Disconnected):
                self._on_disconnected(guest, event)

    def _on_payload(self, guest: _Guest, data: bytes) -> None:
        player = guest.player
        if player is None:
            guest.room.stats.refused["not_joined"] += 1
            return
        if data[0] == ACKED_INPUT and player.sender is not None:
            ack, data = split_acked_input(data)
            player.sender.acknowledge(ack)
        guest.room.receive_bundle(player, data)

    def _on_message(self, guest: _Guest, connection: Connection, data: bytes, now: float) -> None:
        refused = guest.room.stats.refused
        try:
            message = self.profile.decode(data)
        except UnsupportedVersion as error:
            refused["wrong_version"] += 1
            connection.close(Reason.GAME_VERSION, f"this is protocol {self.profile.protocol_version}: {error}")
            return
        except DecodeError:
            refused["malformed"] += 1
            return
        if isinstance(message, Hello):
            self._hello(guest, connection, now)
        elif guest.player is None:
            refused["not_joined"] += 1
        else:
            guest.room.receive_control(guest.player, connection, message, now, connection.rtt * 1000)

    def _on_disconnected(self, guest: _Guest, event: Disconnected) -> None:
        player = guest.player
        if player is None or player.connection is not event.connection:
            return
        if event.reason in ORDERLY or not self.config.rejoin_seconds:
            self._leave(guest.room, player, event.text or describe(event.reason))
        else:
            self._lose(guest.room, player)
