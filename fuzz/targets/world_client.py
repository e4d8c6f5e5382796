"""Fuzzes a client of a declared world that is in a room: whatever its server says, nothing raises and bounds hold.

The bytes are a script. Each step says something through a real link: a payload or a message with bytes of its own, or a
genuine one with bytes changed. Between the steps the client runs ticks, and draws.
"""

import random
from typing import Any

from fuzz.bench import Bench
from fuzz.target import script
from fuzz.targets.worlds import MESSAGES, PACKETS, _Yard
from retick.authority.client import WorldClient, WorldClientConfig
from retick.authority.client.prediction import load_fields
from retick.authority.client.server_link import ServerLink
from retick.authority.messages import RoomWelcome, encode_message
from retick.host.joining import JoinAcceptance, encode_acceptance
from retick.link import Accept, Connected, LinkConfig, LinkEndpoint

__all__ = ["TARGETS"]

AHEAD = 12
KINDS = (0x22, 0x23, 0x31, 0x32, 0x33, 0x34, 0x35, 0x21)
GENUINE = (*PACKETS, *map(encode_message, (RoomWelcome(0, 2, 60, 3, 1), *MESSAGES)))


class Stage(Bench):
    """A client, and a puppet instead of its server."""

    last_turns = 3

    def __init__(self) -> None:
        super().__init__()
        game = _Yard()
        self.client = WorldClient(
            game, "puppet", entropy=random.Random(4).randbytes, config=WorldClientConfig(most_ahead=AHEAD), sealed=False
        )
        self.link = LinkEndpoint(
            LinkConfig(game_id=game.game_id, game_version=game.game_version, max_datagram=1472, sealed=False),
            entropy=random.Random(3).randbytes,
            admit=lambda request: Accept(data=encode_acceptance(JoinAcceptance(b"t" * 16))),
        )
        self.puppet: Any = None
        self.hub.attach("puppet", self.link)
        self.hub.attach("client", self.client)
        for _ in range(8):
            self.turn()
        self.say(PACKETS[0], is_message=False)
        self.turn()
        # The first tick waits for an answer, for a limited time.
        self.now += 0.8
        self.turn()

    def react(self) -> None:
        for event in self.link.events():
            if isinstance(event, Connected):
                self.puppet = event.connection
                self.puppet.send_reliable(encode_message(RoomWelcome(0, 2, 60, 3, 1)))
        for _ in range(4):
            if self.client.due(now=self.now):
                self.client.advance(int(self.now * 60) & 7, now=self.now)
        self.client.cues()
        self.client.between(now=self.now)
        self.client.events()

    def say(self, data: bytes, *, is_message: bool) -> None:
        if self.puppet is not None and data:
            self.said += 1
            (self.puppet.send_reliable if is_message else self.puppet.send_unreliable)(data[:1400])

    def step(self, operation: int, choice: int, body: bytes) -> None:
        if operation & 4:
            spoiled = bytearray(GENUINE[choice % len(GENUINE)])
            for offset in range(0, len(body) - 1, 2):
                spoiled[body[offset] % len(spoiled)] = body[offset + 1]
            self.say(bytes(spoiled), is_message=choice % len(GENUINE) >= len(PACKETS))
        else:
            self.say(bytes((KINDS[choice % 8],)) + body, is_message=operation & 1 == 1)

    def check(self) -> None:
        play = self.client._play
        if play is not None:
            assert len(play._own) <= AHEAD + 1
            assert len(play._prediction.history) <= AHEAD + 2


def run(data: bytes) -> tuple[int, str]:
    """Number of packets, and the state of the client."""
    stage = Stage()
    stage.play(data)
    client = stage.client
    return stage.said, repr((client.stats, client.world.save().hex(), client.roster, client.is_over))


CORPUS = (
    bytes([12, 0, 1, 12, 0, 2, 12, 0, 3]),
    bytes([8, 0, 1, 8, 0, 1, 12, 2, 1, 9, 7, 12, 0, 2]),
    bytes([12, 0, 1, 12, 0, 5, 12, 0, 6, 12, 0, 7, 12, 0, 8, 12, 0, 9]),
    bytes([9, 3, 3, 1, 2, 3, 8, 2, 1, 5, 6, 9, 4, 4, 1, 1, 65, 66]),
)

TARGETS = (
    script("endpoint/world-client", run, CORPUS, ServerLink.receive_datagram, load_fields, guides=("authority",)),
)  # fmt: skip
