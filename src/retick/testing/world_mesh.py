"""A server of a declared world and its clients on bad links, in one process and on virtual time.

Every client runs a game loop: it receives what waits, asks ``press`` for each tick that is due, and sends. The room is
recorded, and ``verify`` runs the recording again, without any network.
"""

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeVar

from retick.authority import RoomFailed, RoomHooks, WorldClient, WorldRoom, WorldServer, WorldServerConfig
from retick.authority.client import PredictionFailed
from retick.errors import UsageError
from retick.replay import Recorder, loads, verify
from retick.sim.world import World
from retick.transport.conditions import Conditions
from retick.transport.simulated import SimulatedNetwork

WorldPress = Callable[[int, Any], Any]
"""``press(player, world)`` returns the input of a player who sees this world on the screen."""
E = TypeVar("E")
SERVER = "server"
LOOPS = 60.0
"""Turns of a client's loop per second."""


def _idle(player: int, world: Any) -> int:
    return 0


class WorldMesh:
    """One server, any number of clients, one seed: ``WorldMesh(Game, press=bot)``, ``run(10)``, ``verify()``."""

    def __init__(
        self,
        game: type[World],
        *,
        clients: Sequence[str] = ("ann", "bob"),
        press: WorldPress = _idle,
        seed: int = 1,
        conditions: Conditions | None = None,
        config: WorldServerConfig | None = None,
        hooks: RoomHooks | None = None,
    ) -> None:
        """``conditions`` hold for all links; by default 120 ms round trip and 5 % loss."""
        self.network = SimulatedNetwork(seed=seed, conditions=conditions or Conditions.round_trip(0.120, loss=0.05))
        self.clients: dict[str, WorldClient] = {}
        self.events: dict[str, list[Any]] = {SERVER: []}
        """The events of each client by its name, and those of the server under ``"server"``."""
        self._game = game
        self._press = press
        self._seed = seed
        self._recordings: list[tuple[Recorder, bytearray]] = []
        self.server = WorldServer(game, entropy=Random(seed).randbytes, config=config, hooks=hooks, record=self._record)
        self.network.attach(SERVER, self.server, on_events=self.events[SERVER].extend)
        for name in clients:
            self.join(name)

    @property
    def room(self) -> WorldRoom:
        """The room without a name."""
        return self.server.rooms[""]

    def join(self, name: str, *, press: WorldPress | None = None, **settings: Any) -> WorldClient:
        """Add a client; ``settings`` are those of ``WorldClient``, for example ``watch=True``."""
        if name in self.events:
            raise UsageError(f"there is a {name!r} already: give each client its own name")
        entropy = Random(f"{self._seed} {name}").randbytes
        client = WorldClient(self._game(), SERVER, entropy=entropy, **{"name": name, **settings})
        events = self.events[name] = []
        self.clients[name] = client
        self.network.attach(name, client, polled=True)
        wish = press or self._press

        def turn() -> None:
            events.extend(self.network.poll(name))
            while client.due(now=self.network.now):
                seats = client.local_players
                client.advance(wish(seats[0], client.world) if seats else 0, now=self.network.now)
            client.cues()
            self.network.flush(name)

        self.network.every(1 / LOOPS, turn, owner=name)
        return client

    def run(self, seconds: float) -> None:
        """Let virtual time pass."""
        self.network.run(until=self.network.now + seconds)

    def cut(self, name: str, seconds: float) -> None:
        """Lose everything between a client and the server for some seconds."""
        self._check_name(name)
        self.network.cut(name, SERVER, seconds)

    def events_of(self, name: str, kind: type[E]) -> list[E]:
        """The events of one kind that a client, or ``"server"``, has reported."""
        self._check_name(name)
        return [event for event in self.events[name] if isinstance(event, kind)]

    def _check_name(self, name: str) -> None:
        if name not in self.events:
            raise UsageError(f"there is no client {name!r}, only {', '.join(self.clients)} and {SERVER!r}")

    def verify(self) -> int:
        """Run all recordings again; AssertionError if one differs or something failed. Returns the newest checksum."""
        for failed in self.events_of(SERVER, RoomFailed):
            raise AssertionError(failed.report())
        for name in self.clients:
            for wrong in self.events_of(name, PredictionFailed):
                raise AssertionError(f"the game failed at the client {name!r}, in tick {wrong.tick}:\n{wrong.error}")
        checksum = 0
        for recorder, written in self._recordings:
            if not recorder.finished:
                recorder.flush()
            written += recorder.drain()
            verdict = verify(loads(bytes(written)), self._game())
            if not verdict.ok:
                raise AssertionError(f"the recording of the room does not verify: {verdict}")
            checksum = verdict.checksum
        return checksum

    def _record(self, room: WorldRoom) -> Recorder:
        recorder = Recorder.for_game(
            room.world, seed=room.seed, start_frame=room.tick, start_state=room.start_state, hosted=True
        )
        self._recordings.append((recorder, bytearray()))
        return recorder
