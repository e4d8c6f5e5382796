"""Fuzzes a server with a player, and a client in a room: whatever they receive, nothing raises and bounds hold.

The bytes are a script. Each step says something through a real link, so that the fuzzer is past the handshake from the
start: a payload or a message to the server as a player, or to the client as the server; or a genuine packet with bytes
changed. The first byte of what is said is often a right one.
"""

import random
from operator import xor
from typing import Any

from fuzz.bench import Bench
from fuzz.target import script
from fuzz.targets.netrunner import CODEC, NET, TO_CLIENT, TO_SERVER
from retick.games.runner import Intent
from retick.host.config import DELTA_SNAPSHOTS
from retick.host.joining import JoinRequest, encode_join
from retick.link import Accept, Connected, LinkConfig, LinkEndpoint, ReliableReceived
from retick.netrunner import Client, Server
from retick.netrunner.messages import ClientHello

__all__ = ["TARGETS"]

SEATS = 16
KINDS = (1, 2, 3, 4, 5, 6, 0x11, 0x12)
TERMS: dict[str, Any] = {
    "game_id": NET.game_id, "game_version": 6, "capabilities": DELTA_SNAPSHOTS, "max_datagram": 1472,
    "sealed": False,  # so that what is changed reaches the decoders
}  # fmt: skip


JOINS = [
    encode_join(request)
    for request in (JoinRequest(), JoinRequest("room"), JoinRequest("", b"t" * 16), JoinRequest("", b"", 99))
]


class Table(Bench):
    """A server with a puppet player, and a client with a puppet server, on one hub."""

    def __init__(self) -> None:
        super().__init__()
        self.server = Server(NET, entropy=random.Random(1).randbytes, sealed=False)
        self.player_link = LinkEndpoint(LinkConfig(**TERMS, accepting=False), entropy=random.Random(2).randbytes)
        self.player = self.player_link.dial("server", data=encode_join(JoinRequest("", b"", CODEC.codec.schema_hash)))
        self.puppet_link = LinkEndpoint(
            LinkConfig(**TERMS), entropy=random.Random(3).randbytes, admit=lambda request: Accept()
        )
        self.client = Client(NET, "puppet", entropy=random.Random(4).randbytes, sealed=False)
        self.puppet: Any = None
        ends: dict[str, Any] = {"server": self.server, "player": self.player_link, "puppet": self.puppet_link}
        for name, end in {**ends, "client": self.client}.items():
            self.hub.attach(name, end)
        for _ in range(12):
            self.turn()

    def react(self) -> None:
        for event in self.player_link.events():
            if isinstance(event, Connected):
                self.player.send_reliable(NET.encode_control(ClientHello(6)))
        for event in self.puppet_link.events():
            if isinstance(event, ReliableReceived) and self.puppet is None:
                self.puppet = event.connection
                self.puppet.send_reliable(TO_CLIENT[-1])
        self.client.tick(Intent(move_y=1.0), now=self.now)
        self.client.others(now=self.now)
        self.client.events()
        self.server.events()

    def say(self, operation: int, data: bytes) -> None:
        connection = self.player if operation & 1 else self.puppet
        if connection is None or not data:
            return
        self.said += 1
        if operation & 2:
            connection.send_reliable(data[:4000])
        else:
            connection.send_unreliable(data[:1400])

    def step(self, operation: int, choice: int, body: bytes) -> None:
        genuine = TO_SERVER if operation & 1 else TO_CLIENT
        if operation & 16:
            joins = JOINS[choice % len(JOINS)]
            said = body if operation & 4 else bytes(map(xor, joins, body.ljust(len(joins), b"\0")))
            self.dial(self.player_link, said)
        elif operation & 4:
            spoiled = bytearray(genuine[choice % len(genuine)])
            for offset in range(0, len(body) - 2, 3):
                spoiled[(body[offset] | body[offset + 1] << 8) % len(spoiled)] = body[offset + 2]
            self.say(operation, bytes(spoiled))
        else:
            self.say(operation, bytes((KINDS[choice % 8],)) + body)

    def check(self) -> None:
        room = self.server.rooms[""]
        assert len(room.players) <= SEATS
        for player in room.players.values():
            assert player.buffer.waiting <= 65
        if self.client.prediction is not None:
            assert len(self.client.prediction.pending) <= 256


def run(data: bytes) -> tuple[int, str]:
    """Number of packets, and the state of everyone."""
    table = Table()
    table.play(data)
    client = table.client
    return table.said, repr((sorted(table.server.refused.items()), client.player, client.peer_id, client.is_over))


CORPUS = (
    bytes([4 + 8, 0, 0, 4 + 8, 0, 1, 4 + 8, 0, 2]),
    bytes([5 + 8, 0, 0, 5 + 8, 0, 1]),
    bytes([7 + 8, 0, 2, 7 + 8, 0, 3]),
    bytes([6 + 8, 0, 3, 6 + 8, 0, 4, 6 + 8, 0, 5]),
    bytes([4, 3, 0, 40, 0, 255, 12, 3, 1, 9, 0, 7]),
    bytes([13, 6, 1, 0, 0, 1, 5, 0, 200]),
    bytes([24, 0, 0, 24, 0, 1, 24, 0, 2, 28, 1, 0, 9, 24, 3, 1, 0, 0, 1]),
    bytes([8, 5, 0, 1, 2, 3, 4, 5, 9, 4, 6, 9, 9, 9, 9]),
)

TARGETS = (
    script("endpoint/authority", run, CORPUS, Server.receive_datagram, Client.receive_datagram, guides=("authority",)),
)
