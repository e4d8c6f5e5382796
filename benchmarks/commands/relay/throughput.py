"""Datagrams per second of a relay and of a bare loop that receives and sends, measured in turn."""

import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

from benchmarks.commands.cpu_pinning import PinnedToCore
from benchmarks.commands.relay.crowd import OPEN_TO_ALL, Crowd
from retick.relay import RelayServer
from retick.serving.relay import RelayLoop
from retick.transport.udp import SocketAddress, UdpSocket, open_udp

__all__ = ["Throughput", "measure_throughput"]

BATCH = 128
"""Datagrams that wait when the clock starts, as many as fit into the system's buffer."""
PAYLOAD = 100
"""Bytes of a frame's payload, as for inputs of a match."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Throughput:
    """Datagrams per second of one core, by the thread's CPU time, to which other processes add nothing."""

    relay: float
    bare: float
    rooms: int
    lost: int
    """Datagrams that the relay did not forward."""

    @property
    def share(self) -> float:
        """The relay's share of the bare loop's throughput."""
        return self.relay / self.bare


def measure_throughput(*, rooms: int = 1000, rounds: int = 100) -> Throughput:
    """Medians over rounds, in which the relay and the bare loop forward the same frames."""
    first = open_udp("127.0.0.1")
    server = RelayServer(key=os.urandom(32), entropy=os.urandom, config=OPEN_TO_ALL)
    forwarding = RelayLoop(server, first, None, on_events=lambda events: None)
    crowd = Crowd(first.address, rooms, pump=forwarding.drain)
    bare = open_udp("127.0.0.1")
    try:
        frames = crowd.frames(bytes(PAYLOAD))
        sink = crowd.right[0].address
        with PinnedToCore(0):
            relayed, plain, lost = [], [], 0
            for number in range(rounds):
                batch = [frames[(number * BATCH + at) % len(frames)] for at in range(BATCH)]
                seconds, arrived = _timed(crowd, batch, first, forwarding.drain)
                relayed.append(arrived / seconds)
                lost += BATCH - arrived
                seconds, arrived = _timed(crowd, batch, bare, lambda: _forward_plainly(bare, sink))
                plain.append(arrived / seconds)
        return Throughput(relay=statistics.median(relayed), bare=statistics.median(plain), rooms=rooms, lost=lost)
    finally:
        crowd.close()
        first.close()
        bare.close()


def _timed(
    crowd: Crowd, batch: list[tuple[UdpSocket, bytes]], to: UdpSocket, drain: Callable[[], None]
) -> tuple[float, int]:
    """Seconds for a batch, and the number of datagrams that arrived."""
    target = to.address
    for socket, data in batch:
        socket.send(data, target)
    begun = time.thread_time()
    drain()
    return time.thread_time() - begun, crowd.empty()


def _forward_plainly(socket: UdpSocket, sink: SocketAddress) -> None:
    receive, send = socket.raw.recvfrom, socket.raw.sendto
    try:
        while True:
            data, _ = receive(2048)
            send(data, sink)
    except BlockingIOError:
        pass
