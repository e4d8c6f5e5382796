"""Sessions on a simulated network, each with an application that investigates the first desync it hears of.

Evidence travels as the application's own reliable messages, so that the real link, with its fragments and losses,
carries it.
"""

import random
from collections.abc import Sequence
from itertools import combinations
from typing import Any

from retick.errors import DecodeError
from retick.rollback.desync.evidence import alarm_in
from retick.rollback.desync.investigation import Investigation
from retick.rollback.events import DesyncDetected, MessageReceived
from retick.rollback.match.config import MatchConfig
from retick.rollback.session.inside import inside_of
from retick.rollback.session.session import RollbackSession
from retick.transport import Conditions, SimulatedNetwork
from tests.rollback.engine.engines import Script


class PeerLoop:
    """One process: a session, its investigation, and a loop that polls faster than frames are due."""

    def __init__(self, network: SimulatedNetwork, address: str, sim: Any, script: Script, host: str | None) -> None:
        self.network = network
        self.address = address
        self.sim = sim
        self.script = script
        dice = random.Random(f"{address} {network.seed}")
        self.session = RollbackSession(sim, entropy=dice.randbytes, config=MatchConfig(), host_address=host)
        self.investigation: Investigation | None = None
        self.alarms: list[DesyncDetected] = []
        network.attach(address, self.session, polled=True)
        network.every(1 / 240, self.turn, owner=address)

    def turn(self) -> None:
        self.handle(self.network.poll(self.address))
        now = self.network.now
        if self.session.due(now=now):
            seat = self.session.local_players[0]
            self.session.advance(self.script(self.session.frame)[seat], now=now)
            self.handle(self.session.events())
        if self.investigation is not None:
            self.investigation.observe(self.engine)
            due = self.investigation.next_timeout()
            if due is not None and due <= now:
                self.investigation.handle_timeout(now)
            for message in self.investigation.messages():
                assert self.session.send_message(message)

    def handle(self, events: Sequence[Any]) -> None:
        for event in events:
            if isinstance(event, DesyncDetected):
                self.alarms.append(event)
                self.open(event.frame, event.last_agreed)
            elif isinstance(event, MessageReceived):
                self.hear(event)

    def open(self, frame: int | None, last_agreed: int) -> None:
        if self.investigation is None:
            everyone = range(self.sim.num_players)
            now = self.network.now
            self.investigation = Investigation(
                self.engine, self.sim, self.session.peer_id, everyone, frame, last_agreed, now
            )

    def hear(self, event: MessageReceived) -> None:
        if self.investigation is None:
            try:
                self.open(alarm_in(event.data), -1)
            except DecodeError:
                return
        assert self.investigation is not None
        self.investigation.receive(event.peer, event.data, self.network.now, frontier=self.engine.local_frontier)

    @property
    def engine(self) -> Any:
        assert inside_of(self.session).match is not None
        return inside_of(self.session).match.engine

    @property
    def done(self) -> bool:
        return self.investigation is not None and self.investigation.finished


def mesh(sims: Sequence[Any], script: Script, *, seed: int = 1, conditions: Conditions) -> list[PeerLoop]:
    """Peers in a running match; the network turns bad when all are in it, so that each has its own number."""
    network = SimulatedNetwork(seed=seed, conditions=Conditions(latency=conditions.latency))
    addresses = [f"m{number}" for number in range(len(sims))]
    peers = [
        PeerLoop(network, address, sim, script, None if number == 0 else addresses[0])
        for number, (address, sim) in enumerate(zip(addresses, sims, strict=True))
    ]
    assert network.run_while(lambda: not all(peer.session.running for peer in peers), limit=10.0)
    assert [peer.session.peer_id for peer in peers] == list(range(len(sims)))
    for first, second in combinations(addresses, 2):
        network.link(first, second, conditions)
    return peers
