"""Checks that a flood of spoofed requests leaves nothing in a relay's memory that grows with it."""

import os
import random
import tracemalloc
from dataclasses import dataclass

from retick.relay import RelayServer
from retick.relay import packets as wire

__all__ = ["Flood", "measure_flood"]

KINDS = (wire.ASK, wire.OPEN, wire.JOIN, wire.HERE, wire.LEAVE, wire.DATA)
STRANGERS_A_SECOND = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Flood:
    """Figures of one flood."""

    requests: int
    grown: int
    """Bytes by which the process has grown since the first tenth of the flood, by Python's own count."""
    sent: int
    """Bytes that the relay has sent to strangers."""
    received: int
    """Bytes that strangers have sent."""


def measure_flood(requests: int = 1_000_000) -> Flood:
    """Send requests of all kinds, each from another address, with made-up cookies and tickets."""
    server = RelayServer(key=os.urandom(32), entropy=os.urandom)
    draw = random.Random(7)
    sent = received = 0
    tracemalloc.start()
    try:
        before = 0
        for number in range(requests):
            if number == requests // 10:
                before = tracemalloc.get_traced_memory()[0]
            address = (f"{draw.randrange(1, 224)}.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}", 1024)
            now = number / STRANGERS_A_SECOND
            data = _made_up(KINDS[number % len(KINDS)], draw)
            received += len(data)
            server.receive_datagram(data, address, now=now)
            if number % 64 == 0:
                sent += sum(len(answer) for answer, _ in server.datagrams_to_send(now=now))
        return Flood(requests=requests, grown=tracemalloc.get_traced_memory()[0] - before, sent=sent, received=received)
    finally:
        tracemalloc.stop()


def _made_up(kind: int, draw: random.Random) -> bytes:
    if kind == wire.DATA:
        return wire.encode_frame(wire.Frame(kind, draw.randbytes(6), 0, 1, bytes(60)))
    cookie = wire.NO_COOKIE if kind == wire.ASK else draw.randbytes(16)
    request = wire.RelayRequest(
        kind, draw.randbytes(8), cookie, places=2, tag=bytes(16), code=draw.randbytes(5), ticket=draw.randbytes(49)
    )
    return wire.encode_request(request)
