"""The client of raiders: its loop plays on a server, and the same loop plays between two peers."""

import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest

from retick.authority import WorldClient
from retick.rollback import RollbackSession
from retick.transport import Conditions, SimulatedNetwork
from tests.authority.client.scripted import Site

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    for name in ("raiders", "raiders_client"):
        sys.modules.pop(name, None)
    import raiders_client  # type: ignore[import-not-found]  # a program, found by the path above

    return raiders_client


class Wire:
    """What a Poll is, on a simulated network."""

    def __init__(self, network: SimulatedNetwork, address: str) -> None:
        self.network, self.address = network, address

    def poll(self) -> list[Any]:
        return self.network.poll(self.address)

    def flush(self) -> None:
        self.network.flush(self.address)


def played(example: Any, network: SimulatedNetwork, address: str, session: Any, seconds: float) -> list[int]:
    """Plays with the example's loop; returns how many raiders it drew."""
    drawn: list[int] = []
    example.play(
        session,
        Wire(network, address),
        lambda world: drawn.append(len(world.raiders)),
        seconds=seconds,
        clock=lambda: network.now,
        sleep=lambda pause: network.run(until=network.now + pause),
    )
    return drawn


def test_the_loop_plays_on_a_server(example: Any, capsys: pytest.CaptureFixture[str]) -> None:
    site = Site(seed=3, world=example.Raiders(), latency=0.05, loss=0.02)
    client = WorldClient(example.Raiders(), "server", entropy=Random(1).randbytes, name="Ann")
    site.network.attach("ann", client, polled=True)
    drawn = played(example, site.network, "ann", client, 4.0)
    assert len(drawn) > 500
    assert drawn[-1] == 1
    assert client.stats.corrections == 0
    shown = capsys.readouterr().out
    assert "RoomJoined(seat=0" in shown
    assert "CueStarted" in shown


def test_the_same_loop_plays_between_peers(example: Any) -> None:
    network = SimulatedNetwork(seed=1, conditions=Conditions(latency=0.02))
    host = RollbackSession(example.Raiders(), entropy=Random(1).randbytes, seats=2)
    guest = RollbackSession(example.Raiders(), entropy=Random(2).randbytes, seats=2, host_address="host")
    network.attach("host", host, polled=True)
    network.attach("guest", guest, polled=True)

    def turn() -> None:
        network.poll("host")
        while host.due(now=network.now):
            host.advance((0, 0), now=network.now)
        network.flush("host")

    network.every(1 / 60, turn, owner="host")
    example.press = lambda tick: (example.Wish(), example.Wish(fire=tick % 50 == 0))
    drawn = played(example, network, "guest", guest, 4.0)
    assert len(drawn) > 500
    assert drawn[-1] == 4
