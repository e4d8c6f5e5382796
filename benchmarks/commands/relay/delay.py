"""The delay that a relay adds to a datagram, under a given load."""

import select
import struct
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.commands.cpu_pinning import PinnedToCore
from benchmarks.commands.processes import start_benchmark
from benchmarks.commands.relay.crowd import Crowd
from retick.errors import RetickError
from retick.transport.udp import UdpSocket

__all__ = ["Delay", "measure_delay"]

PAYLOAD = 100
_TIME = struct.Struct("<d")
SETTLING = 0.5
"""Seconds at the start that are not measured."""
BURST = 0.001
"""Length of a burst of load, in seconds."""


@dataclass(slots=True)
class Delay:
    """Seconds from sending to arrival."""

    rate: float
    """Datagrams sent per second."""
    rooms: int
    relayed: list[float] = field(default_factory=list)
    direct: list[float] = field(default_factory=list)
    sent: int = 0
    """Delays through the relay."""

    @property
    def lost(self) -> float:
        """Share of datagrams that were lost in the relay."""
        return 1.0 - len(self.relayed) / max(1, self.sent)

    def added(self, share: float) -> float:
        """The delay that the relay adds at this percentile, above the median without it."""
        return at(self.relayed, share) - at(self.direct, 0.5)


def at(values: list[float], share: float) -> float:
    """A percentile of values; ``share`` is 0 to 1."""
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else 0.0


def measure_delay(*, rate: float, rooms: int = 1000, seconds: float = 5.0) -> Delay:
    """A relay in another process, and its load from this one."""
    child = start_benchmark("relay.relay_process", stdin=subprocess.PIPE)
    try:
        assert child.stdout is not None
        line = child.stdout.readline()
        if not line.strip().isdigit():
            raise RetickError("the process of the relay did not start")
        relay = ("127.0.0.1", int(line))
        crowd = Crowd(relay, rooms)
        try:
            with PinnedToCore(0):
                return _measure(crowd, relay, rate, seconds)
        finally:
            crowd.close()
    finally:
        child.kill()
        child.communicate()


def _measure(crowd: Crowd, relay: tuple[str, int], rate: float, seconds: float) -> Delay:
    found = Delay(rate, len(crowd.members))
    heads = [(socket, frame[:9]) for socket, frame in crowd.frames(b"x")]
    ends = [crowd.right[number % len(crowd.right)].address for number in range(len(heads))]
    padding = bytes(PAYLOAD - _TIME.size)
    clock = time.perf_counter

    def relayed(number: int) -> None:
        socket, head = heads[number % len(heads)]
        socket.raw.sendto(head + _TIME.pack(clock()) + padding, relay)

    def direct(number: int) -> None:
        socket, head = heads[number % len(heads)]
        socket.raw.sendto(head + _TIME.pack(clock()) + padding, ends[number % len(ends)])

    _load(crowd.right, direct, rate, seconds / 2, found.direct)
    found.sent = _load(crowd.right, relayed, rate, seconds, found.relayed)
    return found


def _load(
    sockets: list[UdpSocket], send: Callable[[int], None], rate: float, seconds: float, delays: list[float]
) -> int:
    """Send at a rate, in bursts of a millisecond, and note each arrival; return the number of counted datagrams."""
    clock, unpack = time.perf_counter, _TIME.unpack_from
    poller = select.epoll() if hasattr(select, "epoll") else None
    receivers = {socket.fileno(): socket.raw.recv for socket in sockets}
    if poller is not None:
        for number in receivers:
            poller.register(number, select.EPOLLIN)
    burst = max(1, int(BURST * rate))
    due = clock()
    counted_from, end = due + SETTLING, due + SETTLING + seconds
    sent = counted = 0
    while (now := clock()) < end + 0.2:
        if due <= now < end:
            for number in range(sent, sent + burst):
                send(number)
            sent += burst
            counted += burst if now >= counted_from else 0
            # A late sender does not catch up, which would be another load than the requested one.
            due = max(due + burst / rate, now)
        # Wait, instead of spinning: systems stop real-time processes that never wait.
        pause = max(0.0, due - clock())
        ready = [number for number, _ in poller.poll(pause)] if poller is not None else list(receivers)
        for number in ready:
            receive = receivers[number]
            try:
                while True:
                    data = receive(2048)
                    arrived = clock()
                    (left,) = unpack(data, 9) if len(data) == PAYLOAD + 9 else (0.0,)
                    if left >= counted_from:
                        delays.append(arrived - left)
            except BlockingIOError:
                pass
    if poller is not None:
        poller.close()
    return counted
