"""A sealed host and guest whose datagrams a test carries by hand: it may keep, change, repeat and lose them."""

import random
from collections.abc import Callable
from typing import Any, NamedTuple

from retick.link import Accept, Connection, LinkConfig, LinkEndpoint, Refuse, Request
from retick.link.sealing.noise import Pattern
from retick.link.sealing.primitives import public_key_of
from tests.link.pair import fingerprint

__all__ = ["KEYS", "SECRET", "SERVER", "Carried", "Talk", "flips"]

SECRET = b"sixteen secrets!"
SERVER = bytes(range(1, 33))
KEYS: dict[Pattern, tuple[dict[str, Any], dict[str, Any]]] = {
    Pattern.NN: ({}, {}),
    Pattern.NNPSK0: ({"secret": SECRET}, {"secret": SECRET}),
    Pattern.NK: ({"key_pair": SERVER}, {"server_key": public_key_of(SERVER)}),
}
"""The settings of an acceptor and a dialler, by pattern."""
Tamper = Callable[["Carried"], bytes | None]


class Carried(NamedTuple):
    """A datagram on its way."""

    number: int
    to_host: bool
    data: bytes


class Talk:
    """Carries datagrams between the two in steps of time; ``tamper`` returns what arrives, or None."""

    def __init__(
        self,
        pattern: Pattern = Pattern.NNPSK0,
        *,
        tamper: Tamper = lambda carried: carried.data,
        admit: Callable[[Request], Accept | Refuse] | None = None,
        dial: dict[str, Any] | None = None,
        host: dict[str, Any] | None = None,
        guest: dict[str, Any] | None = None,
        **config: Any,
    ) -> None:
        usual = {"sealed": True, "game_id": "talk", "handshake_rate": 1e9, "handshake_rate_per_address": 1e9, **config}
        hosts, guests = KEYS[pattern]
        dice = random.Random(int(pattern) + 1)
        self.host = LinkEndpoint(LinkConfig(**{**usual, **hosts, **(host or {})}), entropy=dice.randbytes, admit=admit)
        self.guest = LinkEndpoint(LinkConfig(**{**usual, **guests, **(guest or {})}), entropy=dice.randbytes)
        self.tamper = tamper
        self.now = 0.0
        self.carried: list[Carried] = []
        self.events: list[Any] = []
        self.mine = self.guest.dial("host", **(dial or {}))

    @property
    def theirs(self) -> Connection:
        [found] = self.host.connections.values()
        return found

    def step(self, seconds: float = 0.01) -> None:
        """Both send what they have, the guest first, and receive it."""
        self.now += seconds
        for endpoint in (self.guest, self.host):
            endpoint.handle_timeout(now=self.now)
            for data, _ in endpoint.datagrams_to_send(now=self.now):
                carried = Carried(len(self.carried), endpoint is self.guest, data)
                self.carried.append(carried)
                arrived = self.tamper(carried)
                if arrived is not None:
                    self.deliver(arrived, to_host=carried.to_host)
        self.events += [*self.host.events(), *self.guest.events()]

    def run(self, seconds: float, step: float = 0.05) -> None:
        for _ in range(round(seconds / step)):
            self.step(step)

    def connect(self) -> "Talk":
        for _ in range(6):
            self.step()
        assert self.mine.is_connected
        assert self.theirs.is_connected
        return self

    def deliver(self, data: bytes, *, to_host: bool, address: Any = None) -> None:
        endpoint, usual = (self.host, "guest") if to_host else (self.guest, "host")
        endpoint.receive_datagram(data, address or usual, now=self.now)

    def state(self) -> Any:
        """All that both ends know of their connections, without what waits to be read or sent."""
        return [fingerprint((each.connections, each._by_nonce, each._events)) for each in (self.host, self.guest)]

    def discard_answers(self) -> int:
        """Bytes that both would send now; they are lost."""
        return sum(len(data) for each in (self.host, self.guest) for data, _ in each.datagrams_to_send(now=self.now))


def flips(data: bytes) -> list[bytes]:
    """The datagram with each of its bits flipped."""
    found = []
    for bit in range(8 * len(data)):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        found.append(bytes(changed))
    return found
