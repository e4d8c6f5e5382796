"""A client's link to its server, for every kind of game: dialling, redirections, rejoining; and the five calls."""

# retick: floats -- seconds of the network

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Final, Generic, TypeVar

from retick.errors import UsageError
from retick.host.config import JoiningConfig
from retick.host.events import ConnectionLost, JoinFailed
from retick.host.joining import JoinRequest, Way, decode_acceptance, encode_join
from retick.link import (
    Connected,
    Connection,
    Disconnected,
    LinkConfig,
    LinkEvent,
    Reason,
    Refused,
    ReliableReceived,
    UnreliableReceived,
    describe,
)
from retick.routes.online import Online, OnlineEnded, OnlineEvent
from retick.routes.routed_link import host_name, make_link, routes_of
from retick.routes.routes import Routes
from retick.tokens import show

FINAL: Final = (Reason.GOODBYE, Reason.SHUTDOWN, Reason.VIOLATION, Reason.GAME_VERSION, Reason.DENIED)
"""Reasons for which a connection ends and the client does not dial again."""
PAYLOAD_QUEUE: Final = 128
"""How many payloads may wait between two calls of datagrams_to_send: after a pause a client sends many at once."""

E = TypeVar("E")


class ClientLink(ABC, Generic[E]):
    """What the clients of all servers have in common. ``E`` is the type of one kind of client's own events."""

    config: JoiningConfig

    def __init__(
        self,
        address: Hashable | None,
        request: JoinRequest,
        link: LinkConfig,
        entropy: Callable[[int], bytes],
        join_token: bytes = b"",
        online: Online | None = None,
    ) -> None:
        """Dials at once; ``config`` must be set before. Without an address, dials those of the join token."""
        if online is not None:
            address = host_name(online, address)
            if address is None:
                raise UsageError("a client joins by the code of the server's room: Online(code=...)")
        if address is None and not join_token:
            raise UsageError("a client needs the address of its server, or a join token, which names it")
        known = (address,) if address is not None else show(join_token).addresses
        self._way = Way(known[0], known[1:])
        self._join_token = join_token
        self._request = request
        self._token = request.token
        self._has_new_seat = True
        self._gets_compact = False
        self._place: int | None = None
        """The seat or peer id of the last welcome; None before the first."""
        self._link = make_link(
            replace(link, accepting=False, payload_queue=PAYLOAD_QUEUE),
            online,
            on_online=self._on_online,
            places=2,
            entropy=entropy,
        )
        self._events: list[E | JoinFailed | ConnectionLost | OnlineEvent] = []
        self._attempts = 0
        self._over = False
        self._welcome_by: float | None = None
        """The deadline for a welcome; None if none is awaited."""
        self._welcomed_at: float | None = None
        self._connection = self._dial()

    def _dial(self) -> Connection:
        request = self._request._replace(token=self._token)
        seats = 0 if request.watches else 1
        return self._link.dial(self._way.address, seats=seats, data=encode_join(request), token=self._join_token)

    # Hooks: what kinds of clients differ in.

    @abstractmethod
    def _on_payload(self, data: bytes, now: float) -> None:
        """Called when an unreliable payload arrived."""

    @abstractmethod
    def _on_message(self, data: bytes, now: float) -> None:
        """Called when a reliable message arrived."""

    @abstractmethod
    def _on_no_welcome(self, now: float) -> None:
        """Called when the server accepted us but did not welcome us in time."""

    def _on_connected(self, now: float) -> None:
        """Called when the link is up; the welcome is still to come."""

    def _on_ended(self) -> None:
        """Called when the connection has ended, before that is reported."""

    def _report_end(self, lost: ConnectionLost) -> None:
        """Report the end of a connection that had been up, or that the client had given up on."""
        self._events.append(lost)

    # For the application.

    @property
    def is_over(self) -> bool:
        """Whether the client has ended: it is not connected and will not dial again."""
        return self._over

    @property
    def connection(self) -> Connection:
        """The link to the server, with its measurements."""
        return self._connection

    @property
    def routes(self) -> Routes | None:
        """How a client with ``online`` reaches the server; None for other clients."""
        return routes_of(self._link)

    # The five calls.

    def receive_datagram(self, data: bytes, address: Hashable, *, now: float) -> None:
        """Receive a datagram from ``address``; a bad one is dropped and counted."""
        self._link.receive_datagram(data, address, now=now)
        self._read_link(now)

    def datagrams_to_send(self, *, now: float) -> list[tuple[bytes, Hashable]]:
        """The datagrams to send now, each with its address."""
        return self._link.datagrams_to_send(now=now)

    def next_timeout(self) -> float | None:
        """When ``handle_timeout`` is next needed; None if never."""
        times = [time for time in (self._link.next_timeout(), self._welcome_by) if time is not None]
        return min(times, default=None)

    def handle_timeout(self, *, now: float) -> None:
        """Handle everything that is due."""
        self._link.handle_timeout(now=now)
        self._read_link(now)
        if self._welcome_by is not None and now >= self._welcome_by:
            self._welcome_by = None
            self._on_no_welcome(now)

    def events(self) -> list[E | JoinFailed | ConnectionLost | OnlineEvent]:
        """What happened since the last call, oldest first."""
        events, self._events = self._events, []
        return events

    # Reports of the link.

    def _on_online(self, event: OnlineEvent) -> None:
        self._events.append(event)
        if isinstance(event, OnlineEnded) and not self._over:
            self._over = True
            self._events.append(JoinFailed(reason=int(Reason.TIMEOUT), text=event.text))

    def _read_link(self, now: float) -> None:
        for event in self._link.events():
            if event.connection is not self._connection:
                continue
            if isinstance(event, UnreliableReceived):
                self._on_payload(event.data, now)
            elif isinstance(event, ReliableReceived):
                self._on_message(event.data, now)
            else:
                self._on_link_change(event, now)

    def _on_link_change(self, event: LinkEvent, now: float) -> None:
        if isinstance(event, Connected):
            terms = self._connection.terms
            accepted = decode_acceptance(terms.peer_data if terms is not None else b"")
            self._has_new_seat = accepted.token != self._token
            self._token = accepted.token
            self._gets_compact = accepted.compact
            self._welcome_by = now + self.config.welcome_seconds
            self._on_connected(now)
        elif isinstance(event, Refused) and not self._over and self._way.follow(event.reason, event.text):
            self._connection = self._dial()
        elif isinstance(event, Refused):
            self._over = True
            self._events.append(JoinFailed(reason=event.reason, text=event.text or describe(event.reason)))
        elif isinstance(event, Disconnected):
            self._on_disconnected(event, now)

    def _take_place(self, place: int, now: float) -> bool:
        """Note a welcome; returns whether it gave back the place that we had before."""
        is_rejoin = place == self._place and not self._has_new_seat
        self._place = place
        self._welcomed_at = now
        return is_rejoin

    def _fail(self, reason: int, text: str) -> None:
        if not self._over:
            self._over = True
            self._events.append(JoinFailed(reason=reason, text=text))
            self._connection.close(reason, text)

    def _on_disconnected(self, event: Disconnected, now: float) -> None:
        self._welcome_by = None
        self._on_ended()
        # A connection lost by silence has lasted at least this long. A server that keeps welcoming us only to end the
        # connection again is not dialled for ever.
        if self._welcomed_at is not None and now - self._welcomed_at >= self.config.timeout:
            self._attempts = 0
        self._welcomed_at = None
        has_joined = self._place is not None
        again = (
            self.config.rejoin
            and not self._over
            and has_joined
            and event.reason not in FINAL
            and self._attempts < self.config.rejoin_attempts
        )
        if event.reason == Reason.NO_ANSWER and not has_joined and not self._over and self._way.try_another():
            self._connection = self._dial()
            return
        text = event.text or describe(event.reason)
        if has_joined or self._over:
            self._report_end(ConnectionLost(reason=event.reason, text=text, will_rejoin=again))
        else:
            self._events.append(JoinFailed(reason=event.reason, text=text))
        self._over = not again
        if again:
            self._attempts += 1
            self._way.start_again()
            self._connection = self._dial()
