"""A link that is a queue: the interface of ``LinkEndpoint`` without datagrams, loss or time.

What the real link promises is taken for granted here, because the tests of ``retick.link`` show it: reliable messages
arrive once and in order, or the link ends. The model's network (``world``) holds what is under way, and decides what
arrives when, what is lost with its link, and when a side finds the other one silent.
"""

from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

from retick.link import (
    Accept,
    Connected,
    Disconnected,
    LinkConfig,
    LinkEvent,
    Reason,
    Refuse,
    Refused,
    ReliableReceived,
    Request,
    Terms,
)
from retick.rollback.session.messages.decisions import SERIAL_END
from retick.rollback.session.messages.kinds import MessageKind

__all__ = ["ANY_REASON", "Item", "Key", "ModelConnection", "ModelLink", "Status"]

Key = tuple[Hashable, int]
"""Which connection: who dialled, and the number of the dial there."""
Item = tuple[Any, ...]
"""What travels over a connection: a word for its kind, and its contents."""

SILENT_FOR = 3.0
"""Seconds for which a connection whose other end is no more has been silent when time has passed: long for a link."""
ALIKE = (Reason.GOODBYE, Reason.TIMEOUT, Reason.NO_ANSWER, Reason.SHUTDOWN)
"""Reasons for the end of a connection that only an application tells apart."""
ANY_REASON = int(Reason.GOODBYE)
"""In place of the reasons in a DROP, which are told to applications and to nobody else."""
SEED = 7
"""What every handshake agrees on in place of 64 random bits."""


class Status:
    """Where one end of a connection is."""

    REQUESTING = "requesting"
    ACCEPTED = "accepted"
    CONNECTED = "connected"
    CLOSED = "closed"


class Silence(NamedTuple):
    """What a session reads of a link's statistics."""

    silent_for: float


def _without_reasons(message: bytes) -> bytes:
    """A DROP names its reasons after each peer that is not heard, from the number of these peers on."""
    if message[0] == MessageKind.DROP:
        named = SERIAL_END + 1
        end = named + 2 * message[SERIAL_END]
        return (
            message[:named] + bytes(b for at in range(named, end, 2) for b in (message[at], ANY_REASON)) + message[end:]
        )
    return message


class ModelConnection:
    """One end of a link."""

    rtt = 0.0
    has_rtt = False
    queued_bytes = 0
    fingerprint = None

    def __init__(self, link: "ModelLink", address: Hashable, key: Key, status: str) -> None:
        self.link = link
        self.address = address
        self.key = key
        self.status = status
        self.tag: Any = None
        self.terms: Terms | None = None
        self.close_reason: int | None = None
        self.is_silent = False
        """Whether nothing came while time passed last; whoever is there sends something every second."""

    @property
    def stats(self) -> Silence:
        return Silence(SILENT_FOR if self.is_silent else 0.0)

    @property
    def is_connected(self) -> bool:
        return self.status == Status.CONNECTED

    def send_reliable(self, data: bytes) -> bool:
        if self.is_connected:
            self.link.post(self, ("message", _without_reasons(bytes(data))))
        return self.is_connected

    def send_unreliable(self, data: bytes) -> bool:
        if self.is_connected:
            self.link.payloads.append((self.address, self.key, bytes(data)))
        return self.is_connected

    def close(self, reason: int = Reason.GOODBYE, text: str = "", *, linger: float = 0.0) -> None:
        """The other side is told; our own Disconnected comes with the next frame."""
        if self.status == Status.CLOSED:
            return
        event = Disconnected(connection=self, reason=int(reason), text=text, by_peer=False)  # type: ignore[arg-type]  # it has the same interface
        if self.status == Status.REQUESTING:
            self.link._events.append(event)
        else:
            self.link.post(self, ("bye", int(reason), text, linger > 0))
            self.link.closing.append(event)
        self.link.forget(self, int(reason))


class ModelLink:
    """One machine's end of all its links."""

    def __init__(
        self,
        config: LinkConfig,
        *,
        name: Hashable,
        first_dial: int = 0,
        admit: Callable[[Request], Accept | Refuse],
        on_payload: Callable[[Any, bytes, float], None],
        **_unused: Any,
    ) -> None:
        """``name`` is the machine's address; its dials are numbered from ``first_dial`` on."""
        self.config = config
        self.name = name
        self.dropped: dict[str, int] = {}
        self.connections: dict[Key, ModelConnection] = {}
        self.posted: list[tuple[Hashable, Key, Item]] = []
        """What the network is to carry: to whom, over which connection, and what."""
        self.payloads: list[tuple[Hashable, Key, bytes]] = []
        self.closing: list[LinkEvent] = []
        self._events: list[LinkEvent] = []
        self._admit = admit
        self._on_payload = on_payload
        self._dials = first_dial
        self.is_full = False
        """Whether nobody will join this machine's match any more."""

    # What a session uses.

    def dial(self, address: Hashable, *, seats: int = 1, data: bytes = b"", heard_of: bool = False) -> ModelConnection:
        key = (self.name, self._dials)
        self._dials += 1
        connection = self.connections[key] = ModelConnection(self, address, key, Status.REQUESTING)
        self.post(connection, ("request", seats, bytes(data)))
        return connection

    def close(self, reason: int = Reason.SHUTDOWN, text: str = "", *, linger: float = 0.0) -> None:
        for connection in list(self.connections.values()):
            connection.close(reason, text, linger=linger)

    @property
    def has_events(self) -> bool:
        return bool(self._events)

    def events(self) -> list[LinkEvent]:
        events, self._events = self._events, []
        return events

    def next_timeout(self) -> float | None:
        return None

    def handle_timeout(self, *, now: float) -> None:
        """Silence is the network's decision."""

    def drain(self, now: float) -> list[tuple[bytes, Hashable]]:
        self._events += self.closing
        self.closing = []
        return []

    def receive(self, arrived: tuple[Key, Item], address: Hashable, now: float) -> None:
        """What the network brings: a key and an item in place of a datagram."""
        key, (kind, *contents) = arrived
        if kind == "request":
            self._answer(key, address, *contents)
            return
        connection = self.connections.get(key)
        if connection is None:
            return
        if kind == "refuse":
            reason, text = contents
            self.forget(connection, reason)
            self._events.append(Refused(connection=connection, reason=reason, text=text))  # type: ignore[arg-type]  # the same interface
        elif kind in ("bye", "silence"):
            self._end(connection, kind, contents)
        else:
            self._receive(connection, kind, contents, now)

    def time_passed(self, silent: tuple[Key, ...]) -> None:
        """Nothing came over the connections with these keys meanwhile, and something over all others."""
        for key, connection in self.connections.items():
            connection.is_silent = key in silent

    def _receive(self, connection: ModelConnection, kind: str, contents: list[Any], now: float) -> None:
        if kind == "accept":
            seats, data = contents
            connection.terms = self._terms(seats, data)
            self._connect(connection)
        if not connection.is_connected:
            # Payloads may overtake the acceptance, and are dropped.
            return
        if kind == "message":
            self._events.append(ReliableReceived(connection, contents[0]))  # type: ignore[arg-type]  # the same interface
        elif kind == "payload":
            self._on_payload(connection, contents[0], now)

    def _connect(self, connection: ModelConnection) -> None:
        connection.status = Status.CONNECTED
        self._events.append(Connected(connection=connection))  # type: ignore[arg-type]  # the same interface

    def _end(self, connection: ModelConnection, kind: str, contents: list[Any]) -> None:
        if kind == "bye":
            reason, text = contents[:2]
        else:
            reason = int(Reason.TIMEOUT if connection.is_connected else Reason.NO_ANSWER)
            text = ""
        self.forget(connection, reason)
        self._events.append(
            Disconnected(connection=connection, reason=reason, text=text, by_peer=kind == "bye")  # type: ignore[arg-type]  # the same interface
        )

    def _answer(self, key: Key, address: Hashable, seats: int, data: bytes) -> None:
        connection = ModelConnection(self, address, key, Status.ACCEPTED)
        answer = self._admit(
            Request(
                connection=connection,  # type: ignore[arg-type]  # the same interface
                address=address,
                capabilities=self.config.capabilities,
                tick_rate=self.config.tick_rate,
                seats=seats,
                data=data,
            )
        )
        if isinstance(answer, Refuse):
            connection.status = Status.CLOSED
            self.post(connection, ("refuse", int(answer.reason), answer.text))
            return
        self.connections[key] = connection
        connection.terms = self._terms(answer.seats, data)
        self.post(connection, ("accept", tuple(answer.seats), answer.data))
        # As over a sealed link: the acceptor is connected first.
        self._connect(connection)

    def _terms(self, seats: tuple[int, ...], data: bytes) -> Terms:
        return Terms(
            capabilities=self.config.capabilities,
            tick_rate=self.config.tick_rate,
            seats=seats,
            seed=SEED,
            peer_game_version=0,
            peer_data=data,
        )

    # For connections.

    def post(self, connection: ModelConnection, item: Item) -> None:
        self.posted.append((connection.address, connection.key, item))

    def forget(self, connection: ModelConnection, reason: int) -> None:
        connection.status = Status.CLOSED
        connection.close_reason = int(Reason.GOODBYE) if reason in ALIKE else reason
        self.connections.pop(connection.key, None)
