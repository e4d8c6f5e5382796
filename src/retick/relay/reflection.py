"""Finds out the kind of router in the way: asks a relay's two ports, as docs/formats/relay.md says. No I/O."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from typing import Any, Final

from retick.errors import DecodeError
from retick.relay import packets as wire
from retick.relay.packets import RelayRequest, Seen

TRY_SECONDS: Final = 0.4
MOST_TRIES: Final = 5
"""How often each question is sent before it counts as unanswered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapping:
    """What a relay's answers say about the routers on the way."""

    host: IPv4Address | IPv6Address | None
    """The address that the relay sees; None without an answer: UDP is blocked, or the relay is down."""
    port: int
    round_trip: float
    """The round trip of the fastest answer, in seconds."""
    is_symmetric: bool | None
    """Whether the second port saw another address; None if it did not answer."""
    lets_others_in: bool | None
    """Whether an answer arrived from the port not asked: full cone, address-restricted, or no router."""


class Reflection:
    """One survey, on a socket of its own: it draws datagrams that a router does not expect, and some routers then give
    the socket another outside port. Once ``is_done``, ``result`` is set.
    """

    def __init__(self, relay: Hashable, *, entropy: Callable[[int], bytes]) -> None:
        self.relay = relay
        self.is_done = False
        self.result = Mapping(host=None, port=0, round_trip=0.0, is_symmetric=None, lets_others_in=None)
        self._entropy = entropy
        self._questions: dict[bytes, tuple[str, float]] = {}
        """Each nonce, with the question and the time when it was asked."""
        self._seen: dict[str, Seen] = {}
        self._round_trip = 0.0
        self._second: Any = None
        """The relay's second port, known from its first answer on."""
        self._asks_second = False
        self._tries = 0
        self._due: float | None = None
        self._waiting: list[tuple[bytes, Any]] = []

    def receive_datagram(self, data: bytes, address: Hashable, *, now: float) -> None:
        try:
            answer = wire.decode_answer(data)
        except DecodeError:
            return
        if not isinstance(answer, Seen) or answer.nonce not in self._questions or self.is_done:
            return
        question, asked_at = self._questions[answer.nonce]
        self._seen.setdefault(question, answer)
        self._round_trip = min(self._round_trip or now - asked_at, now - asked_at)
        if question == "first" and answer.other_port and isinstance(self.relay, tuple):
            self._second = (self.relay[0], answer.other_port, *self.relay[2:])
        wanted = {"second"} if self._asks_second else {"first", "other"}
        if wanted <= self._seen.keys() or ("first" in self._seen and self._second is None):
            self._due, self._tries = now, MOST_TRIES  # no more questions of this kind

    def datagrams_to_send(self, *, now: float) -> list[tuple[bytes, Any]]:
        if not self._tries:
            self._ask(now)
        out, self._waiting = self._waiting, []
        return out

    def next_timeout(self) -> float | None:
        return self._due

    def handle_timeout(self, *, now: float) -> None:
        if self._due is None or now < self._due:
            return
        if self._tries < MOST_TRIES:
            self._ask(now)
        elif self._second is not None and not self._asks_second:
            self._asks_second = True
            self._tries = 0
            self._ask(now)
        else:
            self._finish()

    def events(self) -> list[Any]:
        return []

    def _ask(self, now: float) -> None:
        """Repeat unanswered questions: the first port first, before the router has seen the second one."""
        self._tries += 1
        self._due = now + TRY_SECONDS
        if self._asks_second:
            self._put("second", self._second, 0, now)
        else:
            self._put("other", self.relay, wire.FROM_OTHER_PORT, now)
            self._put("first", self.relay, 0, now)

    def _put(self, question: str, address: Any, flags: int, now: float) -> None:
        if question not in self._seen:
            nonce = self._entropy(wire.NONCE_SIZE)
            self._questions[nonce] = question, now
            self._waiting.append((wire.encode_request(RelayRequest(wire.ASK, nonce, flags=flags)), address))

    def _finish(self) -> None:
        self.is_done = True
        self._due = None
        first, second = self._seen.get("first"), self._seen.get("second")
        if first is None:
            return
        self.result = Mapping(
            host=first.host,
            port=first.port,
            round_trip=self._round_trip,
            is_symmetric=None if second is None else (second.host, second.port) != (first.host, first.port),
            lets_others_in=None if self._second is None else "other" in self._seen,
        )


# Tests whether two sockets behind one router reach each other by its outside address, with a relay's help. No I/O.
#
# Players in one household need this only where the local network does not connect them. Each end asks the relay for its
# outside address, then both keep sending a token to each other's address, so that the router's filter opens.

HAIRPIN_TRY_SECONDS: Final = 0.2
MOST_HAIRPIN_TRIES: Final = 10
"""How many questions and tokens each end sends, together."""
TOKEN_SIZE: Final = 16


class HairpinEnd:
    """One of the two sockets."""

    def __init__(self, relay: Hashable, token: bytes, entropy: Callable[[int], bytes]) -> None:
        self.relay = relay
        self.outside: Any = None
        """This end's address as the relay sees it; None before the answer."""
        self.other: HairpinEnd | None = None
        self.has_heard = False
        self.tries = 0
        self._token = token
        self._nonce = entropy(wire.NONCE_SIZE)
        self._due: float | None = None

    @property
    def is_done(self) -> bool:
        return self.has_heard or self.tries > MOST_HAIRPIN_TRIES

    def receive_datagram(self, data: bytes, address: Hashable, *, now: float) -> None:
        if data == self._token:
            self.has_heard = True
            return
        try:
            answer = wire.decode_answer(data)
        except DecodeError:
            return
        if isinstance(answer, Seen) and answer.nonce == self._nonce and self.outside is None:
            self.outside = (str(answer.host), answer.port)

    def datagrams_to_send(self, *, now: float) -> list[tuple[bytes, Any]]:
        if (self._due is not None and now < self._due) or self.tries > MOST_HAIRPIN_TRIES:
            return []
        self.tries += 1
        self._due = now + HAIRPIN_TRY_SECONDS
        if self.outside is None:
            return [(wire.encode_request(RelayRequest(wire.ASK, self._nonce)), self.relay)]
        if self.other is None or self.other.outside is None:
            return []
        return [(self._token, self.other.outside)]

    def next_timeout(self) -> float | None:
        return None if self.tries > MOST_HAIRPIN_TRIES else self._due

    def handle_timeout(self, *, now: float) -> None:
        """Do nothing: datagrams are made on demand."""

    def events(self) -> list[Any]:
        return []


class Hairpin:
    """One test on two sockets of its own; each of ``ends`` has the five calls. Once ``is_done``, ``result`` is set."""

    def __init__(self, relay: Hashable, *, entropy: Callable[[int], bytes]) -> None:
        token = entropy(TOKEN_SIZE)
        self.ends = HairpinEnd(relay, token, entropy), HairpinEnd(relay, token, entropy)
        self.ends[0].other, self.ends[1].other = self.ends[1], self.ends[0]

    @property
    def is_done(self) -> bool:
        return all(end.is_done for end in self.ends)

    @property
    def result(self) -> bool | None:
        """Whether a token arrived; None if the relay did not report both addresses."""
        if any(end.has_heard for end in self.ends):
            return True
        return None if any(end.outside is None for end in self.ends) else False
