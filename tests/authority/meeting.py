"""A real server and real clients of a world on the simulated network."""

from collections.abc import Callable
from random import Random
from typing import Any

from retick.authority.client import WorldClient
from retick.authority.server import WorldServer, WorldServerConfig
from retick.transport import Conditions, SimulatedNetwork

__all__ = ["Meeting", "Visitor"]

RATE = 60
Press = Callable[[WorldClient], Any]
Look = Callable[[WorldClient], None]


def nothing(_client: WorldClient) -> int:
    return 0


class Visitor:
    """One client with what it was told, and the loop that runs it."""

    def __init__(self, client: WorldClient, press: Press, look: Look | None) -> None:
        self.client, self.press, self.look = client, press, look
        self.events: list[Any] = []
        self.cues: list[Any] = []

    def turn(self, now: float) -> None:
        client = self.client
        while client.due(now=now):
            client.advance(self.press(client), now=now)
        self.cues += client.cues()
        if self.look is not None and client.running:
            self.look(client)

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


class Meeting:
    """The network with everybody on it."""

    def __init__(
        self,
        game: Any,
        *,
        seed: int = 1,
        config: WorldServerConfig | None = None,
        hooks: Any = None,
        **conditions: float,
    ) -> None:
        self.game, self.seed = game, seed
        self.network = SimulatedNetwork(seed=seed, conditions=Conditions(**conditions))  # type: ignore[arg-type]  # numbers by name
        self.events: list[Any] = []
        self._present: dict[str, Visitor] = {}
        self._made = 0
        self.serve(WorldServer(game, entropy=Random(seed).randbytes, config=config))

    @property
    def room(self) -> Any:
        return self.server.rooms[""]

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    def serve(self, server: WorldServer) -> None:
        """Put a server at its address; one that was there has crashed, and is detached."""
        self.server = server
        self.network.attach("server", server, on_events=self.events.extend)

    def join(self, who: str, press: Press = nothing, look: Look | None = None, **options: Any) -> Visitor:
        self._made += 1
        game = options.pop("game", self.game)
        entropy = Random(1000 * self.seed + self._made).randbytes
        visitor = Visitor(WorldClient(game(), "server", entropy=entropy, name=who, **options), press, look)
        self._present[who] = visitor
        self.network.attach(who, visitor.client, polled=True)

        def turn() -> None:
            if self._present.get(who) is visitor:
                visitor.events += self.network.poll(who)
                visitor.turn(self.network.now)
                self.network.flush(who)

        self.network.every(1 / RATE, turn, phase=self._made / 500)
        return visitor

    def vanish(self, who: str) -> None:
        """A client that crashes: it says nothing more."""
        del self._present[who]
        self.network.detach(who)

    def run(self, seconds: float) -> None:
        self.network.run(until=self.network.now + seconds)
