"""A room: one world and its members. Each tick runs on exactly one input per player.

The server never runs a tick twice. Everything that decides the states of a room goes through :class:`HostedWorld` and
into the recording: joins, leaves, inputs, and how far behind each player saw the others.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from hmac import compare_digest
from typing import TYPE_CHECKING, Any, Final, Protocol
from zlib import crc32

from retick.authority.compact import CompactTables
from retick.authority.frames import encode_note
from retick.authority.layout import WorldLayout
from retick.authority.messages import SPECTATOR, Presence, RoomWelcome, SeatNews, encode_message, misfit
from retick.authority.server.config import RoomHooks, WorldServerConfig
from retick.authority.server.player import FIRST_SPECTATOR, Bot, WorldPlayer, check_bot, check_unchanged, pressed_by
from retick.authority.server.saved_room import SavedRoom, SavedSeat, encode_room
from retick.authority.views import Receiver, Stage, encode_cue
from retick.errors import UsageError
from retick.host.events import MessageDropped
from retick.host.gate import NOBODY
from retick.host.joining import check_name
from retick.host.messages import send_control
from retick.host.stats import RoomStats
from retick.link import Connection
from retick.sim.world import World
from retick.sim.world.hosting import HostedWorld
from retick.sim.world.members import members_of, thing_fields
from retick.tokens import Pass

if TYPE_CHECKING:
    from retick.authority.server.player import WorldPlayer

# How a server reacts to being too slow: after skipping ticks, it sends fewer snapshots for a while.

# retick: floats -- seconds; nothing is simulated from them


MOST: Final = 2
"""Snapshots come at most 2 to the power of this times less often."""
STEP_SECONDS: Final = 0.5
"""Seconds between two steps up."""
CALM_SECONDS: Final = 5.0
"""Seconds without a skipped tick before a step down."""


class Load:
    """How much is shed: 0 nothing, 1 every second snapshot, 2 three of four."""

    __slots__ = ("_changed_at", "_late_at", "level")

    def __init__(self) -> None:
        self.level = 0
        self._changed_at = -STEP_SECONDS
        self._late_at = 0.0

    def note(self, skipped: int, now: float) -> None:
        """Note how many ticks were just skipped, usually 0."""
        if skipped:
            self._late_at = now
            if self.level < MOST and now - self._changed_at >= STEP_SECONDS:
                self.level += 1
                self._changed_at = now
        elif self.level and now - max(self._late_at, self._changed_at) >= CALM_SECONDS:
            self.level -= 1
            self._changed_at = now


# What a room tells its recorder. ``retick.replay.Recorder`` fits; neither package knows the other.


class RoomRecorder(Protocol):
    """Receives everything that decides a room's states, in order: what precedes a frame comes before it."""

    def add_seat(self, player: int, joins: bool, /) -> None:
        """Record that a player joins or leaves right before the next frame."""

    def add_view(self, player: int, behind: int, /) -> None:
        """Record that from the next frame on a player sees the others ``behind`` frames in the past."""

    def add_frame(self, inputs: Sequence[int], /) -> None:
        """Record the inputs of the next frame."""

    def add_checksum(self, frame: int, checksum: int, /) -> None:
        """Record the checksum of the state after this many frames."""

    def finish(self, checksum: int | None = None, /) -> None:
        """End the recording, with the checksum of the last state; None if the game failed in the last frame."""


class RoomRecording:
    """Writes one room's stream; views only when they change."""

    __slots__ = ("_behind", "_recorder")

    def __init__(self, recorder: RoomRecorder | None, players: int) -> None:
        self._recorder = recorder
        self._behind = [1] * players

    def seat(self, player: int, joins: bool) -> None:
        """Record that a player joins or leaves."""
        if self._recorder is not None:
            self._recorder.add_seat(player, joins)

    def frame(self, inputs: Sequence[int], behind: Sequence[int]) -> None:
        """Record the next tick before it runs: if the game fails in it, the recording ends with this tick."""
        if self._recorder is None:
            return
        for player, ticks in enumerate(behind):
            if ticks != self._behind[player]:
                self._behind[player] = ticks
                self._recorder.add_view(player, ticks)
        self._recorder.add_frame(inputs)

    def check(self, tick: int, checksum: int) -> None:
        """Record the checksum of the state after a tick."""
        if self._recorder is not None:
            self._recorder.add_checksum(tick, checksum)

    def finish(self, checksum: int | None) -> None:
        """End the recording with the room."""
        if self._recorder is not None:
            self._recorder.finish(checksum)
            self._recorder = None


# What a player has in a world: every field of its things, by name, as in reports.


def possessions(thing: Any, player: int, prefix: str = "") -> dict[str, Any]:
    """``{"raiders[id 3].score": 7, ...}``; ``thing`` is the world, or something in it."""
    found: dict[str, Any] = {}
    for member in members_of(type(thing)):
        for each in member.things(thing):
            name = f"{prefix}{member.name}[id {each.id}]." if member.kind.most else f"{prefix}{member.name}."
            is_own = member.kind.most and _owner(each) == player
            found |= dict(thing_fields(each, name)) if is_own else possessions(each, player, name)
    return found


def _owner(thing: Any) -> int | None:
    for member in members_of(type(thing)):
        if member.is_player:
            owner: int = getattr(thing, member.name)
            return owner
    return None


MakeRecorder = Callable[["WorldRoom"], RoomRecorder | None]


class WorldRoom:
    """The world and its players. The server handles connections."""

    def __init__(
        self,
        layout: WorldLayout,
        name: str,
        *,
        seed: int,
        config: WorldServerConfig,
        load: Load,
        phase: int = 0,
        hooks: RoomHooks | None = None,
        report: Callable[[Any], None] = lambda event: None,
        make_recorder: MakeRecorder | None = None,
        saved: SavedRoom | None = None,
    ) -> None:
        """``phase``: spreads the snapshots of rooms over ticks. ``saved``: the room to continue from."""
        self.name = name
        self.seed = seed
        self.config = config
        self.world: World = layout.world()
        """The world as it is now. Read it, but do not change it: no recording contains the change."""
        self.players: dict[int, WorldPlayer] = {}
        """Players by peer id, in the order of joining: the seat for players and bots, 256 or more for spectators."""
        self.stats = RoomStats()
        self.start_state: bytes | None = None if saved is None else saved.world
        """The state with which the room began; None if it came from the seed."""
        self.is_over = False
        """Whether the game's code is no longer run."""
        self.end_text: str | None = None
        self._layout = layout
        self._load = load
        self._phase = phase
        self._hooks = hooks or RoomHooks()
        self._report = report
        self._post = Post(self)
        self._hosted = HostedWorld(self.world, most_past=config.rewind_ticks, send=self._post.queue)
        self._stage = Stage(layout, self.world)
        self._cues: list[Hashable] = []
        """The cues of joins and leaves since the last tick."""
        self._inputs: list[int] = [0] * layout.players
        self.attempted = 0
        """The tick that was begun last; if the game failed in it, it was not run."""
        self._has_moved = False
        """Whether somebody has joined or left since the last tick."""
        self._next_spectator = FIRST_SPECTATOR
        if saved is None:
            self._hosted.begin(seed)
        else:
            self._hosted.resume(saved.world, saved.tick)
        self._recording = RoomRecording(None if make_recorder is None else make_recorder(self), layout.players)

    @property
    def tick(self) -> int:
        """The tick that was run last."""
        return self._hosted.tick

    @property
    def saved(self) -> bytes:
        """The world's saved bytes after the last tick, before others joined or left."""
        return self._hosted.saved

    @property
    def inputs(self) -> tuple[int, ...]:
        """The inputs of the last tick, by seat."""
        return tuple(self._inputs)

    # The members.

    def free_seat(self) -> int | None:
        """The lowest free seat; None if there is none."""
        return next((seat for seat in range(self._layout.players) if seat not in self.players), None)

    def spectators(self) -> int:
        """How many spectators there are."""
        return sum(player.is_spectator for player in self.players.values())

    def seat_of(self, token: bytes) -> WorldPlayer | None:
        """The player or spectator with this token; None if there is none."""
        for player in self.players.values():
            if player.token and compare_digest(player.token, token):
                return player
        return None

    def add(
        self,
        token: bytes,
        name: str,
        *,
        watches: bool = False,
        address: Hashable = None,
        admitted: Pass = NOBODY,
    ) -> WorldPlayer | None:
        """Add a player or spectator; returns None if there is no place."""
        place = self.free_seat()
        if watches:
            place = self._next_spectator if self.spectators() < self.config.max_spectators else None
            self._next_spectator += place is not None
        if place is None:
            return None
        return self._enter(WorldPlayer(place, token, name, self.config, admitted=admitted), address)

    def add_bot(self, bot: Bot, name: str = "") -> int:
        """Add a player whose inputs come from ``bot(player, world)``, which only reads; returns the seat."""
        check_bot(bot)
        check_name(name)
        seat = self.free_seat()
        if seat is None:
            raise UsageError(f"there is no free seat in room {self.name!r} for a bot")
        self._enter(WorldPlayer(seat, b"", name, self.config, bot=bot), None)
        self._post.tell_all(self._news(self.players[seat]))
        self._hooks.joined(self, self.players[seat])
        return seat

    def remove_bot(self, seat: int) -> None:
        """Remove a bot."""
        player = self.players.get(seat)
        if player is None or player.bot is None:
            raise UsageError(f"there is no bot in seat {seat} of room {self.name!r}")
        self.remove(player)

    def _enter(self, player: WorldPlayer, address: Hashable) -> WorldPlayer:
        player.address = address
        self.players[player.peer_id] = player
        if player.seat is not None:
            self._recording.seat(player.seat, True)
            self._cues += self._hosted.join(player.seat)
            self._has_moved = True
        return player

    def connect(self, player: WorldPlayer, connection: Connection, compact: CompactTables | None = None) -> None:
        """Connect a seated client: from now on it gets snapshots, compact ones if it reads them."""
        player.receiver = Receiver(self._stage, player.seat, budget=self.config.snapshot_bytes, compact=compact)
        welcome = RoomWelcome(
            SPECTATOR if player.seat is None else player.seat,
            self._layout.players,
            self.config.tick_rate,
            self.config.snapshot_ticks,
            self.tick,
        )
        send_control(connection, encode_message(welcome))
        for other in self.players.values():
            if other is not player and other.seat is not None:
                send_control(connection, self._news(other))
        if player.seat is not None:
            self._post.tell_all(self._news(player))

    def disconnect(self, player: WorldPlayer) -> None:
        """End a player's connection; reports messages that may not have arrived."""
        for data in player.outbox.lose(player.connection):
            self.drop_message(player, data, "the connection ended before it was acknowledged; it may have arrived")
        player.receiver = None
        if player.connection is None:
            return
        player.address = player.connection.address
        player.connection = None

    def tell_lost(self, player: WorldPlayer) -> None:
        """Tell the others that a player's connection is lost; the seat is kept."""
        if player.seat is not None and not self.is_over:
            self._post.tell_all(self._news(player))

    def remove(self, player: WorldPlayer) -> None:
        """Remove a member for good."""
        if self.players.pop(player.peer_id, None) is None or player.seat is None:
            return
        player.things = possessions(self.world, player.seat)
        if self.is_over:
            return
        self._hooks.leaving(self, player)
        self._recording.seat(player.seat, False)
        self._cues += self._hosted.leave(player.seat)
        self._has_moved = True
        self._inputs[player.seat] = 0
        self._post.tell_all(encode_message(SeatNews(player.seat, Presence.LEFT, player.name)))

    def _news(self, player: WorldPlayer) -> bytes:
        return encode_message(SeatNews(player.peer_id, player.state, player.name))

    # Calls for the application.

    def send(self, data: bytes, to: int | Iterable[int] | None = None, *, reliable: bool = True) -> None:
        """Send bytes of the application to one, several (peer ids) or all (None), spectators included.

        ``MessageDropped`` reports a reliable one to a peer id that nobody has, or no longer has.
        """
        peers = None if to is None else (to,) if isinstance(to, int) else tuple(to)
        self._post.check(data, reliable)
        for peer_id in peers or ():
            if not isinstance(peer_id, int) or not (0 <= peer_id < self._layout.players or peer_id >= FIRST_SPECTATOR):
                raise UsageError(
                    f"nobody has the number {peer_id!r}: players have that of their seat, 0 to "
                    f"{self._layout.players - 1}, and spectators have {FIRST_SPECTATOR} or more"
                )
        for peer_id in peers or ():
            if reliable and peer_id not in self.players:
                self._count_dropped(peer_id, bytes(data), "nobody has this number in the room")
        self._post.queue(bytes(data), peers, reliable)
        self._post.deliver()

    def drop_message(self, player: WorldPlayer, data: bytes, text: str) -> None:
        """Count and report a message that did not arrive."""
        self._count_dropped(player.peer_id, data, text)

    def _count_dropped(self, peer_id: int, data: bytes, text: str) -> None:
        self.stats.messages_dropped += 1
        self._report(MessageDropped(room=self.name, peer_id=peer_id, message=data, text=text))

    def end(self, text: str = "the match is over") -> None:
        """End the room after this tick; a hook may call it."""
        self.end_text = text

    def save(self) -> bytes:
        """Save the whole room, between two ticks: the world, and the seats with their tokens. Keep it secret."""
        seats = tuple(
            SavedSeat(player.peer_id, player.token or bytes(16), player.name, player.bot is not None)
            for _, player in sorted(self.players.items())
            if player.seat is not None
        )
        made = SavedRoom(schema=self._layout.hash, seed=self.seed, tick=self.tick, seats=seats, world=self.world.save())
        return encode_room(made)

    def restore_seats(self, seats: Iterable[SavedSeat], bots: dict[int, Bot]) -> None:
        """Add the players of a saved room: each can come back with its token. A bot without a function leaves."""
        for seat, token, name, is_bot in seats:
            bot = bots.get(seat) if is_bot else None
            player = self.players[seat] = WorldPlayer(seat, b"" if is_bot else token, name, self.config, bot=bot)
            if is_bot and bot is None:
                self.remove(player)

    # The tick.

    def advance(self, now: float) -> None:
        """Run one tick, and send snapshots if they are due."""
        self.attempted = tick = self.tick + 1
        inputs = self._inputs = self._inputs_of(tick, now)
        behind = [self.players[seat].behind if seat in self.players else 1 for seat in range(len(inputs))]
        self._recording.frame(inputs, behind)
        cues = [*self._cues, *self._hosted.advance(inputs, behind)]
        self._cues = []
        self._has_moved = False
        if tick % self.config.checksum_every == 0:
            self._recording.check(tick, crc32(self._hosted.saved))
        told = [(cue, encode_cue(cue)) for cue in cues]
        for player in self.players.values():
            player.earn()
            if player.receiver is not None and told:
                player.receiver.listen(tick, told)
        self._hooks.ticked(self)
        self._post.deliver()
        if self._is_snapshot_due(tick):
            self._send_snapshots(tick)

    def finish(self, *, failed: bool = False) -> None:
        """End the room: no tick follows."""
        self.is_over = True
        self._recording.finish(None if failed else crc32(self._hosted.saved))

    def say_ending(self, text: str) -> None:
        """Announce the end of the room, while everybody is still in it."""
        self._hooks.ended(self, text)

    def _inputs_of(self, tick: int, now: float) -> list[int]:
        inputs = [0] * self._layout.players
        has_bots = any(player.bot is not None for player in self.players.values())
        before = b"" if not has_bots else self.world.save() if self._has_moved else self._hosted.saved
        for player in self.players.values():
            if player.bot is not None:
                player.pressed = pressed_by(player.bot, player.peer_id, self.world, self._layout.input_bits)
            elif player.seat is not None:
                player.pressed = player.inputs.take(tick)
                if player.connection is None and player.lost_at is None:
                    player.lost_at = now  # in a saved room, the time to rejoin begins with its first tick
            if player.seat is not None:
                inputs[player.seat] = player.pressed
        if has_bots:
            check_unchanged(self.world, before)
        return inputs

    def _is_snapshot_due(self, tick: int) -> bool:
        every = self.config.snapshot_ticks
        if (tick + self._phase) % every:
            return False
        if (tick + self._phase) % (every << self._load.level):
            self.stats.snapshots_shed += 1
            return False
        return True

    def _send_snapshots(self, tick: int) -> None:
        seats: list[int | None] = [None] * self._layout.players
        for player in self.players.values():
            if player.seat is not None and (player.bot is not None or player.connection is not None):
                seats[player.seat] = player.pressed
        receiving = [player for player in self.players.values() if player.receiver is not None]
        if receiving:
            self._stage.survey(tick, seats)
        for player in receiving:
            assert player.receiver is not None
            data = player.receiver.snapshot(margin=player.inputs.margin, newest=player.inputs.newest)
            if player.connection is not None and player.connection.send_unreliable(data):
                self.stats.snapshots += 1
                self.stats.snapshot_bytes += len(data)


# The messages of a room: from the world and the application, and news of the players.

MOST_QUEUED: Final = 4096
"""The most messages that a world may send in one tick; more are dropped and reported."""
HOPELESS: Final = 65536
"""Messages in one tick after which the world must be in an endless loop: an error of the game."""

_Queued = tuple[bytes, tuple[int, ...] | None, bool]


class Post:
    """Keeps the messages of a tick until it is over: a tick in which the game fails sends nothing."""

    def __init__(self, room: "WorldRoom") -> None:
        self._room = room
        self._queue: list[_Queued] = []

    def check(self, data: bytes, reliable: bool) -> None:
        """Refuse bytes that cannot be sent."""
        why = misfit(data, reliable)
        if why is not None:
            raise UsageError(why)

    def queue(self, data: bytes, to: tuple[int, ...] | None, reliable: bool, /) -> None:
        """Queue a message for the end of the tick."""
        if len(self._queue) >= HOPELESS:
            raise UsageError(f"the world has sent {HOPELESS} messages in one tick, and goes on")
        self._queue.append((data, to, reliable))

    def deliver(self) -> None:
        """Deliver everything queued, and tell clients of messages that they will never get."""
        queue, self._queue = self._queue, []
        for number, (data, to, reliable) in enumerate(queue):
            why = misfit(data, reliable) if number < MOST_QUEUED else f"a tick has at most {MOST_QUEUED} messages"
            for player in list(self._room.players.values()):
                if player.bot is None and (to is None or player.peer_id in to):
                    self._send(player, data, reliable, why)
        for player in self._room.players.values():
            if player.connection is not None:
                player.outbox.tell_losses(player.connection)

    def _send(self, player: "WorldPlayer", data: bytes, reliable: bool, why: str | None) -> None:
        if reliable:
            why = player.outbox.refuse(why) if why is not None else player.outbox.send(player.connection, data)
            if why is not None:
                self._room.drop_message(player, data, why)
        elif why is None and player.connection is not None:
            player.connection.send_unreliable(encode_note(data))

    def tell_all(self, packet: bytes) -> None:
        """Send a message of the server's own to every client."""
        for player in self._room.players.values():
            if player.connection is not None and player.receiver is not None:
                send_control(player.connection, packet)
