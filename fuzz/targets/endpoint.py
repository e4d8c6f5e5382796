"""Fuzzes a link endpoint that is in the middle of a connection: nothing raises, and its bounds hold.

The bytes are a script. Each step is an opcode with its arguments: raw bytes from some address, a datagram with the
right connection id and a new sequence around a body from the script, a genuine datagram with one byte changed, time
that passes, reading, sending. So the fuzzer gets past the first checks without guessing 32 bits.
"""

import random

from fuzz.target import script
from retick.link import LinkConfig, LinkEndpoint
from retick.link.packets import ENVELOPE

__all__ = ["TARGETS"]

LONGEST = 1024
ADDRESSES = ("guest", "stranger", ("192.0.2.1", 9))


class Script:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1] if self.at <= len(self.data) else 0

    def read(self, count: int) -> bytes:
        self.at += count
        return self.data[self.at - count : self.at]


class Bench:
    """A connected host and guest, and every datagram that they have sent."""

    def __init__(self) -> None:
        config = LinkConfig(game_id="fuzz", sealed=False, unread_limit=8, max_message=4096, send_queue=8192)
        self.host = LinkEndpoint(config, entropy=random.Random(1).randbytes)
        self.guest = LinkEndpoint(config, entropy=random.Random(2).randbytes)
        self.now = 0.0
        self.genuine: list[bytes] = []
        self.received = 0
        connection = self.guest.dial("host")
        while not connection.is_connected or not self.host.connections:
            self.exchange()
        connection.send_reliable(b"m" * 3000)
        for endpoint in (self.host, self.guest):
            for held in endpoint.connections.values():
                held.send_unreliable(b"payload")
        self.exchange()
        self.theirs = next(iter(self.host.connections.values()))
        self.sequence = 100

    def exchange(self) -> None:
        self.now += 0.01
        for source, target, address in ((self.guest, self.host, "guest"), (self.host, self.guest, "host")):
            source.handle_timeout(now=self.now)
            for data, _ in source.datagrams_to_send(now=self.now):
                self.genuine.append(data)
                target.receive_datagram(data, address, now=self.now)
            target.events()

    def step(self, script: Script) -> None:
        host = self.host
        operation = script.byte() % 8
        address = ADDRESSES[script.byte() % 3] if operation < 3 else "guest"
        if operation == 0:
            self.receive(script.read(script.byte()), address)
        elif operation in (1, 3):
            kind = 0x80 + script.byte() % 0x48
            self.sequence += script.byte() % 3
            head = ENVELOPE.pack(kind, self.theirs.local_id, self.sequence & 0xFFFF, script.byte())
            self.receive(head + script.read(script.byte()), address)
        elif operation == 2:
            data = bytearray(self.genuine[script.byte() % len(self.genuine)])
            data[(script.byte() | script.byte() << 8) % len(data)] = script.byte()
            self.receive(bytes(data), address)
        elif operation == 4:
            self.now += script.byte() / 50
            host.handle_timeout(now=self.now)
        elif operation == 5:
            host.datagrams_to_send(now=self.now)
        elif operation == 6:
            host.events()
        else:
            self.theirs.send_reliable(bytes(script.byte() * 16))

    def receive(self, data: bytes, address: object) -> None:
        self.received += 1
        self.host.receive_datagram(data, address, now=self.now)

    def check(self) -> None:
        held = self.theirs
        assert len(self.host.connections) <= 64
        assert len(held._receiver._early) <= 64
        assert held.queued_bytes <= 8192
        assert held._unread <= 8
        assert len(self.host._events) <= 64 * 12


def run(data: bytes) -> tuple[int, str]:
    """Number of packets received, and what became of them."""
    script = Script(data)
    bench = Bench()
    while script.at < len(data) and script.at < LONGEST:
        bench.step(script)
        bench.check()
    return bench.received, repr((sorted(bench.host.dropped.items()), bench.theirs.stats))


CORPUS = (
    bytes([0, 0, 4, 1, 2, 3, 4]),
    bytes([3, 0, 1, 7, 3, 1, 2, 3, 5, 6]),
    bytes([3, 0x40, 1, 0, 18]) + bytes(18),
    bytes([3, 0x40, 1, 0, 25]) + bytes(18) + bytes([0, 0, 3, 0xC0, 1, 2, 3]),
    bytes([3, 0x41, 1, 0, 4, 9, 2, 65, 66]),
    bytes([3, 0x42, 1, 0, 0, 5, 6]),
    bytes([1, 1, 0, 1, 0, 9]) + bytes(9) + bytes([5, 6]),
    bytes([2, 0, 0, 5, 0, 9, 4, 255, 5, 6, 4, 255, 4, 255, 5]),
    bytes([7, 200, 5, 4, 30, 5, 4, 60, 5, 6]),
)

TARGETS = (script("endpoint/link", run, CORPUS, LinkEndpoint.receive_datagram, guides=("link",)),)
