"""Members in many rooms of a relay on loopback, over a few sockets: the load of the benchmark."""

import os
import select
import time
from collections.abc import Callable

from retick.errors import RetickError
from retick.relay import MemberState, RelayConfig, RelayMember
from retick.transport.udp import SocketAddress, UdpSocket, open_udp

__all__ = ["OPEN_TO_ALL", "Crowd"]

SOCKETS = 16
"""Sockets on each side; one member of each room is on the left, one on the right."""
TAG = b"retick bench    "
PATIENCE = 5.0
"""Seconds within which a member must join."""
OPEN_TO_ALL = RelayConfig(
    rooms=100_000, rooms_per_address=100_000, members=1_000_000, member_bytes=1 << 40, total_bytes=1 << 40,
    answers=10_000_000, wrong_codes_a_second=1_000_000, idle_seconds=3600.0, ticket_seconds=7200.0,
)  # fmt: skip
"""Limits that the benchmark does not reach, although all its members have one address."""


class Crowd:
    """Two members in each room; ``frames`` has one frame from each left member to the right one."""

    def __init__(self, relay: SocketAddress, rooms: int, *, pump: Callable[[], None] = lambda: None) -> None:
        """``pump`` lets a relay in this process read its socket."""
        self.left = [open_udp("127.0.0.1") for _ in range(SOCKETS)]
        self.right = [open_udp("127.0.0.1") for _ in range(SOCKETS)]
        self.members: list[tuple[RelayMember, RelayMember]] = []
        self._pump = pump
        try:
            for number in range(rooms):
                at = number % SOCKETS
                first = RelayMember(relay, tag=TAG, entropy=os.urandom)
                first.open(2)
                self._enter(first, self.left[at])
                second = RelayMember(relay, tag=TAG, entropy=os.urandom)
                second.join(first.code)
                self._enter(second, self.right[at])
                self.members.append((first, second))
        except BaseException:
            self.close()
            raise
        self.empty()

    def _enter(self, member: RelayMember, socket: UdpSocket) -> None:
        deadline = time.monotonic() + PATIENCE
        while member.state is MemberState.ENTERING and (now := time.monotonic()) < deadline:
            member.handle_timeout(now=now)
            for data, address in member.datagrams_to_send(now=now):
                socket.send(data, address)
            self._pump()
            select.select([socket], [], [], 0.01)
            while (found := socket.receive()) is not None:
                member.receive_datagram(*found, now=now)
        if member.state is not MemberState.INSIDE:
            raise RetickError("a member of the benchmark did not get into its room")

    def frames(self, payload: bytes) -> list[tuple[UdpSocket, bytes]]:
        """A frame from left to right for each room, with the socket that sends it."""
        return [
            (self.left[number % SOCKETS], first.frame(1, payload)) for number, (first, _) in enumerate(self.members)
        ]

    def empty(self) -> int:
        """Read and drop everything that waits; return the number of datagrams on the right."""
        for socket in self.left:
            while socket.receive() is not None:
                pass
        count = 0
        for socket in self.right:
            while socket.receive() is not None:
                count += 1
        return count

    def close(self) -> None:
        for socket in (*self.left, *self.right):
            socket.close()
