"""Many players in one process, as load for a server: real links and real commands, but no prediction.

Each answers pings, acknowledges snapshots and sends a bundle of five commands sixty times a second, for ticks ahead of
the newest snapshot, as a client does.
"""

# retick: floats -- a clock and axes

import argparse
import os
import time
from collections.abc import Hashable
from typing import Final

from benchmarks.commands.cpu_pinning import PinnedToCore
from retick.games.runner import RunnerCommand
from retick.host.config import COMPACT_SNAPSHOTS, DELTA_SNAPSHOTS
from retick.host.joining import JoinRequest, encode_join
from retick.link import Connected, LinkConfig, LinkEndpoint, ReliableReceived, UnreliableReceived
from retick.netrunner import NetRunner
from retick.netrunner.delta import DELTA_SNAPSHOT, DeltaCodec, acked_input
from retick.netrunner.messages import ClientHello, Ping, Pong
from retick.netrunner.packets import RunnerWelcome
from retick.transport.poll import Poll
from retick.transport.udp import SocketAddress, open_udp

__all__ = ["Sender", "main"]

LEAD: Final = 6
"""Ticks from the server's tick to a new command's."""
BUNDLE: Final = 5
"""Commands per datagram."""


class Sender:
    """One player. All share one socket and one link endpoint; each has its own connection."""

    def __init__(self, profile: NetRunner, codec: DeltaCodec, link: LinkEndpoint, address: Hashable, room: str) -> None:
        self.profile = profile
        request = JoinRequest(room, schema=codec.codec.schema_hash, compact=codec.compact.schema_hash)
        self.connection = link.dial(address, data=encode_join(request))
        self.connection.tag = self
        self.joined = False
        self._newest = 0
        self._newest_at = 0.0
        self._seq = 0
        self._tick = 0
        self._recent: list[RunnerCommand] = []

    def receive(self, event: object, now: float) -> None:
        if isinstance(event, UnreliableReceived):
            data = event.data
            tick = int.from_bytes(data[1:5], "little")
            if data[0] == DELTA_SNAPSHOT and tick > self._newest:
                self._newest, self._newest_at = tick, now
        elif isinstance(event, ReliableReceived):
            self._answer(self.profile.decode(event.data), now)
        elif isinstance(event, Connected):
            self.connection.send_reliable(self.profile.encode_control(ClientHello(self.profile.protocol_version)))

    def _answer(self, message: object, now: float) -> None:
        if isinstance(message, RunnerWelcome):
            self.joined = True
            self._newest, self._newest_at = message.server_tick, now
            self._tick = message.server_tick + LEAD
        elif isinstance(message, Ping):
            pong = Pong(message.seq, message.clock_ms, self._newest)
            self.connection.send_reliable(self.profile.encode_control(pong))

    def send(self, now: float) -> None:
        """Send the newest commands, with new ones up to the tick that is due."""
        if not self.joined:
            return
        server = self._newest + int((now - self._newest_at) * 60)
        while self._tick < server + LEAD:
            self._tick += 1
            self._seq += 1
            yaw = (self._seq // 40 % 12 - 6) / 2
            command = RunnerCommand(self._seq, self._tick, 1, 1 / 60, 0.25, 0.75, int(self._seq % 50 < 2), yaw, 0.0)
            self._recent = [command, *self._recent[: BUNDLE - 1]]
        if self._recent:
            bundle = self.profile.encode_inputs(self._recent)
            self.connection.send_unreliable(acked_input(self._newest, bundle))


def main(arguments: list[str] | None = None) -> None:
    """Run senders against a server until the time is up; the load benchmark's child process."""
    parser = argparse.ArgumentParser(prog="senders", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--rooms", type=int, required=True)
    parser.add_argument("--players", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--plain", action="store_true")
    options = parser.parse_args(arguments)
    profile = NetRunner()
    codec = DeltaCodec(profile.layout, sealed=not options.plain)
    link = LinkEndpoint(
        LinkConfig(
            game_id=profile.game_id,
            game_version=profile.protocol_version,
            capabilities=DELTA_SNAPSHOTS | COMPACT_SNAPSHOTS,
            tick_rate=60,
            accepting=False,
            max_connections=options.rooms * options.players,
            sealed=not options.plain,
        ),
        entropy=os.urandom,
    )
    socket = open_udp("127.0.0.1", 0)
    wire = Poll(link, socket, drain=1024)
    target: SocketAddress = ("127.0.0.1", options.port)
    senders = [
        Sender(profile, codec, link, target, f"room {number % options.rooms}")
        for number in range(options.rooms * options.players)
    ]
    with PinnedToCore(1):
        _drive(wire, senders, options.seconds)


def _drive(wire: Poll, senders: list[Sender], seconds: float) -> None:
    """Run sixty rounds per second; the senders are spread over each round, as real players are."""
    end = time.monotonic() + seconds
    due = time.monotonic()
    slices = 8
    turn = 0
    while (now := time.monotonic()) < end:
        for event in wire.poll(now):
            event.connection.tag.receive(event, now)
        if now >= due:
            due = max(due + 1 / 60 / slices, now - 0.05)
            for sender in senders[turn % slices :: slices]:
                sender.send(now)
            turn += 1
            wire.flush(now)
        else:
            time.sleep(min(0.001, due - now))


if __name__ == "__main__":
    main()
