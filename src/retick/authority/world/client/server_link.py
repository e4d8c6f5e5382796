"""A client's link to its server: dialling, coming back, messages, the roster; and the five calls."""

# retick: floats -- seconds of the network

from collections.abc import Callable, Hashable
from typing import Final

from retick.authority.config import LARGEST_MESSAGE
from retick.authority.events import ConnectionLost, JoinFailed
from retick.authority.joining import TOKEN_SIZE, JoinRequest, decode_acceptance, encode_join
from retick.authority.redirection import Way
from retick.authority.world.client.config import WorldClientConfig
from retick.authority.world.client.cue_book import CueBook
from retick.authority.world.client.events import (
    MessageReceived,
    MessagesLost,
    PlayerChanged,
    RoomJoined,
    RoomLeft,
    RosterPlayer,
    WorldClientEvent,
)
from retick.authority.world.client.play import Play
from retick.authority.world.client.stats import WorldClientStats
from retick.authority.world.frames import NOTE, decode_note, encode_note
from retick.authority.world.layout import layout_of
from retick.authority.world.messages import (
    Lost,
    Message,
    PlayerState,
    RoomOver,
    SeatNews,
    Welcome,
    decode_message,
    encode_message,
    misfit,
)
from retick.errors import BaselineMissing, DecodeError, UsageError
from retick.link import (
    Connected,
    Connection,
    Disconnected,
    LinkConfig,
    LinkEndpoint,
    LinkEvent,
    Reason,
    Refused,
    UnreliableReceived,
    describe,
)
from retick.link import MessageReceived as LinkMessage
from retick.sim.world.declared import World

__all__ = ["ServerLink"]

MOST_UNREAD: Final = 256
"""Events that may wait for the application; then nothing more is read from the link."""
FASTEST: Final = 1000
"""Ticks a second that a client runs; a server that asks for more is left."""
LOSS_INTERVAL: Final = 0.5
"""Seconds between two looks at what the link has lost."""
FIRST_LOOK: Final = 3.0
"""Seconds until the link is believed that nothing is lost."""
FINAL: Final = (Reason.GOODBYE, Reason.SHUTDOWN, Reason.VIOLATION, Reason.GAME_VERSION, Reason.DENIED)
"""Reasons for an end of the connection after which the client does not dial again."""


class ServerLink:
    """What the network knows of a client; the base class of WorldClient."""

    def __init__(
        self, game: World, address: Hashable, request: JoinRequest, config: WorldClientConfig,
        entropy: Callable[[int], bytes],
    ) -> None:  # fmt: skip
        if not isinstance(game, World):
            raise UsageError(f"a WorldClient plays a declared world, not a {type(game).__name__}")
        if len(request.token) not in (0, TOKEN_SIZE):
            raise UsageError(f"a seat token has {TOKEN_SIZE} bytes, not {len(request.token)}")
        self.sim = game
        """The game, as it was given. It is the instance that predicts: draw ``world``."""
        self.config = config
        """The settings, as they were given."""
        self.stats = WorldClientStats()
        """Figures since the client was made."""
        self._layout = layout_of(type(game))
        self._way = Way(address)
        self._request = request._replace(schema=self._layout.hash)
        self._token = request.token
        self._has_new_seat = True
        link = LinkConfig(
            game_id=game.game_id, game_version=game.game_version, accepting=False, payload_queue=128,
            max_message=LARGEST_MESSAGE, timeout=config.timeout,
            status_interval=min(1.0, config.timeout / 4), quiet_after=min(1.5, config.timeout / 2),
        )  # fmt: skip
        self._link = LinkEndpoint(link, entropy=entropy)
        self._play: Play | None = None
        self._cues = CueBook(config.cue_tolerance)
        self._roster: dict[int, RosterPlayer] = {}
        self._events: list[WorldClientEvent] = []
        self._attempts = 0
        self._over = self._is_closed = self._has_joined = False
        self._last_seat: int | None = None
        self._welcome_by: float | None = None
        self._look_at = self._now = 0.0
        self._connection = self._dial()

    def _dial(self) -> Connection:
        request = self._request._replace(token=self._token)
        return self._link.dial(self._way.address, seats=0 if request.watches else 1, data=encode_join(request))

    # Who takes part, and messages.

    @property
    def roster(self) -> tuple[RosterPlayer, ...]:
        """Who plays, in the order of seats."""
        return tuple(self._roster[seat] for seat in sorted(self._roster))

    @property
    def seat_token(self) -> bytes:
        """The secret of our seat: save it to come back with it, and tell it to nobody. Empty before we have one."""
        return self._token

    @property
    def connection(self) -> Connection:
        """The link to the server, with its measurements."""
        return self._connection

    @property
    def dropped(self) -> dict[str, int]:
        """Datagrams that were dropped, by reason."""
        return {reason: count for reason, count in self._link.dropped.items() if count}

    def send_message(self, data: bytes, *, reliable: bool = True) -> bool:
        """Send the application's own bytes to the server: at most 4095, or 1000 that may be lost.

        False if the queue is full, or nobody is connected.
        """
        why = misfit(data, reliable)
        if why is not None:
            raise UsageError(why)
        if not reliable:
            return self._connection.send_unreliable(encode_note(bytes(data)))
        return self._connection.send_reliable(encode_message(Message(bytes(data))))

    def close(self, text: str = "", *, linger: float = 0.0) -> None:
        """Leave in good order, messages within ``linger`` seconds first; go on until ``next_timeout`` is None."""
        self._over = self._is_closed = True
        self._link.close(Reason.GOODBYE, text, linger=linger)

    # The five calls.

    def receive_datagram(self, data: bytes, address: Hashable, *, now: float) -> None:
        """Receive a datagram that has come from ``address``; a bad one is dropped and counted."""
        self._now = max(self._now, now)
        self._link.receive_datagram(data, address, now=now)
        self._read_link(now)

    def datagrams_to_send(self, *, now: float) -> list[tuple[bytes, Hashable]]:
        """The datagrams to send now, each with its address."""
        return self._link.datagrams_to_send(now=now)

    def next_timeout(self) -> float | None:
        """When ``handle_timeout`` has something to do."""
        times = [time for time in (self._link.next_timeout(), self._welcome_by) if time is not None]
        return min(times, default=None)

    def handle_timeout(self, *, now: float) -> None:
        """Time has passed."""
        self._now = max(self._now, now)
        self._link.handle_timeout(now=now)
        self._read_link(now)
        if self._welcome_by is not None and now >= self._welcome_by:
            self._welcome_by = None
            self._connection.close(Reason.NO_ANSWER, "the server did not welcome us")
            self._read_link(now)

    def events(self) -> list[WorldClientEvent]:
        """What happened since the last call, oldest first."""
        events, self._events = self._events, []
        if len(events) >= MOST_UNREAD:
            self._read_link(self._now)
        return events

    # What the link reports.

    def _read_link(self, now: float) -> None:
        if len(self._events) >= MOST_UNREAD:
            return
        for event in self._link.events():
            if event.connection is not self._connection:
                continue
            if isinstance(event, UnreliableReceived):
                self._on_payload(event.data, now)
            elif isinstance(event, LinkMessage):
                self._on_message(event.data, now)
            else:
                self._on_link_change(event, now)
        if self._play is not None and now >= self._look_at and self._connection.is_connected:
            self._look_at = now + LOSS_INTERVAL
            self._play.loss_measured(self._connection.stats.loss_out)

    def _on_payload(self, data: bytes, now: float) -> None:
        try:
            if data[:1] == bytes((NOTE,)):
                self._events.append(MessageReceived(decode_note(data), reliable=False))
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
            case Welcome():
                self._on_welcome(message, now)
            case Message():
                self._events.append(MessageReceived(message.data, reliable=True))
            case SeatNews():
                self._on_seat(message)
            case RoomOver():
                self._over = True
                self._events.append(RoomLeft(reason=message.reason, text=message.words))
            case Lost():
                self._events.append(MessagesLost(count=message.messages, ours=False, reason=message.reason))

    def _on_welcome(self, welcome: Welcome, now: float) -> None:
        if self._welcome_by is None:
            self.stats.refused += 1
            return
        self._welcome_by = None
        if welcome.players != self._layout.players or welcome.tick_rate > FASTEST:
            self._fail(Reason.GAME_VERSION, f"no client of this game can play like this: {welcome}")
            return
        is_rejoin = self._has_joined and welcome.seat == self._last_seat and not self._has_new_seat
        self.stats.rejoins += is_rejoin
        self._has_joined = True
        self._last_seat = welcome.seat
        self._attempts = 0
        self._look_at = now + FIRST_LOOK
        self._roster.clear()
        self._play = Play(self.sim, self._layout, welcome, self.config, self.stats, self._cues, self._tell)
        self._events.append(RoomJoined(seat=self._play.seat, tick=welcome.tick, is_rejoin=is_rejoin))

    def _tell(self, event: WorldClientEvent) -> None:
        self._events.append(event)

    def _on_seat(self, news: SeatNews) -> None:
        if news.seat >= self._layout.players:
            self.stats.refused += 1
            return
        if news.state == PlayerState.LEFT:
            self._roster.pop(news.seat, None)
        else:
            self._roster[news.seat] = RosterPlayer(news.seat, (news.seat,), news.name, news.state)
        self._events.append(PlayerChanged(seat=news.seat, state=news.state, name=news.name))

    def _on_link_change(self, event: LinkEvent, now: float) -> None:
        if isinstance(event, Connected):
            terms = self._connection.terms
            token = decode_acceptance(terms.peer_data) if terms is not None else b""
            self._has_new_seat = token != self._token
            self._token = token
            self._welcome_by = now + self.config.welcome_seconds
        elif isinstance(event, Refused) and not self._over and self._way.follow(event.reason, event.text):
            self._connection = self._dial()
        elif isinstance(event, Refused):
            self._fail(event.reason, event.text or describe(event.reason))
        elif isinstance(event, Disconnected):
            self._on_disconnected(event)

    def _fail(self, reason: int, text: str) -> None:
        self._over = True
        self._events.append(JoinFailed(reason=reason, text=text))
        self._connection.close(reason, text)

    def _on_disconnected(self, event: Disconnected) -> None:
        self._welcome_by = None
        self._cues.cancel()
        lost = self._connection.messages_sent - self._connection.messages_delivered
        if lost and not self._is_closed:
            self._events.append(MessagesLost(count=lost, ours=True, reason=None))
        again = (
            self.config.rejoin
            and not self._over
            and self._has_joined
            and event.reason not in FINAL
            and self._attempts < self.config.rejoin_attempts
        )
        text = event.text or describe(event.reason)
        if not self._has_joined and not self._over:
            self._events.append(JoinFailed(reason=event.reason, text=text))
        elif self._has_joined:
            self._events.append(ConnectionLost(reason=event.reason, text=text, will_rejoin=again))
            if not again and not self._over:
                self._events.append(RoomLeft(reason=None, text=text))
        self._over = not again
        if again:
            self._attempts += 1
            self._way.start_again()
            self._connection = self._dial()
