"""A client of a declared world goes where a front sends it, and asks the front again when its server is gone."""

from random import Random
from typing import Any

from examples.raiders import Raiders

from retick.authority import WorldClient, WorldServer, WorldServerConfig
from retick.authority.client import RoomJoined
from retick.host.front import Front
from retick.host.link_config import link_config
from retick.transport import Conditions, SimulatedNetwork

TICK = 1 / 60
FRONT = ("10.0.0.1", 7000)


def test_it_follows_the_front_and_asks_it_again() -> None:
    network = SimulatedNetwork(seed=1, conditions=Conditions(latency=0.02))
    ports: dict[str, int] = {"": 7001}
    named = Raiders()
    link = link_config(named.game_id, named.game_version, timeout=5.0)
    ends: dict[Any, Any] = {
        FRONT: Front(link, entropy=Random(1).randbytes, port_of=lambda room: ports.get(room, "no such room"))
    }
    for port in (7001, 7002):
        ends["10.0.0.1", port] = WorldServer(Raiders, entropy=Random(port).randbytes, config=WorldServerConfig())
    client = WorldClient(Raiders(), FRONT, entropy=Random(9).randbytes)
    ends["10.0.0.9", 9000] = client
    events: list[Any] = []

    def turn(address: Any) -> None:
        found = network.poll(address)
        if address[1] == 9000:
            events.extend(found)
        network.flush(address)

    for address, end in ends.items():
        network.attach(address, end, polled=True)
        network.every(TICK, lambda address=address: turn(address), owner=address)
    network.run(until=2.0)
    assert client._connection.address == ("10.0.0.1", 7001)
    network.detach(("10.0.0.1", 7001))
    ports[""] = 7002
    network.run(until=16.0)
    assert client._connection.address == ("10.0.0.1", 7002)
    assert [event.is_rejoin for event in events if isinstance(event, RoomJoined)] == [False, False]
