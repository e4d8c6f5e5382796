"""A member of a room: a player with a seat, a bot, or a spectator."""

from collections import deque
from collections.abc import Callable, Hashable, Mapping
from inspect import signature
from typing import Any, Final

from retick.authority.frames import InputFrame
from retick.authority.messages import MOST_LOST, Gone, LossNotice, Presence, RoomMessage, encode_message
from retick.authority.server.config import WorldServerConfig
from retick.authority.server.saved_room import SavedRoom
from retick.authority.views import Receiver
from retick.errors import UsageError
from retick.host.gate import NOBODY, Credit
from retick.host.messages import GameMessages
from retick.host.stats import InputStats
from retick.host.timing import ms_to_ticks
from retick.link import Connection
from retick.sim.world import Command, World
from retick.sim.world.members import thing_fields
from retick.tokens import Pass

# The application's messages to one client: each arrives, or client and application are told that it did not.


class PlayerOutbox:
    """Messages sent to one client, and messages lost."""

    __slots__ = ("_lost", "_messages", "_told")

    def __init__(self, limit: int) -> None:
        """``limit``: the most bytes that may wait."""
        self._messages = GameMessages(limit)
        self._lost = dict.fromkeys(Gone, 0)
        """Lost messages that the client has not been told of, by reason."""
        self._told: deque[tuple[int, LossNotice]] = deque()
        """Each unacknowledged LOST, with the number of messages that the connection had sent including it."""

    def send(self, connection: Connection | None, data: bytes) -> str | None:
        """Send a message; returns the reason, in words, if it is dropped."""
        why = self._messages.send(connection, encode_message(RoomMessage(data)))
        if why is not None:
            self._lost[Gone.TOO_LONG if connection is None else Gone.TOO_MANY] += 1
        return why

    def refuse(self, why: str) -> str:
        """Count a message that is not sent, and return the reason."""
        self._lost[Gone.TOO_LONG] += 1
        return why

    def lose(self, connection: Connection | None) -> list[bytes]:
        """End the connection; returns the messages that may not have arrived."""
        self._forget_delivered(connection)
        for _, (reason, count) in self._told:
            self._lost[reason] += count
        self._told.clear()
        lost = [packet[1:] for packet in self._messages.lose(connection)]
        self._lost[Gone.TOO_LONG] += len(lost)
        return lost

    def tell_losses(self, connection: Connection) -> None:
        """Tell the client how many messages will never come, as soon as there is room for that."""
        self._forget_delivered(connection)
        for reason, count in self._lost.items():
            lost = LossNotice(reason, min(count, MOST_LOST))
            if count and connection.send_reliable(encode_message(lost)):
                self._told.append((connection.messages_sent, lost))
                self._lost[reason] -= lost.messages

    def _forget_delivered(self, connection: Connection | None) -> None:
        while connection is not None and self._told and self._told[0][0] <= connection.messages_delivered:
            self._told.popleft()


# How far behind a player saw the others: the client's claim, limited by what the link has measured.
#
# An input for tick t is pressed while the server is at about t - early - rtt/2. The newest snapshot that the client can
# then have left the server rtt/2 before that, and the client draws it a little later. So no honest player sees the
# others further behind than early + rtt + the delay of drawing; a slack covers the jitter of both. Each input has its
# own limit: one that comes very early says nothing about the ticks before it.

# retick: floats -- seconds of the network; what follows from them is a whole number, and recorded


SLACK_TICKS: Final = 3
SIXTEENTHS: Final = 16


def measured_ticks(*, rtt: float, delay: float, rate: int) -> int:
    """How many ticks behind a punctual input a player can see the others; ``rtt`` and ``delay`` are in seconds."""
    return 1 + ms_to_ticks(1000 * (rtt + delay), rate) + SLACK_TICKS


def ticks_behind(viewed: int, *, early: int, measured: int, most: int) -> int:
    """Whole ticks, 1 or more, from a claim in 16ths of a tick, rounded to the nearest.

    ``early``: how many ticks early the input came; ``measured``: from :func:`measured_ticks`.
    """
    claimed = (viewed + SIXTEENTHS // 2) // SIXTEENTHS
    return max(1, min(claimed, early + measured, most))


# One player's inputs that wait on the server for their tick, and the choice of one for each tick.
#
# A later packet does not change a received input. The first row that fits decides a tick:
#
#     there is an input for it            that one
#     fewer than ``hold`` are missing     the last one, repeated
#     otherwise                           0: nothing is pressed


class InputBuffer:
    """Holds at most as many inputs as may come early."""

    __slots__ = ("_ahead", "_hold", "_last", "_rewind", "_waiting", "behind", "dropped_early", "dropped_late", "held",
                 "margin", "neutral", "newest", "streak", "streak_max", "used")  # fmt: skip

    def __init__(self, *, hold: int, ahead: int, rewind: int = 1) -> None:
        """``hold``: ticks that repeat the last input; ``ahead``: ticks that an input may be early.

        ``rewind``: the most ticks behind that anybody can see the others.
        """
        self._hold = hold
        self._ahead = ahead
        self._rewind = rewind
        self._waiting: dict[int, tuple[int, int]] = {}
        """Each tick with its input, and how far behind the player saw the others."""
        self.behind = 1
        """How many ticks behind the last taken input the player saw the others."""
        self._last = 0
        self.streak = 0
        """Ticks in a row without their own input, up to now."""
        self.streak_max = 0
        self.newest = 0
        """The tick of the newest input received; 0 before the first."""
        self.margin = 0
        """How many ticks early the newest input was: 0 if for the next tick, negative if late."""
        self.used = 0
        """Ticks that ran on their own input."""
        self.held = 0
        """Ticks that repeated the last input."""
        self.neutral = 0
        """Ticks that ran on nothing."""
        self.dropped_late = 0
        """Inputs that came after their tick, and in no earlier packet."""
        self.dropped_early = 0
        """Inputs that came too early."""

    def __len__(self) -> int:
        return len(self._waiting)

    def offer(self, frame: InputFrame, tick: int, measured: int = 0) -> bool:
        """Keep the inputs of a packet; ``tick`` was run last. Returns whether it brought the newest tick so far.

        ``measured``: how many ticks behind the link allows for a punctual input.
        """
        is_newer = self.newest < frame.tick <= tick + self._ahead
        for back, pressed in enumerate(frame.inputs):
            meant = frame.tick - back
            if meant > tick + self._ahead:
                self.dropped_early += 1
            elif meant > tick:
                if meant not in self._waiting:
                    early = meant - tick - 1
                    behind = ticks_behind(frame.viewed, early=early, measured=measured, most=self._rewind)
                    self._waiting[meant] = (pressed, behind)
            else:
                self.dropped_late += meant > self.newest
        if is_newer:
            self.newest = frame.tick
            self.margin = frame.tick - tick - 1
        return is_newer

    def take(self, tick: int) -> int:
        """The input for a tick; ask for each tick once, in order."""
        found = self._waiting.pop(tick, None)
        if found is not None:
            self.used += 1
            self.streak = 0
            self._last, self.behind = found
            return self._last
        self.streak += 1
        self.streak_max = max(self.streak_max, self.streak)
        if self.streak <= self._hold:
            self.held += 1
        else:
            self.neutral += 1
            self._last = 0
        return self._last


# Players without a client: a function supplies their inputs. It reads the world and never changes it.

Bot = Callable[[int, Any], Any]
"""``bot(player, world)`` returns the input of the next tick: an integer, or the world's command."""


def check_bot(bot: Any) -> None:
    """Refuse a bot that cannot be called with a player and a world, or takes them in the other order."""
    if not callable(bot):
        raise UsageError(f"a bot is a function bot(player, world), not {bot!r}")
    try:
        call = signature(bot)
    except (TypeError, ValueError):  # written in C
        return
    try:
        call.bind(0, None)
    except TypeError:
        raise UsageError(f"a bot is called as bot(player, world), and this one takes {call}") from None
    if list(call.parameters)[:1] == ["world"]:
        raise UsageError(f"a bot is called as bot(player, world), in this order, and this one takes {call}")


def bots_of(saved: SavedRoom, bots: Mapping[int, Bot] | Bot | None) -> dict[int, Bot]:
    """The functions of a saved room's bots by seat; raises UsageError for a seat that no bot had."""
    seats = [each.seat for each in saved.seats if each.is_bot]
    if bots is not None and not isinstance(bots, Mapping):
        check_bot(bots)
        return dict.fromkeys(seats, bots)
    given = dict(bots or {})
    for seat, bot in given.items():
        check_bot(bot)
        if seat not in seats:
            raise UsageError(f"no bot had seat {seat!r} in the saved room: those of bots are {seats}")
    return given


def pressed_by(bot: Bot, seat: int, world: World, bits: int) -> int:
    """Ask a bot for its input, and check it."""
    pressed = bot(seat, world)
    if isinstance(pressed, Command):
        pressed = pressed.packed
    if not isinstance(pressed, int) or not 0 <= pressed < 1 << bits:
        raise UsageError(f"the bot of seat {seat} pressed {pressed!r}: an input has {bits} bits")
    return pressed


def check_unchanged(world: World, before: bytes) -> None:
    """Refuse a world that bots have changed since ``before``: no recording of it would verify."""
    if world.save() == before:
        return
    earlier: Any = type(world)()
    earlier.load(before)
    was, names = dict(thing_fields(earlier)), []
    for name, value in thing_fields(world):
        if was.get(name) != value:
            names.append(name)
    raise UsageError(
        f"something outside of the game has changed the world ({', '.join(names[:5]) or 'a field'}): "
        "bots, hooks and the application only read it"
    )


# retick: floats -- seconds of the network; nothing is simulated from them


FIRST_SPECTATOR: Final = 256
"""The first peer id of spectators; a player's peer id is its seat."""
PACKET_BURST: Final = 64
MESSAGE_SECONDS: Final = 4
"""How many seconds' worth of messages a client may send at once."""


class WorldPlayer:
    """Everything that a room keeps for one member."""

    __slots__ = ("_config", "_messages", "_packets", "address", "admitted", "bot", "connection", "inputs", "lost_at",
                 "name", "outbox", "peer_id", "pressed", "receiver", "things", "token")  # fmt: skip

    def __init__(
        self,
        peer_id: int,
        token: bytes,
        name: str,
        config: WorldServerConfig,
        *,
        bot: Bot | None = None,
        admitted: Pass = NOBODY,
    ) -> None:
        self.peer_id = peer_id
        self.token = token
        self.name = name
        self.bot = bot
        self._config = config
        self.connection: Connection | None = None
        """The client's connection; None for a bot, and while the connection is lost."""
        self.admitted = admitted
        """What is known about the player: id and data of the join token, and the fingerprint of the key."""
        self.address: Hashable = None
        """The client's address, or its last one if the connection is lost."""
        self.lost_at: float | None = None
        """When the connection was lost, in seconds; None while there is one."""
        self.receiver: Receiver | None = None
        """Makes this client's snapshots."""
        self.things: Mapping[str, Any] = {}
        """What the player had when it left."""
        self.pressed = 0
        """The input of the last tick."""
        self.outbox = PlayerOutbox(config.message_queue)
        self.begin()

    def begin(self) -> None:
        """Start anew from a welcome."""
        config = self._config
        self.inputs = InputBuffer(hold=config.hold_ticks, ahead=config.most_early, rewind=config.rewind_ticks)
        self._packets = Credit(PACKET_BURST, config.packets_per_tick)
        per_second = config.messages_per_second
        self._messages = Credit(MESSAGE_SECONDS * per_second, per_second / config.tick_rate)

    @property
    def is_spectator(self) -> bool:
        return self.peer_id >= FIRST_SPECTATOR

    @property
    def seat(self) -> int | None:
        """The seat; None for a spectator."""
        return None if self.is_spectator else self.peer_id

    @property
    def behind(self) -> int:
        """How many ticks behind its own input the player sees the others."""
        return self.inputs.behind

    @property
    def state(self) -> Presence:
        """The player's presence, as the other clients are told."""
        if self.bot is not None:
            return Presence.BOT
        return Presence.CONNECTION_LOST if self.connection is None else Presence.PLAYING

    @property
    def stats(self) -> InputStats:
        """How the server ran this player's inputs; ``delay_ticks`` is how early the newest one was."""
        inputs, connection = self.inputs, self.connection
        return InputStats(
            inputs.dropped_late,
            inputs.dropped_early,
            inputs.used,
            inputs.held,
            inputs.neutral,
            inputs.streak,
            inputs.streak_max,
            inputs.margin,
            0.0 if connection is None else 1000 * connection.rtt,
        )

    def earn(self, ticks: int = 1) -> None:
        """Add the credit of some ticks."""
        self._packets.earn(ticks)
        self._messages.earn(ticks)

    def grant_packet(self) -> bool:
        return self._packets.grant()

    def grant_message(self) -> bool:
        return self._messages.grant()

    def receive_inputs(self, frame: InputFrame, tick: int) -> None:
        """Receive a packet of inputs; ``tick`` was run last."""
        if self.receiver is not None and frame.held:
            self.receiver.acknowledge(frame.held)
        if self.is_spectator:
            return
        rtt = self.connection.rtt if self.connection is not None else 0.0
        measured = measured_ticks(rtt=rtt, delay=self._config.view_delay, rate=self._config.tick_rate)
        self.inputs.offer(frame, tick, measured)
