"""A room: players on one timeline. Each tick runs exactly one command of each player.

The server never runs two commands to catch up and never rolls back: a command that comes after its tick is lost for
good. docs/formats/netrunner-ticks.md says why, and what happens to one key press.
"""

from collections import deque
from collections.abc import Callable
from functools import partial
from hmac import compare_digest
from typing import Final

from retick.errors import DecodeError, UsageError
from retick.host.events import MessageDropped, ServerEvent
from retick.host.messages import send_control
from retick.host.stats import RoomStats
from retick.host.timing import SAFETY_TICKS, ms_to_ticks
from retick.link import Connection
from retick.netrunner.config import ServerConfig
from retick.netrunner.delta import LAST_PEER_ID, Shared
from retick.netrunner.events import ShotDropped
from retick.netrunner.messages import DelayUpdate, Ping, Pong, ResyncHint
from retick.netrunner.profile import Command, GameProfile, JudgesInRoom, Rewound, Vector, checked_message
from retick.netrunner.server.player import Player

# Lag compensation: where the other players were when a shooter saw them, at most two seconds ago.

# retick: floats -- positions as the motor left them


HISTORY_TICKS: Final = 120


def oldest_tick(now_tick: int) -> int:
    """The oldest kept tick: no shot is judged further back."""
    return max(0, now_tick - HISTORY_TICKS + 1)


class Rewind:
    """Positions of all players after each of the last 120 ticks."""

    __slots__ = ("_frames",)

    def __init__(self) -> None:
        self._frames: deque[tuple[int, dict[int, Vector]]] = deque(maxlen=HISTORY_TICKS)

    def store(self, tick: int, positions: dict[int, Vector]) -> None:
        self._frames.append((tick, positions))

    def targets(self, tick: int, now_tick: int, current: dict[int, Vector], shooter: int) -> Rewound:
        """Where everyone but the shooter was at ``tick``, or at the oldest kept tick.

        For a player missing from that tick, the newest earlier tick is used, else the current place.
        """
        oldest = oldest_tick(now_tick)
        wanted = max(tick, oldest)
        found: Rewound = {}
        for held_tick, positions in reversed(self._frames):
            if oldest <= held_tick <= wanted:
                for peer_id, position in positions.items():
                    found.setdefault(peer_id, position)
                if len(found) >= len(current):
                    break
        return {peer: found.get(peer, position) for peer, position in current.items() if peer != shooter}


FIRST_PEER_ID: Final = 2
"""The first peer id of a player; 1 is the server's own."""


class Room:
    """The simulation and its players. The server handles connections and seats."""

    def __init__(
        self,
        profile: GameProfile,
        name: str = "",
        *,
        config: ServerConfig | None = None,
        first_tick: int = 0,
        report: Callable[[ServerEvent], None] = lambda event: None,
    ) -> None:
        """``report`` is called with events for the application."""
        self.server_config = config or ServerConfig()
        self.profile = profile
        self.name = name
        self.tick = first_tick
        """The tick simulated last."""
        self.players: dict[int, Player] = {}
        """Players by peer id, in the order of joining."""
        self.commands: dict[int, Command] = {}
        """The commands of the last tick by peer id, in the order they were run."""
        self.stats = RoomStats()
        self._report = report
        self._judge_shot = partial(profile.judge_in_room, name) if isinstance(profile, JudgesInRoom) else profile.judge
        numbers = profile.config
        self._snapshot_every = max(1, numbers.server_tick_rate // numbers.snapshot_rate)
        self._seen_ago = ms_to_ticks(numbers.interpolation_delay_ms, numbers.server_tick_rate)
        self._rewind = Rewind()
        self._next_peer_id = FIRST_PEER_ID

    @property
    def is_full(self) -> bool:
        return len(self.players) >= self.profile.config.max_players

    def add(self, token: bytes, now: float) -> Player:
        """Add a new player, at the game's starting place."""
        player = Player(self.profile, self._new_peer_id(), token, now, config=self.server_config)
        self.players[player.peer_id] = player
        return player

    def _new_peer_id(self) -> int:
        """The next free id after the last one; after the highest, the lowest again."""
        found = self._next_peer_id
        while found in self.players or found > LAST_PEER_ID:
            found = found + 1 if found < LAST_PEER_ID else FIRST_PEER_ID
        self._next_peer_id = found + 1
        return found

    def seat_of(self, token: bytes) -> Player | None:
        """The player with this seat token; None if there is none."""
        for player in self.players.values():
            if compare_digest(player.token, token):
                return player
        return None

    def remove(self, player: Player) -> None:
        """Drop a player."""
        self.players.pop(player.peer_id, None)

    def welcome(self, player: Player) -> bytes:
        """The packet that answers this player's hello."""
        message = self.profile.welcome(peer_id=player.peer_id, delay_ticks=player.delay.ticks, server_tick=self.tick)
        return self.profile.encode_control(message)

    # Packets from clients.

    def receive_bundle(self, player: Player, data: bytes) -> None:
        """Receive an input bundle. Bundles beyond the player's credit are dropped unread."""
        refused = self.stats.refused
        if not player.grant_bundle():
            refused["flooded"] += 1
            return
        try:
            commands = self.profile.decode_inputs(data)
        except DecodeError:
            refused["malformed"] += 1
            return
        tick = self.tick
        for command in commands:
            reason = player.offer(command, tick)
            if reason is not None:
                refused[reason] += 1

    def receive_control(
        self, player: Player, connection: Connection, message: object, now: float, link_ms: float
    ) -> None:
        """Receive a ping or pong of a player; refuse any other message."""
        refused = self.stats.refused
        if not player.grant_control():
            refused["flooded"] += 1
            return
        if isinstance(message, Ping):
            pong = Pong(message.seq, message.clock_ms, self.tick)
            send_control(connection, self.profile.encode_control(pong))
        elif isinstance(message, Pong):
            player.receive_pong(message.seq, now, link_ms)
        else:
            refused["unexpected"] += 1

    # The tick.

    def advance(self, now: float) -> None:
        """Run one tick, and send snapshots if they are due."""
        self.tick = tick = self.tick + 1
        profile = self.profile
        step = profile.motor.step
        shots: list[Player] = []
        self.commands = commands = {}
        for player in self.players.values():
            if player.connection is not None:
                self._send_controls(player, player.connection, now)
            command = commands[player.peer_id] = player.choose(tick)
            player.state = step(player.state, command)
            fires = profile.fires(command)
            if fires or player.shot_wait:
                may_shoot, player.shot_wait = self.server_config.shots.step(player.shot_wait, fires)
                if may_shoot:
                    shots.append(player)
                elif fires:
                    self.stats.refused["too_many_shots"] += 1
        if shots:
            self._judge(shots)
        self._rewind.store(tick, {peer: player.state.position for peer, player in self.players.items()})
        if tick % self._snapshot_every == 0:
            self._send_snapshots()

    def _send_controls(self, player: Player, connection: Connection, now: float) -> None:
        """Send delay update, ping and resync hint, if due; then add credit for another tick."""
        encode = self.profile.encode_control
        player.earn()
        if player.delay_changed(now):
            send_control(connection, encode(DelayUpdate(player.delay.ticks)))
        ping = player.pings.due(now)
        if ping is not None:
            send_control(connection, encode(Ping(*ping)))
        if player.hint_due(now):
            send_control(connection, encode(ResyncHint(self.tick)))

    def _judge(self, shooters: list[Player]) -> None:
        """Judge each shot by where the shooter saw the others, and tell everyone."""
        current = {peer: player.state.position for peer, player in self.players.items()}
        for shooter in shooters:
            lead = shooter.delay.ticks + SAFETY_TICKS if self.server_config.rewind_input_delay else 0
            seen_at = max(oldest_tick(self.tick), self.tick - self._seen_ago - lead)
            targets = self._rewind.targets(seen_at, self.tick, current, shooter.peer_id)
            self.stats.shots += 1
            messages = self._judge_shot(shooter.peer_id, shooter.state, seen_at, targets)
            try:
                packets = [checked_message(self.profile.game_id, message) for message in messages]
            except UsageError as error:
                self.stats.refused["bad_message"] += 1
                self._report(ShotDropped(room=self.name, peer_id=shooter.peer_id, text=str(error)))
                continue
            for packet in packets:
                for player in self.players.values():
                    self._send_message(player, packet)

    def _send_message(self, player: Player, message: bytes) -> None:
        why = player.messages.send(player.connection, message)
        if why is not None:
            self._drop_message(player, message, why)

    def _drop_message(self, player: Player, message: bytes, text: str) -> None:
        self.stats.messages_dropped += 1
        self._report(MessageDropped(room=self.name, peer_id=player.peer_id, message=message, text=text))

    def disconnect(self, player: Player) -> None:
        """End a player's connection: report messages that may not have arrived."""
        for message in player.messages.lose(player.connection):
            self._drop_message(player, message, "the connection ended before it was acknowledged; it may have arrived")
        if player.connection is not None:
            player.address = player.connection.address
        player.connection = None
        player.sender = None

    def _send_snapshots(self) -> None:
        """Send one packet to all players that get fixed snapshots, and a delta to each of the others."""
        views = [player.view() for player in self.players.values()]
        fixed: bytes | None = None
        shared: Shared | None = None
        stats = self.stats
        for player in self.players.values():
            if player.connection is None:
                continue
            if player.sender is not None:
                if shared is None:
                    shared = player.sender.share(self.tick, views)
                data = player.sender.encode(shared, player.peer_id)
            else:
                if fixed is None:
                    fixed = self.profile.encode_snapshot(self.tick, views)
                data = fixed
            if player.connection.send_unreliable(data):
                stats.snapshots += 1
                stats.snapshot_bytes += len(data)
