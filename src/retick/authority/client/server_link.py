"""A client's link to its server: dialling, rejoining, messages, the roster; and the five calls."""

from collections import deque
from collections.abc import Callable, Hashable
from typing import Final

from retick.authority.client.config import WorldClientConfig, WorldClientStats
from retick.authority.client.cue_book import CueBook
from retick.authority.client.events import (
    MessagesLost,
    PlayerChanged,
    RoomJoined,
    RoomLeft,
    RosterPlayer,
    ServerMessageReceived,
    WorldClientEvent,
)
from retick.authority.client.play import Play
from retick.authority.compact import CompactTables
from retick.authority.frames import NOTE, decode_note, encode_note
from retick.authority.layout import layout_of
from retick.authority.messages import (
    MOST_LOST,
    Gone,
    LossNotice,
    Presence,
    RoomMessage,
    RoomOver,
    RoomWelcome,
    SeatNews,
    decode_message,
    encode_message,
    misfit,
)
from retick.errors import BaselineMissing, DecodeError, EncodeError, UsageError
from retick.host.client_link import ClientLink
from retick.host.config import COMPACT_SNAPSHOTS, LARGEST_MESSAGE
from retick.host.events import ConnectionLost
from retick.host.joining import TOKEN_SIZE, JoinRequest
from retick.host.link_config import link_config
from retick.link import Connection, Reason, Sealing
from retick.routes.online import Online, OnlineEvent
from retick.sim.world.world import World

# The application's messages to the server: sent no faster than the server accepts them, and each loss is counted.
#
# Theory of operation. The server accepts ``rate`` messages a second on average and four seconds' worth at once; it ends
# a connection that sends more. A network may hold messages back and deliver them together, and so may a server that
# stands still. So the client sends two seconds' worth at once, nine tenths of the rate after that, and has at most one
# second's worth unacknowledged: whatever the network does, at most 2 + 1 seconds' worth arrive together, and one more
# before the server has run its next tick.
#
# A link delivers its messages or ends. When it ends, unacknowledged and waiting messages are lost; the next connection
# tells the server how many, if the seat is the same.

# retick: floats -- seconds of the network


MOST_WAITING: Final = 1024
"""The most messages that wait until the server accepts them."""
MOST_BYTES: Final = 262_144
"""The most bytes of waiting messages."""
BURST_SECONDS: Final = 2.0
"""How many seconds' worth of messages are sent at once."""
SHARE: Final = 0.9
"""The share of the server's rate that is used: two clocks never agree."""


class Outgoing:
    """The waiting and the lost messages of one client."""

    __slots__ = ("_burst", "_bytes", "_credit", "_earned_at", "_in_flight", "_rate", "_tells", "_untold", "_waiting")

    def __init__(self, rate: float) -> None:
        """``rate``: how many messages the server accepts a second."""
        self._rate = rate * SHARE
        self._burst = max(1.0, rate * BURST_SECONDS)
        self._in_flight = max(1, int(rate))
        self._waiting: deque[bytes] = deque()
        self._bytes = 0
        self._credit = self._burst
        self._earned_at = 0.0
        self._untold = 0
        """How many lost messages the server has not been told of."""
        self._tells = False
        """Whether the first message of this connection is a LOST."""

    def __len__(self) -> int:
        return len(self._waiting)

    def begin(self, connection: Connection, now: float, *, is_new_seat: bool) -> None:
        """Start on a new connection, for which the server's limit starts anew."""
        self._credit, self._earned_at = self._burst, now
        if is_new_seat:
            self._untold = 0
        self._tells = self._untold > 0
        if self._tells:
            self._credit -= 1.0
            connection.send_reliable(encode_message(LossNotice(Gone.TOO_LONG, min(self._untold, MOST_LOST))))

    def offer(self, connection: Connection, data: bytes, now: float) -> bool:
        """Send a message as soon as the server accepts it; False if too much waits, or nobody is connected."""
        packet = encode_message(RoomMessage(data))
        if len(packet) > LARGEST_MESSAGE:
            raise EncodeError(f"a message is at most {LARGEST_MESSAGE} bytes, not {len(packet)}")
        if not connection.is_connected or len(self._waiting) >= MOST_WAITING or self._bytes + len(packet) > MOST_BYTES:
            return False
        self._waiting.append(packet)
        self._bytes += len(packet)
        self.flush(connection, now)
        return True

    def flush(self, connection: Connection, now: float) -> None:
        """Pass to the link what may be sent now."""
        if now > self._earned_at:
            self._credit = min(self._burst, self._credit + (now - self._earned_at) * self._rate)
            self._earned_at = now
        while self._waiting and self._credit > 1.0 - 1e-6 and self._has_room(connection):
            if not connection.send_reliable(self._waiting[0]):
                return
            self._credit -= 1.0
            self._bytes -= len(self._waiting.popleft())

    def next_at(self, connection: Connection) -> float | None:
        """When ``flush`` is next needed, if no acknowledgement comes earlier."""
        if not self._waiting or not connection.is_connected or not self._has_room(connection):
            return None
        return self._earned_at + max(0.0, 1.0 - self._credit) / self._rate

    def _has_room(self, connection: Connection) -> bool:
        return connection.messages_sent - connection.messages_delivered < self._in_flight

    def end(self, connection: Connection) -> int:
        """Handle the end of a connection; returns how many of the application's messages may not have arrived."""
        delivered = connection.messages_delivered
        if self._tells and delivered:
            self._untold = 0
        lost = connection.messages_sent - max(delivered, int(self._tells)) + len(self._waiting)
        self._tells = False
        self._waiting.clear()
        self._bytes = 0
        self._untold += lost
        return lost


# retick: floats -- seconds of the network


MOST_UNREAD: Final = 256
"""The most events kept for the application; beyond that, nothing more is read from the link."""
FASTEST: Final = 1000
"""The most ticks a second that a client runs; it leaves a server that asks for more."""
LOSS_INTERVAL: Final = 0.5
"""Seconds between two checks of the link's losses."""
FIRST_LOOK: Final = 3.0
"""Seconds after which a link without losses is believed."""


class ServerLink(ClientLink[WorldClientEvent]):
    """The network side of a client; the base class of WorldClient."""

    def __init__(
        self, game: World, address: Hashable | None, request: JoinRequest, config: WorldClientConfig,
        entropy: Callable[[int], bytes], join_token: bytes, sealing: Sealing, online: Online | None = None,
    ) -> None:  # fmt: skip
        if not isinstance(game, World):
            raise UsageError(f"a WorldClient plays a declared world, not a {type(game).__name__}")
        if len(request.token) not in (0, TOKEN_SIZE):
            raise UsageError(f"a seat token has {TOKEN_SIZE} bytes, not {len(request.token)}")
        self.sim = game
        """The game as it was given. This instance predicts: draw ``world`` instead."""
        self.config: WorldClientConfig = config
        """The settings as they were given."""
        self.stats = WorldClientStats()
        """Totals since the client was made."""
        self._layout = layout_of(type(game))
        self._play: Play | None = None
        self._cues = CueBook(config.cue_tolerance)
        self._roster: dict[int, RosterPlayer] = {}
        self._outgoing = Outgoing(config.messages_per_second)
        self._is_closed = False
        self._close_by: float | None = None
        """The deadline for the last messages before a goodbye; None if there is none."""
        self._close_text = ""
        self._look_at = self._now = 0.0
        link = link_config(
            game.game_id,
            game.game_version,
            timeout=config.timeout,
            capabilities=COMPACT_SNAPSHOTS if config.compact else 0,
            sealing=sealing,
        )
        self._compact = CompactTables(self._layout, sealed=link.sealed) if config.compact else None
        compact = 0 if self._compact is None else self._compact.hash
        request = request._replace(schema=self._layout.hash, compact=compact)
        super().__init__(address, request, link, entropy, join_token, online)

    # The players, and messages.

    @property
    def roster(self) -> tuple[RosterPlayer, ...]:
        """The players in the order of seats."""
        return tuple(self._roster[seat] for seat in sorted(self._roster))

    @property
    def seat_token(self) -> bytes:
        """The secret of our seat: save it to come back with it, and tell nobody. Empty before we have a seat."""
        return self._token

    @property
    def dropped(self) -> dict[str, int]:
        """How many datagrams were dropped, by reason."""
        return {reason: count for reason, count in self._link.dropped.items() if count}

    def send_message(self, data: bytes, *, reliable: bool = True) -> bool:
        """Send the application's own bytes to the server: at most 4095, or 1000 if they may be lost.

        Reliable messages wait here until the server accepts them, see ``messages_per_second``. False if too many wait,
        or nobody is connected. MessagesLost reports accepted messages that did not arrive.
        """
        why = misfit(data, reliable)
        if why is not None:
            raise UsageError(why)
        if not reliable:
            return self._connection.send_unreliable(encode_note(bytes(data)))
        return not self._is_closed and self._outgoing.offer(self._connection, bytes(data), self._now)

    def close(self, text: str = "", *, linger: float = 0.0) -> None:
        """Leave, after messages within ``linger`` seconds; keep the five calls going until ``next_timeout`` is None."""
        if self._is_closed:
            return
        self._over = self._is_closed = True
        self._close_by, self._close_text = self._now + linger, text
        self._close_when_sent()

    def _close_when_sent(self) -> None:
        """Say goodbye once no message waits, or the deadline has passed."""
        left = 0.0 if self._close_by is None else max(0.0, self._close_by - self._now)
        if self._close_by is not None and not (left and self._outgoing and self._connection.is_connected):
            self._close_by = None
            self._link.close(Reason.GOODBYE, self._close_text, linger=left)

    def next_timeout(self) -> float | None:
        """When ``handle_timeout`` is next needed; None for never."""
        times = (super().next_timeout(), self._outgoing.next_at(self._connection), self._close_by)
        return min((time for time in times if time is not None), default=None)

    def events(self) -> list[WorldClientEvent | OnlineEvent]:
        """What happened since the last call, oldest first."""
        events = super().events()
        if len(events) >= MOST_UNREAD:
            self._read_link(self._now)
        return events

    # Reports of the link.

    def _read_link(self, now: float) -> None:
        self._now = max(self._now, now)
        self._outgoing.flush(self._connection, self._now)
        self._close_when_sent()
        if len(self._events) >= MOST_UNREAD:
            return
        super()._read_link(now)
        if self._play is not None and now >= self._look_at and self._connection.is_connected:
            self._look_at = now + LOSS_INTERVAL
            self._play.loss_measured(self._connection.stats.loss_out)

    def _on_payload(self, data: bytes, now: float) -> None:
        try:
            if data[:1] == bytes((NOTE,)):
                self._events.append(ServerMessageReceived(decode_note(data), reliable=False))
            elif self._play is not None and self._welcome_by is None:
                self._play.receive(data, now)
                probe = self._play.probe(now)
                if probe is not None:
                    self._connection.send_unreliable(probe)
        except BaselineMissing:
            self.stats.missing_baselines += 1
        except DecodeError:
            self.stats.refused += 1

    def _on_message(self, data: bytes, now: float) -> None:
        try:
            message = decode_message(data)
        except DecodeError:
            self.stats.refused += 1
            return
        match message:
            case RoomWelcome():
                self._on_welcome(message, now)
            case RoomMessage():
                self._events.append(ServerMessageReceived(message.data, reliable=True))
            case SeatNews():
                self._on_seat(message)
            case RoomOver():
                self._over = True
                self._events.append(RoomLeft(reason=message.reason, text=message.words))
            case LossNotice():
                self._events.append(MessagesLost(count=message.messages, ours=False, reason=message.reason))

    def _on_welcome(self, welcome: RoomWelcome, now: float) -> None:
        if self._welcome_by is None:
            self.stats.refused += 1
            return
        self._welcome_by = None
        if welcome.players != self._layout.players or welcome.tick_rate > FASTEST:
            self._fail(Reason.GAME_VERSION, f"no client of this game can play like this: {welcome}")
            return
        is_rejoin = self._take_place(welcome.seat, now)
        self.stats.rejoins += is_rejoin
        self._look_at = now + FIRST_LOOK
        self._roster.clear()
        compact = self._compact if self._gets_compact else None
        self._play = Play(self.sim, self._layout, welcome, self.config, self.stats, self._cues, self._tell, compact)
        self._events.append(RoomJoined(seat=self._play.seat, tick=welcome.tick, is_rejoin=is_rejoin))

    def _tell(self, event: WorldClientEvent) -> None:
        self._events.append(event)

    def _on_seat(self, news: SeatNews) -> None:
        if news.seat >= self._layout.players:
            self.stats.refused += 1
            return
        if news.state == Presence.LEFT:
            self._roster.pop(news.seat, None)
        else:
            self._roster[news.seat] = RosterPlayer(news.seat, (news.seat,), news.name, news.state)
        self._events.append(PlayerChanged(seat=news.seat, state=news.state, name=news.name))

    def _on_connected(self, now: float) -> None:
        self._outgoing.begin(self._connection, self._now, is_new_seat=self._has_new_seat)

    def _on_no_welcome(self, now: float) -> None:
        self._connection.close(Reason.NO_ANSWER, "the server did not welcome us")
        self._read_link(now)

    def _on_ended(self) -> None:
        self._cues.cancel()
        lost = self._outgoing.end(self._connection)
        if lost:
            self._events.append(MessagesLost(count=lost, ours=True, reason=None))

    def _report_end(self, lost: ConnectionLost) -> None:
        if self._place is None:
            return
        super()._report_end(lost)
        if not lost.will_rejoin and not self._over:
            self._events.append(RoomLeft(reason=None, text=lost.text))
