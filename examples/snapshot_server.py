"""A small server and two clients that share entity state: full snapshots, deltas, acknowledgements, loss, interest.

Run it: python examples/snapshot_server.py

Everything happens in one process. The "network" loses every fifth packet. That does no harm, because deltas start from
what was acknowledged.
"""

from typing import Annotated

from retick.errors import DecodeError
from retick.snapshot import (
    BaselineRing,
    Bool,
    Codec,
    Fixed,
    Interest,
    Replica,
    Replicated,
    Snapshot,
    Threshold,
    UInt,
    needs_resync,
    schema_of,
    snapshot_of_objects,
)


class Position(Replicated, id=1):
    x: Annotated[float, Fixed.between(-500, 500, scale=100), Threshold(2)]
    y: Annotated[float, Fixed.between(-500, 500, scale=100), Threshold(2)]


class Health(Replicated, id=2):
    points: Annotated[int, UInt(7)]
    poisoned: Annotated[bool, Bool()] = False


SCHEMA = schema_of(Position, Health)
CODEC = Codec(SCHEMA)
BUDGET = 300


def world_at(tick: int) -> Snapshot:
    """Forty creatures that walk; every tenth has health; one appears and one disappears."""
    entities: dict[int, list[Replicated]] = {}
    for at in range(40 + (tick > 20)):
        if at == 7 and tick > 30:
            continue
        entities[at] = [Position(x=at * 10 - 200 + tick * 0.3 * (at % 3), y=tick * 0.5 if at % 2 else 3.0)]
        if at % 10 == 0:
            entities[at].append(Health(points=max(0, 100 - tick), poisoned=tick % 8 < 4))
    return snapshot_of_objects(SCHEMA, tick=tick, entities=entities)


class Server:
    """Sends each client what it sees, within the budget, as a delta to what it has acknowledged."""

    def __init__(self) -> None:
        self._replicas: dict[str, Replica] = {}
        self._interests: dict[str, Interest] = {}

    def join(self, name: str) -> None:
        self._replicas[name] = Replica()
        self._interests[name] = Interest(CODEC, budget=BUDGET)

    def packet_for(self, name: str, world: Snapshot, visible: dict[int, float]) -> bytes:
        replica = self._replicas[name]
        if replica.base is None:
            # Nothing is acknowledged yet: send a full snapshot without entities, which is small. Deltas add them.
            empty = world.select([])
            replica.sent(empty)
            return CODEC.encode_full(empty)
        made = self._interests[name].encode(replica.base, world, visible)
        replica.sent(made.result)
        return made.packet

    def acknowledge(self, name: str, tick: int) -> None:
        self._replicas[name].acknowledge(tick)

    def resync(self, name: str) -> None:
        self._replicas[name].forget()


class Client:
    """Applies packets, keeps the results as baselines, and acknowledges their ticks."""

    def __init__(self) -> None:
        self._held: BaselineRing[Snapshot] = BaselineRing(32)
        self.latest: Snapshot | None = None
        self.dropped = 0

    def receive(self, data: bytes) -> int | None:
        """The tick to acknowledge; -1: nothing; None: the server must start with a full snapshot again."""
        try:
            baseline_tick = int.from_bytes(data[20:24], "little")
            if baseline_tick:
                snapshot = CODEC.apply_delta(self._held.require(baseline_tick), data)
            else:
                snapshot = CODEC.decode_full(data)
        except DecodeError as error:
            self.dropped += 1
            return None if needs_resync(error) else -1
        self._held.insert(snapshot.tick, snapshot)
        self.latest = snapshot
        return snapshot.tick


def main(ticks: int = 60) -> dict[str, Client]:
    server = Server()
    clients = {"near": Client(), "all": Client()}
    sent = dict.fromkeys(clients, 0)
    for name in clients:
        server.join(name)
    for tick in range(1, ticks + 1):
        world = world_at(tick)
        # One client sees ten creatures, the other all of them, those with health first.
        views = {
            "near": dict.fromkeys(range(10), 1.0),
            "all": {at: 4.0 if at % 10 == 0 else 1.0 for at in world.ids},
        }
        for number, (name, client) in enumerate(clients.items()):
            packet = server.packet_for(name, world, views[name])
            assert len(packet) <= BUDGET
            sent[name] += len(packet)
            if (tick + number) % 5 == 0:
                continue  # lost on the way
            answer = client.receive(packet)
            if answer is None:
                server.resync(name)
            elif answer > 0:
                server.acknowledge(name, answer)
    for name, client in clients.items():
        assert client.latest is not None
        print(
            f"{name}: {len(client.latest)} entities at tick {client.latest.tick}, {sent[name] / ticks:.0f} bytes a tick"
        )
    return clients


if __name__ == "__main__":
    main()
