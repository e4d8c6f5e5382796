"""A client's link to its server: dialling, coming back, messages, the roster; and the five calls."""

# retick: floats -- seconds of the network

from collections.abc import Callable, Hashable
from typing import Final

from retick.authority.client_link import ClientLink
from retick.authority.config import COMPACT_SNAPSHOTS
from retick.authority.events import ConnectionLost
from retick.authority.joining import TOKEN_SIZE, JoinRequest
from retick.authority.link_config import link_config
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
from retick.authority.world.client.outgoing import Outgoing
from retick.authority.world.client.play import Play
from retick.authority.world.client.stats import WorldClientStats
from retick.authority.world.compact import CompactTables
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
    misfit,
)
from retick.errors import BaselineMissing, DecodeError, UsageError
from retick.link import Reason, Sealing
from retick.routes.events import OnlineEvent
from retick.routes.online import Online
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


class ServerLink(ClientLink[WorldClientEvent]):
    """What the network knows of a client; the base class of WorldClient."""

    def __init__(
        self, game: World, address: Hashable | None, request: JoinRequest, config: WorldClientConfig,
        entropy: Callable[[int], bytes], join_token: bytes, sealing: Sealing, online: Online | None = None,
    ) -> None:  # fmt: skip
        if not isinstance(game, World):
            raise UsageError(f"a WorldClient plays a declared world, not a {type(game).__name__}")
        if len(request.token) not in (0, TOKEN_SIZE):
            raise UsageError(f"a seat token has {TOKEN_SIZE} bytes, not {len(request.token)}")
        self.sim = game
        """The game, as it was given. It is the instance that predicts: draw ``world``."""
        self.config: WorldClientConfig = config
        """The settings, as they were given."""
        self.stats = WorldClientStats()
        """Figures since the client was made."""
        self._layout = layout_of(type(game))
        self._play: Play | None = None
        self._cues = CueBook(config.cue_tolerance)
        self._roster: dict[int, RosterPlayer] = {}
        self._outgoing = Outgoing(config.messages_per_second)
        self._is_closed = False
        self._close_by: float | None = None
        """While the last messages wait before a goodbye: until when."""
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
    def dropped(self) -> dict[str, int]:
        """Datagrams that were dropped, by reason."""
        return {reason: count for reason, count in self._link.dropped.items() if count}

    def send_message(self, data: bytes, *, reliable: bool = True) -> bool:
        """Send the application's own bytes to the server: at most 4095, or 1000 that may be lost.

        Reliable ones wait here until the server takes them: ``messages_per_second``. False if too many wait, or nobody
        is connected. Of those that were taken and did not arrive, MessagesLost tells.
        """
        why = misfit(data, reliable)
        if why is not None:
            raise UsageError(why)
        if not reliable:
            return self._connection.send_unreliable(encode_note(bytes(data)))
        return not self._is_closed and self._outgoing.offer(self._connection, bytes(data), self._now)

    def close(self, text: str = "", *, linger: float = 0.0) -> None:
        """Leave in good order, messages within ``linger`` seconds first; go on until ``next_timeout`` is None."""
        if self._is_closed:
            return
        self._over = self._is_closed = True
        self._close_by, self._close_text = self._now + linger, text
        self._close_when_sent()

    def _close_when_sent(self) -> None:
        """Say goodbye, if no message waits any more, or not for longer."""
        left = 0.0 if self._close_by is None else max(0.0, self._close_by - self._now)
        if self._close_by is not None and not (left and self._outgoing and self._connection.is_connected):
            self._close_by = None
            self._link.close(Reason.GOODBYE, self._close_text, linger=left)

    def next_timeout(self) -> float | None:
        """When ``handle_timeout`` has something to do."""
        times = (super().next_timeout(), self._outgoing.next_at(self._connection), self._close_by)
        return min((time for time in times if time is not None), default=None)

    def events(self) -> list[WorldClientEvent | OnlineEvent]:
        """What happened since the last call, oldest first."""
        events = super().events()
        if len(events) >= MOST_UNREAD:
            self._read_link(self._now)
        return events

    # What the link reports.

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
        if news.state == PlayerState.LEFT:
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
