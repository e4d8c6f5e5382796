"""Fuzzes a server of a declared world with a player in it: whatever it receives, nothing raises and bounds hold.

The bytes are a script. Each step says something through a real link, or dials: a payload or a message of any bytes, or
a genuine one with bytes changed.
"""

import random
from operator import xor
from typing import Any

from fuzz.bench import Bench
from fuzz.target import script
from fuzz.targets.worlds import LAYOUT, MESSAGES, _Yard
from retick.authority.frames import InputFrame, encode_input, encode_note
from retick.authority.messages import encode_message
from retick.authority.server import WorldServer
from retick.host.joining import JoinRequest, encode_join
from retick.host.link_config import link_config
from retick.link import LinkEndpoint

__all__ = ["TARGETS"]

INPUTS = [
    encode_input(InputFrame(tick, held, viewed, inputs), LAYOUT.input_bits)
    for tick, held, viewed, inputs in ((20, 0, 0, (1,)), (30, 6, 90, (1, 1, 2)), (70, 12, 9000, (3,) * 8))
]
PAYLOADS = [*INPUTS, encode_note(b"note")]
RELIABLE = [encode_message(message) for message in MESSAGES]
JOINS = [
    encode_join(JoinRequest("", token, schema, name, watches))
    for token, schema, name, watches in (
        (b"", LAYOUT.hash, "Ann", False), (b"", LAYOUT.hash, "", True), (b"t" * 16, LAYOUT.hash, "", False),
        (b"", 99, "", False),
    )
]  # fmt: skip


class Hall(Bench):
    """A server, and a player who may send anything."""

    def __init__(self) -> None:
        super().__init__()
        self.server = WorldServer(_Yard, entropy=random.Random(1).randbytes, sealed=False)
        yard = _Yard()
        self.link = LinkEndpoint(
            link_config(yard.game_id, yard.game_version, timeout=5.0, sealing={"sealed": False}),
            entropy=random.Random(2).randbytes,
        )
        self.player = self.link.dial("server", data=JOINS[0])
        ends: dict[str, Any] = {"server": self.server, "player": self.link}
        for name, end in ends.items():
            self.hub.attach(name, end)
        for _ in range(12):
            self.turn()

    def react(self) -> None:
        self.link.events()
        self.server.events()

    def say(self, reliable: bool, data: bytes) -> None:
        if data:
            self.said += 1
            send = self.player.send_reliable if reliable else self.player.send_unreliable
            send(data[:1000])

    def step(self, operation: int, choice: int, body: bytes) -> None:
        reliable = bool(operation & 1)
        genuine = JOINS if operation & 16 else RELIABLE if reliable else PAYLOADS
        seed = genuine[choice % len(genuine)]
        said = body if operation & 4 else bytes(map(xor, seed, body.ljust(len(seed), b"\0")))
        if operation & 16:
            self.dial(self.link, said)
        else:
            self.say(reliable, said)

    def check(self) -> None:
        assert list(self.server.rooms) == [""], "what a client said has ended the room"
        for player in self.server.rooms[""].players.values():
            assert len(player.inputs) <= 64
            assert 1 <= player.behind <= 24


def run(data: bytes) -> tuple[int, str]:
    """Number of packets, and the state of everyone."""
    hall = Hall()
    hall.play(data)
    room = hall.server.rooms[""]
    return hall.said, repr((sorted(hall.server.refused.items()), room.tick, room.inputs, sorted(room.players)))


CORPUS = (
    bytes([8, 0, 0, 8, 0, 1, 8, 0, 2, 8, 0, 3]),
    bytes([9, 0, 0, 9, 0, 1, 9, 0, 2, 9, 0, 3, 9, 0, 4]),
    bytes([24, 0, 0, 24, 0, 1, 24, 0, 2, 24, 0, 3]),
    bytes([12, 3, 0, 0x21, 0, 255, 13, 2, 1, 0x32, 9]),
    bytes([8, 6, 1, 0, 7, 0, 0, 0, 1, 8, 6, 2, 0, 0, 0, 0, 0, 9]),
)

TARGETS = (script("endpoint/world-server", run, CORPUS, WorldServer.receive_datagram, guides=("authority",)),)
