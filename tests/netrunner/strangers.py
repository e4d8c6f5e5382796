"""Ends that speak the link and then say anything: a player's and a server's."""

from collections.abc import Hashable
from typing import Any

from retick.host.config import DELTA_SNAPSHOTS
from retick.host.joining import JoinRequest, encode_join
from retick.link import Accept, Connected, Connection, LinkConfig, LinkEndpoint, ReliableReceived
from retick.netrunner import Client, NetRunner
from retick.netrunner.delta import DeltaCodec
from retick.netrunner.messages import ClientHello
from retick.transport import MemoryHub
from tests.netrunner.courses import Field, seeded
from tests.netrunner.linked import Linked

NET = NetRunner()

SCHEMA = DeltaCodec(NET.layout).codec.schema_hash


def terms(**more: Any) -> LinkConfig:
    return LinkConfig(
        game_id=NET.game_id,
        game_version=6,
        capabilities=DELTA_SNAPSHOTS,
        max_datagram=1472,
        sealed=True,
        **more,
    )


class Stranger(Linked):
    """Speaks the link and says hello; from then on, anything."""

    def __init__(self, address: Hashable, room: bytes | None = None) -> None:
        self.link = LinkEndpoint(terms(accepting=False), entropy=seeded(77))
        data = encode_join(JoinRequest("", b"", SCHEMA)) if room is None else room
        self.connection: Connection = self.link.dial(address, data=data)
        self.received: list[Any] = []

    def events(self) -> list[Any]:
        events = self.link.events()
        self.received += events
        for event in events:
            if isinstance(event, Connected):
                self.connection.send_reliable(NET.encode_control(ClientHello(6)))
        return events


def field_with_stranger() -> tuple[Field, Stranger]:
    field = Field()
    field.join("honest")
    stranger = Stranger("server")
    field.network.attach("stranger", stranger, on_events=lambda events: None)
    field.run(1.0)
    return field, stranger


class Impostor:
    """Accepts clients, welcomes them properly, and then sends anything."""

    def __init__(self) -> None:
        self.link = LinkEndpoint(terms(), entropy=seeded(5), admit=lambda request: Accept())
        self.client = Client(NET, "impostor", entropy=seeded(6))
        self.hub = MemoryHub()
        self.hub.attach("impostor", self.link)
        self.hub.attach("client", self.client)
        self.connection: Connection | None = None
        self.now = 0.0
        for _ in range(20):
            self.turn()

    def turn(self) -> None:
        self.now += 1 / 60
        self.hub.exchange(now=self.now)
        for event in self.link.events():
            if self.connection is None and isinstance(event, ReliableReceived):
                self.connection = event.connection
                welcome = NET.welcome(peer_id=2, delay_ticks=3, server_tick=100)
                self.connection.send_reliable(NET.encode_control(welcome))
        self.client.tick(INTENT, now=self.now)
        self.client.others(now=self.now)
        self.client.events()


class INTENT:
    move_x, move_y, yaw, pitch, jump, fire = 0.0, 1.0, 0.0, 0.0, False, False
