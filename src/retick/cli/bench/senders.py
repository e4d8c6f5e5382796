"""Scripted senders for load: real links and real commands from many players, without prediction, in one process.

They stand for players whose machines are elsewhere. Each answers pings, acknowledges snapshots and sends a bundle of
five commands sixty times a second, stamped ahead of the newest snapshot as a client's would be.
"""

# retick: floats -- a clock and axes

import argparse
import os
import sys
import time
from collections.abc import Hashable
from typing import Any, Final

from retick.authority.config import DELTA_SNAPSHOTS
from retick.authority.delta import DeltaCodec
from retick.authority.delta_frames import DELTA_SNAPSHOT, acked_input
from retick.authority.joining import JoinRequest, encode_join
from retick.cli.bench.quiet_core import Undisturbed
from retick.games.runner import Command, NetRunner
from retick.games.runner.netrunner.control import Hello, Ping, Pong, Welcome
from retick.link import Connected, LinkConfig, LinkEndpoint, MessageReceived, UnreliableReceived
from retick.transport.poll import Poll
from retick.transport.udp import SocketAddress, open_udp

__all__ = ["Sender", "main"]

LEAD: Final = 6
"""Ticks that a command is stamped ahead of the server's."""
BUNDLE: Final = 5


class Sender:
    """One player's link. Many share a socket; the link tells them apart by their connection."""

    def __init__(self, profile: NetRunner, codec: DeltaCodec, link: LinkEndpoint, address: Hashable, room: str) -> None:
        self.profile = profile
        request = JoinRequest(room, b"", codec.codec.schema_hash)
        self.connection = link.dial(address, data=encode_join(request))
        self.connection.tag = self
        self.joined = False
        self.snapshots = 0
        self.snapshot_bytes = 0
        self._newest = 0
        self._newest_at = 0.0
        self._seq = 0
        self._tick = 0
        self._recent: list[Command] = []

    def take(self, event: Any, now: float) -> None:
        if isinstance(event, UnreliableReceived):
            data = event.data
            tick = int.from_bytes(data[1:5], "little")
            self.snapshots += 1
            self.snapshot_bytes += len(data)
            if data[0] == DELTA_SNAPSHOT and tick > self._newest:
                self._newest, self._newest_at = tick, now
        elif isinstance(event, MessageReceived):
            self._answer(self.profile.decode(event.data), now)
        elif isinstance(event, Connected):
            self.connection.send_reliable(self.profile.encode_control(Hello(self.profile.protocol_version)))

    def _answer(self, message: Any, now: float) -> None:
        if isinstance(message, Welcome):
            self.joined = True
            self._newest, self._newest_at = message.server_tick, now
            self._tick = message.server_tick + LEAD
        elif isinstance(message, Ping):
            pong = Pong(message.seq, message.clock_ms, self._newest)
            self.connection.send_reliable(self.profile.encode_control(pong))

    def send(self, now: float) -> None:
        """The next command and those before it, for the tick after the last, or further if time has moved on."""
        if not self.joined:
            return
        server = self._newest + int((now - self._newest_at) * 60)
        while self._tick < server + LEAD:
            self._tick += 1
            self._seq += 1
            yaw = (self._seq // 40 % 12 - 6) / 2
            command = Command(self._seq, self._tick, 1, 1 / 60, 0.25, 0.75, int(self._seq % 50 < 2), yaw, 0.0)
            self._recent = [command, *self._recent[: BUNDLE - 1]]
        if self._recent:
            bundle = self.profile.encode_inputs(self._recent)
            self.connection.send_unreliable(acked_input(self._newest, bundle))


def main(arguments: list[str] | None = None) -> None:
    """Run senders against a server until time is up: the child process of the load bench."""
    parser = argparse.ArgumentParser(prog="senders", description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--rooms", type=int, required=True)
    parser.add_argument("--players", type=int, required=True)
    parser.add_argument("--seconds", type=float, required=True)
    options = parser.parse_args(arguments)
    profile = NetRunner()
    codec = DeltaCodec(profile.layout)
    link = LinkEndpoint(
        LinkConfig(
            game_id=profile.game_id,
            game_version=profile.protocol_version,
            capabilities=DELTA_SNAPSHOTS,
            tick_rate=60,
            accepting=False,
            max_connections=options.rooms * options.players,
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
    with Undisturbed(1):
        _drive(wire, senders, options.seconds)
    joined = sum(sender.joined for sender in senders)
    snapshots, size = sum(s.snapshots for s in senders), sum(s.snapshot_bytes for s in senders)
    sys.stdout.write(f"{joined} {snapshots} {size}\n")


def _drive(wire: Poll, senders: list[Sender], seconds: float) -> None:
    """Sixty rounds a second; each round is spread over its sixtieth, as players are."""
    end = time.monotonic() + seconds
    due = time.monotonic()
    slices = 8
    turn = 0
    while (now := time.monotonic()) < end:
        for event in wire.poll(now):
            event.connection.tag.take(event, now)
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
