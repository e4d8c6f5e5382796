"""Fuzzes the front of a server in several processes, and a client that it sends elsewhere.

The bytes are a script of steps: raw bytes to the front, a request to join through a real link, or a refusal that a
client may follow. Nobody gets in, nothing is kept, and no client leaves the host that it dialled.
"""

import random
from typing import Any

from fuzz.target import script
from retick.host.front import Front
from retick.host.joining import JoinRequest, Way, encode_join
from retick.link import LinkConfig, LinkEndpoint, Reason, Refused

__all__ = ["TARGETS"]

LONGEST = 512
GAME = LinkConfig(game_id="fuzz", sealed=False)
HOST = ("192.0.2.1", 7777)


class Bench:
    """A front with two rooms, and a client that asks it."""

    def __init__(self) -> None:
        ports: dict[str, int | str] = {"": 7778, "room": 7779}
        self.front = Front(
            GAME, entropy=random.Random(1).randbytes, port_of=lambda room: ports.get(room, "there is no such room")
        )
        self.end = LinkEndpoint(GAME, entropy=random.Random(2).randbytes)
        self.way = Way(HOST)
        self.now = 0.0
        self.answers: list[tuple[int, str]] = []

    def ask(self, data: bytes) -> None:
        self.end.dial(HOST, data=data[:256])
        for _ in range(2):
            self.now += 0.01
            for packet, _to in self.end.datagrams_to_send(now=self.now):
                self.front.receive_datagram(packet, "guest", now=self.now)
            for packet, _to in self.front.datagrams_to_send(now=self.now):
                self.end.receive_datagram(packet, HOST, now=self.now)
        found = [event for event in self.end.events() if isinstance(event, Refused)]
        assert len(found) == 1
        self.answers += [(event.reason, event.text) for event in found]
        self.follow(found[0].reason, found[0].text)

    def follow(self, reason: int, text: str) -> None:
        followed = self.way.follow(reason, text)
        address: Any = self.way.address
        host, port = address
        assert host == HOST[0]
        assert 1024 <= port <= 65535
        assert not followed or (reason, text) == (Reason.REDIRECT, f"port {port}")


def run(data: bytes) -> tuple[int, str]:
    """Number of steps, and the answers."""
    bench = Bench()
    at = steps = 0
    while at + 2 <= len(data) and at < LONGEST:
        operation, length = data[at], data[at + 1]
        body = data[at + 2 : at + 2 + length]
        at += 2 + length
        steps += 1
        if operation & 3 == 0:
            bench.front.receive_datagram(body, ("192.0.2.9", 9), now=bench.now)
        elif operation & 3 == 1:
            bench.ask(body)
        elif operation & 3 == 2:
            bench.follow(Reason.REDIRECT, body.decode("utf-8", "replace"))
        else:
            bench.way.start_again()
            bench.front.closed_text = "closed" if operation & 4 else None
    assert bench.front._link.connections == {}
    return steps, repr((bench.answers, bench.way.address, bench.front.redirected, bench.front.refused))


def _step(operation: int, body: bytes = b"") -> bytes:
    return bytes((operation, len(body))) + body


CORPUS = (
    _step(1) + _step(1, encode_join(JoinRequest("room"))) + _step(1, encode_join(JoinRequest("elsewhere"))),
    _step(7) + _step(1) + _step(1, encode_join(JoinRequest("room", b"t" * 16))),
    _step(2, b"port 7780") + _step(2, b"port 7781") + _step(3) + _step(2, b"port 80") + _step(2, b"port 7777"),
    _step(0, b"\xe0RTL") + _step(1, b"\xff" * 20),
)

TARGETS = (script("endpoint/front", run, CORPUS, Front.receive_datagram, guides=("authority", "link")),)
