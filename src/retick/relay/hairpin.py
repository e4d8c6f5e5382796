"""Do two sockets behind one router reach each other by its outside address? Asks a relay where they are. No I/O.

Players in one household need it only where the local network does not connect them. Each end asks the relay for its
outside address, then both send a token to each other's, again and again: so no filter of the router stands in the way.
"""

from collections.abc import Callable, Hashable
from typing import Any, Final

from retick.errors import DecodeError
from retick.wire import relay as wire
from retick.wire.relay import Request, Seen

__all__ = ["Hairpin", "HairpinEnd"]

TRY_SECONDS: Final = 0.2
MOST_TRIES: Final = 10
"""Of each end; a question and a token count alike."""
TOKEN_SIZE: Final = 16


class HairpinEnd:
    """One of the two sockets."""

    def __init__(self, relay: Hashable, token: bytes, entropy: Callable[[int], bytes]) -> None:
        self.relay = relay
        self.outside: Any = None
        """Its address as the relay sees it; None before the answer."""
        self.other: HairpinEnd | None = None
        self.has_heard = False
        self.tries = 0
        self._token = token
        self._nonce = entropy(wire.NONCE_SIZE)
        self._due: float | None = None

    @property
    def is_done(self) -> bool:
        return self.has_heard or self.tries > MOST_TRIES

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
        if (self._due is not None and now < self._due) or self.tries > MOST_TRIES:
            return []
        self.tries += 1
        self._due = now + TRY_SECONDS
        if self.outside is None:
            return [(wire.encode_request(Request(wire.ASK, self._nonce)), self.relay)]
        if self.other is None or self.other.outside is None:
            return []
        return [(self._token, self.other.outside)]

    def next_timeout(self) -> float | None:
        return None if self.tries > MOST_TRIES else self._due

    def handle_timeout(self, *, now: float) -> None:
        """Datagrams are made when they are asked for."""

    def events(self) -> list[Any]:
        return []


class Hairpin:
    """One test with two sockets of its own: ``ends`` has the five calls twice. ``result`` is there when ``is_done``."""

    def __init__(self, relay: Hashable, *, entropy: Callable[[int], bytes]) -> None:
        token = entropy(TOKEN_SIZE)
        self.ends = HairpinEnd(relay, token, entropy), HairpinEnd(relay, token, entropy)
        self.ends[0].other, self.ends[1].other = self.ends[1], self.ends[0]

    @property
    def is_done(self) -> bool:
        return all(end.is_done for end in self.ends)

    @property
    def result(self) -> bool | None:
        """Whether a token arrived; None if the relay did not say where both are."""
        if any(end.has_heard for end in self.ends):
            return True
        return None if any(end.outside is None for end in self.ends) else False
