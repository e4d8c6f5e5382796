"""A room: one world, and those who are in it. Each tick runs on exactly one input of each player.

The server never runs a tick twice. What decides the states of a room goes through :class:`HostedWorld` and into the
recording: joins, leaves, inputs, and how far behind each player saw the others.
"""

from collections.abc import Callable, Hashable, Iterable
from hmac import compare_digest
from typing import Any
from zlib import crc32

from retick.authority.events import MessageDropped
from retick.authority.joining import check_name
from retick.authority.server.game_messages import send_control
from retick.authority.server.gate import NOBODY
from retick.authority.stats import RoomStats
from retick.authority.world.compact import CompactTables
from retick.authority.world.layout import Layout
from retick.authority.world.messages import SPECTATOR, PlayerState, SeatNews, Welcome, encode_message
from retick.authority.world.server.bots import Bot, check_bot, check_unchanged, pressed_by
from retick.authority.world.server.config import WorldServerConfig
from retick.authority.world.server.hooks import RoomHooks
from retick.authority.world.server.load import Load
from retick.authority.world.server.player import FIRST_SPECTATOR, WorldPlayer
from retick.authority.world.server.possessions import possessions
from retick.authority.world.server.post import Post
from retick.authority.world.server.recording import Recording, RoomRecorder
from retick.authority.world.server.saved_room import SavedRoom, SavedSeat, encode_room
from retick.authority.world.views import Receiver, Stage, encode_cue
from retick.errors import UsageError
from retick.link import Connection
from retick.sim.world import World
from retick.sim.world.hosting.hosted import HostedWorld
from retick.tokens import Pass

__all__ = ["MakeRecorder", "WorldRoom"]

MakeRecorder = Callable[["WorldRoom"], RoomRecorder | None]


class WorldRoom:
    """The world and its players. The server handles connections."""

    def __init__(
        self,
        layout: Layout,
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
        """``phase``: rooms send their snapshots in different ticks. ``saved``: the room to go on from."""
        self.name = name
        self.seed = seed
        self.config = config
        self.world: World = layout.world()
        """As it is now. Read it, and do not change it: what changes it is in no recording."""
        self.players: dict[int, WorldPlayer] = {}
        """Peer id to player, in the order of joining: the seat of players and bots, 256 and more of spectators."""
        self.stats = RoomStats()
        self.start_state: bytes | None = None if saved is None else saved.world
        """The state with which it began; None: that of the seed."""
        self.is_over = False
        """No code of the game is run any more."""
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
        """Of joins and leaves since the last tick."""
        self._inputs: list[int] = [0] * layout.players
        self.attempted = 0
        """The tick that was begun last; if the game fails in it, it was not run."""
        self._has_moved = False
        """Whether somebody has joined or left since the last tick."""
        self._next_spectator = FIRST_SPECTATOR
        if saved is None:
            self._hosted.begin(seed)
        else:
            self._hosted.resume(saved.world, saved.tick)
        self._recording = Recording(None if make_recorder is None else make_recorder(self), layout.players)

    @property
    def tick(self) -> int:
        """The tick that was run last."""
        return self._hosted.tick

    @property
    def saved(self) -> bytes:
        """The world's saved bytes after that tick, before others joined and left."""
        return self._hosted.saved

    @property
    def inputs(self) -> tuple[int, ...]:
        """The inputs of the last tick, by seat."""
        return tuple(self._inputs)

    # Who is in it.

    def free_seat(self) -> int | None:
        """The lowest seat that nobody has."""
        return next((seat for seat in range(self._layout.players) if seat not in self.players), None)

    def spectators(self) -> int:
        """How many watch."""
        return sum(player.is_spectator for player in self.players.values())

    def seat_of(self, token: bytes) -> WorldPlayer | None:
        """The player or spectator to whom a token belongs."""
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
        """A new player or spectator; None if there is no place."""
        place = self.free_seat()
        if watches:
            place = self._next_spectator if self.spectators() < self.config.max_spectators else None
            self._next_spectator += place is not None
        if place is None:
            return None
        return self._enter(WorldPlayer(place, token, name, self.config, admitted=admitted), address)

    def add_bot(self, bot: Bot, name: str = "") -> int:
        """A player whose inputs come from ``bot(player, world)``, which only reads; returns the seat."""
        check_bot(bot)
        check_name(name)
        seat = self.free_seat()
        if seat is None:
            raise UsageError(f"there is no free seat in room {self.name!r} for a bot")
        self._enter(WorldPlayer(seat, b"", name, self.config, bot=bot), None)
        self._post.tell_all(self._news(self.players[seat]))
        return seat

    def remove_bot(self, seat: int) -> None:
        """A bot leaves."""
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
        self._hooks.joined(self, player)
        return player

    def connect(self, player: WorldPlayer, connection: Connection, compact: CompactTables | None = None) -> None:
        """A client has its seat: from now on it gets snapshots, compact ones if it reads them."""
        player.receiver = Receiver(self._stage, player.seat, budget=self.config.snapshot_bytes, compact=compact)
        welcome = Welcome(
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
        """The connection has ended, or ends now; messages that are not known to have arrived are reported."""
        for data in player.outbox.lose(player.connection):
            self.drop_message(player, data, "the connection ended before it was acknowledged; it may have arrived")
        player.receiver = None
        if player.connection is None:
            return
        player.address = player.connection.address
        player.connection = None

    def tell_lost(self, player: WorldPlayer) -> None:
        """The others learn that a player's connection is lost; the seat is kept."""
        if player.seat is not None and not self.is_over:
            self._post.tell_all(self._news(player))

    def remove(self, player: WorldPlayer) -> None:
        """One leaves for good."""
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
        self._post.tell_all(encode_message(SeatNews(player.seat, PlayerState.LEFT, player.name)))

    def _news(self, player: WorldPlayer) -> bytes:
        return encode_message(SeatNews(player.peer_id, player.state, player.name))

    # For the application.

    def send(self, data: bytes, to: int | Iterable[int] | None = None, *, reliable: bool = True) -> None:
        """Send bytes of the application to one, several (peer ids) or all (None), spectators included.

        A reliable one to a number that nobody has, or has any more, is told by ``MessageDropped``.
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
        """End the room after this tick: a hook may call it."""
        self.end_text = text

    def save(self) -> bytes:
        """The whole room, between two ticks: the world, and the seats with their tokens. Keep it secret."""
        seats = tuple(
            SavedSeat(player.peer_id, player.token or bytes(16), player.name, player.bot is not None)
            for _, player in sorted(self.players.items())
            if player.seat is not None
        )
        made = SavedRoom(schema=self._layout.hash, seed=self.seed, tick=self.tick, seats=seats, world=self.world.save())
        return encode_room(made)

    def restore_seats(self, seats: Iterable[SavedSeat], bots: dict[int, Bot]) -> None:
        """The players of a saved room: each can come back with their token. A bot that is not given leaves."""
        for seat, token, name, is_bot in seats:
            bot = bots.get(seat) if is_bot else None
            player = self.players[seat] = WorldPlayer(seat, b"" if is_bot else token, name, self.config, bot=bot)
            if is_bot and bot is None:
                self.remove(player)

    # The tick.

    def advance(self, now: float) -> None:
        """Run one tick, and send snapshots when they are due."""
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
        """No tick follows."""
        self.is_over = True
        self._recording.finish(None if failed else crc32(self._hosted.saved))

    def say_ending(self, text: str) -> None:
        """The room ends while everybody is still in it."""
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
                    player.lost_at = now  # of a saved room: the time to come back begins with its first tick
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
