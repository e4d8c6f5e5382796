"""Servers and clients on virtual time, for the tests of this package."""

from collections.abc import Callable
from random import Random
from typing import Any

from retick.games.runner import CourseBot, Intent
from retick.netrunner import Client, ClientConfig, NetRunner, RunnerConfig, Server, ServerConfig
from retick.transport import Conditions, SimulatedNetwork

TICK = 1 / 60


def seeded(seed: int) -> Callable[[int], bytes]:
    return Random(seed).randbytes


class Field:
    """A server and any number of clients in their loops; events of each are kept."""

    def __init__(
        self,
        *,
        seed: int = 1,
        conditions: Conditions | None = None,
        profile: Any = None,
        config: ServerConfig | None = None,
        sealed: bool = True,
    ) -> None:
        self.profile = profile or NetRunner()
        self.sealed = sealed
        self.seed = seed
        self.network = SimulatedNetwork(seed=seed, conditions=conditions or Conditions(latency=0.02))
        self.server = Server(self.profile, entropy=seeded(seed), config=config, sealed=sealed)
        self.server_events: list[Any] = []
        self.events: dict[str, list[Any]] = {}
        self.clients: dict[str, Client] = {}
        self.network.attach("server", self.server, polled=True)
        self.network.every(TICK, self._serve, owner="server")

    def _serve(self) -> None:
        self.server_events += self.network.poll("server")
        self.network.flush("server")

    def join(
        self,
        name: str,
        *,
        bot: Any = None,
        room: str = "",
        config: ClientConfig | None = None,
        profile: Any = None,
        phase: float = 0.004,
    ) -> Client:
        number = len(self.clients) + 1
        client = Client(
            profile or self.profile,
            "server",
            entropy=seeded(self.seed * 1000 + number),
            room=room,
            config=config,
            sealed=self.sealed,
        )
        bot = bot or CourseBot(self.seed * 100 + number)
        self.clients[name] = client
        self.events[name] = []
        self.network.attach(name, client, polled=True)

        def loop() -> None:
            self.events[name] += self.network.poll(name)
            if client.player is not None:
                client.tick(bot.decide(client.player), now=self.network.now)
            self.network.flush(name)

        self.network.every(TICK, loop, phase=phase, owner=name)
        return client

    def run(self, seconds: float) -> None:
        self.network.run(until=self.network.now + seconds)

    def of(self, name: str, kind: type) -> list[Any]:
        return [event for event in self.events[name] if isinstance(event, kind)]


class Still:
    """Holds nothing."""

    def decide(self, state: Any) -> Intent:
        return Intent()


def small_rooms(players: int) -> NetRunner:
    return NetRunner(RunnerConfig(max_players=players))


class BackAndForth:
    """Runs along z at full speed and turns round every second and a half."""

    def __init__(self) -> None:
        self.ticks = 0

    def decide(self, state: Any) -> Intent:
        self.ticks += 1
        return Intent(move_y=1.0 if self.ticks // 90 % 2 else -1.0)
