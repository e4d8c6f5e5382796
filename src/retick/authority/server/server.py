"""The server of a declared world: rooms behind one endpoint. Sans-I/O: only the five calls reach it.

A connection becomes a player when the link is up: the handshake has named the room, the player and, after a lost
connection, the seat. WELCOME is the answer.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from traceback import format_exception, format_exception_only
from typing import Any, Final, Unpack, cast

from retick.authority.compact import CompactTables
from retick.authority.frames import INPUT, decode_input, decode_note
from retick.authority.layout import layout_of
from retick.authority.messages import (
    LONGEST_WORDS,
    Ended,
    LossNotice,
    RoomMessage,
    RoomOver,
    decode_message,
    encode_message,
)
from retick.authority.server.config import RoomHooks, WorldServerConfig
from retick.authority.server.player import Bot, WorldPlayer, bots_of
from retick.authority.server.room import Load, MakeRecorder, WorldRoom, possessions
from retick.authority.server.saved_room import SavedRoom, decode_room
from retick.authority.views import check_budget
from retick.errors import DecodeError, InvalidValue, UsageError
from retick.host.admission import Admission, Guest
from retick.host.config import COMPACT_SNAPSHOTS, FAULTS
from retick.host.events import MessageFromPlayer, MessagesNotReceived, PlayerJoined, PlayerLeft, RoomClosed, RoomFailed
from retick.host.gate import Admit, Gate
from retick.host.host import LINGER, RoomHost
from retick.host.joining import JoinRequest
from retick.host.link_config import ServerSealing, link_config
from retick.host.rooms import Rooms
from retick.link import Connected, Connection, LinkEvent, Reason, Refuse, Request, Sealing
from retick.routes.online import Online
from retick.routes.routed_link import routes_of
from retick.routes.routes import Routes
from retick.sim.world import World
from retick.sim.world.hosting import check_owners

# Decides who may come into the rooms of a declared world: players, while a seat is free, and spectators.


@dataclass(slots=True)
class WorldGuest(Guest[WorldRoom, WorldPlayer]):
    """A guest with a name."""

    name: str = ""
    watches: bool = False
    address: Hashable = None


class WorldAdmission(Admission[WorldRoom, WorldPlayer]):
    """Admits clients that have the same tables of the world."""

    def __init__(
        self,
        rooms: Rooms[WorldRoom],
        schema: int,
        seats: int,
        *,
        compact: int,
        entropy: Callable[[int], bytes],
        take_over: Callable[[WorldRoom, WorldPlayer], None],
        gate: Gate,
    ) -> None:
        """``schema``: hash of the tables; ``seats``: of a room; ``compact``: hash of the compact tables, 0 without
        compact snapshots."""
        super().__init__(rooms, entropy=entropy, take_over=take_over, gate=gate)
        self._schema = schema
        self._compact = compact
        self._seats = seats

    def _misfit(self, wish: JoinRequest, request: Request) -> Refuse | None:
        if wish.schema != self._schema:
            return Refuse(reason=Reason.GAME_VERSION, text="the world is declared differently here")
        return None

    def _is_full(self, room: WorldRoom, wish: JoinRequest, coming: Sequence[Guest[WorldRoom, WorldPlayer]]) -> bool:
        also = sum(guest.watches == wish.watches for guest in coming if isinstance(guest, WorldGuest))
        watching = room.spectators()
        if wish.watches:
            return watching + also >= room.config.max_spectators
        return len(room.players) - watching + also >= self._seats

    def _guest(self, room: WorldRoom, token: bytes, now: float, wish: JoinRequest, request: Request) -> WorldGuest:
        reads_compact = request.capabilities & COMPACT_SNAPSHOTS != 0 and wish.compact == self._compact != 0
        return WorldGuest(room, token, now, name=wish.name, watches=wish.watches, compact=reads_compact)


SEED_BYTES: Final = 4


class WorldServer(RoomHost[WorldRoom, WorldPlayer]):
    """A server of declared worlds: answers the five calls; ``rooms`` are its rooms by name."""

    def __init__(
        self,
        game: type[World],
        *,
        entropy: Callable[[int], bytes],
        config: WorldServerConfig | None = None,
        hooks: RoomHooks | None = None,
        record: MakeRecorder | None = None,
        clock: Callable[[], float] | None = None,
        admit: Admit | None = None,
        online: Online | None = None,
        **sealing: Unpack[ServerSealing],
    ) -> None:
        """``entropy(n)`` gives n random bytes: ``os.urandom``, or a seeded generator in a test.

        ``record(room)`` returns the recorder of a new room, or None. ``clock()`` gives seconds, like
        ``time.perf_counter``; it enables ``RoomStats.tick_cost``. ``admit(applicant)`` answers with a Pass or a Refuse;
        ``retick.tokens.Tokens`` is one. With ``key_pair`` only clients that know its public half get in. ``online``
        opens a room at a relay: clients join by its code.
        """
        if not (isinstance(game, type) and issubclass(game, World)):
            raise UsageError(f"a WorldServer runs a class of worlds, not {game!r}: WorldServer(Tanks, ...)")
        if game.advance is World.advance:
            raise UsageError(f"{game.__name__} has no advance(self, inputs): a server has nothing to run")
        check_owners(game)
        self.game = game
        self.config = config or WorldServerConfig()
        self.load = Load()
        """How much is shed because the server is late."""
        self._layout = layout_of(game)
        check_budget(self._layout, self.config.snapshot_bytes)
        self._entropy = entropy
        self._hooks = hooks or RoomHooks()
        self._record = record
        named = game()
        given = cast("Sealing", sealing)
        link = link_config(
            named.game_id,
            named.game_version,
            timeout=self.config.timeout,
            capabilities=COMPACT_SNAPSHOTS if self.config.compact else 0,
            sealing=given,
        )
        self._compact = CompactTables(self._layout, sealed=link.sealed) if self.config.compact else None
        seats = self._layout.players + self.config.max_spectators
        super().__init__(
            self.config,
            replace(link, tick_rate=self.config.tick_rate),
            seats=self.config.room_limit * seats,
            entropy=entropy,
            clock=clock,
            admit=admit,
            online=online,
        )
        self._admission = WorldAdmission(
            self._rooms,
            self._layout.hash,
            self._layout.players,
            compact=0 if self._compact is None else self._compact.hash,
            entropy=entropy,
            take_over=self._take_over,
            gate=self._gate,
        )

    @property
    def routes(self) -> Routes | None:
        """The code of a server with ``online``, and how each client is reached; None for other servers."""
        return routes_of(self._link)

    # Rooms.

    def _make_room(self, name: str, number: int, saved: SavedRoom | None = None) -> WorldRoom:
        seed = int.from_bytes(self._entropy(SEED_BYTES), "little") or 1
        room = WorldRoom(
            self._layout,
            name,
            seed=seed if saved is None else saved.seed,
            config=self.config,
            load=self.load,
            phase=number,
            hooks=self._hooks,
            report=self._report,
            make_recorder=self._record,
            saved=saved,
        )
        if saved is None:
            self._hooks.opened(room)
        return room

    @property
    def reads_messages(self) -> bool:
        """Whether the hooks read what the applications of clients send."""
        return type(self._hooks).received is not RoomHooks.received

    def save_room(self, name: str = "") -> bytes:
        """Save a room as bytes. Keep them secret: they contain the tokens with which players come back."""
        room = self.rooms.get(name)
        if room is None:
            raise UsageError(self._rooms.why_not(name))
        return room.save()

    def restore_room(self, data: bytes, name: str = "", *, bots: Mapping[int, Bot] | Bot | None = None) -> WorldRoom:
        """Open a room that continues where it was saved. Its players come back on their own, within ``rejoin_seconds``.

        Replaces a room of this name that has not begun, as those of ``config.rooms`` before the first tick. ``bots``
        has the functions of its bots by seat, or one for all; a bot without a function leaves. Raises DecodeError, and
        opens no room, if the bytes are not a room of this world. If the game raises an error when a bot leaves, the
        room has failed.
        """
        saved = decode_room(data)
        if saved.schema != self._layout.hash or any(each.seat >= self._layout.players for each in saved.seats):
            raise InvalidValue("the saved room is of another world, or of another version of it")
        self.game().unpack_state(saved.world)
        given = bots_of(saved, bots)
        if self.is_draining:
            raise UsageError("a server that drains or is closed opens no room")
        empty = self.rooms.get(name)
        if empty is not None and empty.tick == 0 and not empty.players:
            empty.finish()
            self._rooms.end(empty, "a saved room goes on in its place")
        room = self._rooms.open(name, lambda name, number: self._make_room(name, number, saved))
        try:
            room.restore_seats(saved.seats, given)
        except FAULTS as error:
            self._fail_room(room, error)
        return room

    def _advance(self, room: WorldRoom, now: float) -> None:
        super()._advance(room, now)
        if room.end_text is not None and not room.is_over:
            self._end_room(room, room.end_text)
            self._events.append(RoomClosed(room=room.name, text=room.end_text))

    def _failure(self, room: WorldRoom, error: BaseException) -> RoomFailed:
        room.finish(failed=True)
        before: Any = self.game()
        before.load(room.saved)
        seats = [player.seat for player in room.players.values() if player.seat is not None]
        return RoomFailed(
            room=room.name,
            tick=room.attempted,
            error=format_exception_only(error)[-1].strip(),
            traceback="".join(format_exception(error)),
            states={seat: possessions(before, seat) for seat in seats},
            commands={seat: room.inputs[seat] for seat in seats},
            saved=room.saved,
        )

    def _fail_room(self, room: WorldRoom, error: BaseException) -> None:
        # A hook may have closed the room in the middle of what failed now.
        if self.rooms.get(room.name) is room:
            super()._fail_room(room, error)

    def _farewell(self, room: WorldRoom, text: str) -> None:
        reason = Ended.FAULT
        if not room.is_over:
            reason = Ended.ENDED if room.end_text is not None else Ended.CLOSED
            reason = Ended.DRAINED if self.is_draining else reason
            try:
                room.say_ending(text)
            except FAULTS as error:
                self._events.append(self._failure(room, error))
            room.finish()
        over = encode_message(RoomOver(reason, _words(text)))
        for player in room.players.values():
            if player.connection is not None:
                player.connection.send_reliable(over)

    def _tell_dropped(self, connection: Connection, text: str) -> float:
        connection.send_reliable(encode_message(RoomOver(Ended.DROPPED, _words(text))))
        return LINGER

    def _on_skipped(self, ticks: int, now: float) -> None:
        self.load.note(ticks, now)
        if ticks:
            for room in self.rooms.values():
                for player in room.players.values():
                    player.earn(ticks)  # clients kept sending during the ticks that were skipped

    # Joining and leaving.

    def _add_player(self, guest: WorldGuest, now: float) -> WorldPlayer | None:
        return guest.room.add(
            guest.token, guest.name, watches=guest.watches, address=guest.address, admitted=guest.admitted
        )

    def _return_player(self, player: WorldPlayer, now: float) -> None:
        player.begin()

    def _joined(self, guest: WorldGuest, player: WorldPlayer, connection: Connection) -> PlayerJoined:
        made = super()._joined(guest, player, connection)
        return replace(made, name=player.name, is_spectator=player.is_spectator)

    def _leave(self, room: WorldRoom, player: WorldPlayer, text: str) -> None:
        try:
            super()._leave(room, player, text)
        except FAULTS as error:
            self._events.append(self._left(room, player, text))
            self._fail_room(room, error)

    def _lose(self, room: WorldRoom, player: WorldPlayer) -> None:
        super()._lose(room, player)
        room.tell_lost(player)

    def _left(self, room: WorldRoom, player: WorldPlayer, text: str) -> PlayerLeft:
        return replace(super()._left(room, player, text), things=player.things)

    # Messages from clients.

    def _on_other(self, guest: WorldGuest, event: LinkEvent, now: float) -> None:
        if isinstance(event, Connected) and guest.player is None:
            guest.address = event.connection.address
            is_new = guest.room.seat_of(guest.token) is None
            player = self._take_seat(guest, event.connection, now)
            if player is not None:
                guest.room.connect(player, event.connection, self._compact if guest.compact else None)
                if is_new:
                    self._hooks.joined(guest.room, player)  # after WELCOME: what it sends to the newcomer arrives

    def _on_payload(self, guest: WorldGuest, data: bytes) -> None:
        player, refused = guest.player, guest.room.stats.refused
        if player is None:
            refused["not_joined"] += 1
        elif not player.grant_packet():
            refused["flooded"] += 1
        else:
            try:
                if data[:1] == bytes((INPUT,)):
                    player.receive_inputs(decode_input(data, self._layout.input_bits), guest.room.tick)
                    return
                note = decode_note(data)
            except DecodeError:
                refused["malformed"] += 1
                return
            self._on_application(guest, player, note, reliable=False)

    def _on_message(self, guest: WorldGuest, connection: Connection, data: bytes, now: float) -> None:
        player, refused = guest.player, guest.room.stats.refused
        if player is None:
            refused["not_joined"] += 1
            return
        if not player.grant_message():
            # Messages that the link has delivered are acknowledged: they are still read, and nothing comes after them.
            refused["flooded"] += 1
            connection.close(Reason.VIOLATION, "too many messages were sent")
        try:
            message = decode_message(data)
        except DecodeError:
            refused["malformed"] += 1
            return
        if isinstance(message, RoomMessage):
            self._on_application(guest, player, message.data, reliable=True)
        elif isinstance(message, LossNotice):
            self._events.append(
                MessagesNotReceived(room=guest.room.name, peer_id=player.peer_id, count=message.messages)
            )
        else:
            refused["unexpected"] += 1

    def _on_application(self, guest: WorldGuest, player: WorldPlayer, data: bytes, *, reliable: bool) -> None:
        self._events.append(
            MessageFromPlayer(room=guest.room.name, peer_id=player.peer_id, data=data, reliable=reliable)
        )
        self._hooks.received(guest.room, player, data)


def _words(text: str) -> str:
    """Shorten a text to what fits into ROOM_OVER."""
    printable = "".join(each if each.isprintable() else "?" for each in text)
    return printable.encode()[:LONGEST_WORDS].decode(errors="ignore")
