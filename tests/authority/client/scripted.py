"""A small server for tests of clients, written from docs/formats/world-server.md, and a network with both on it."""

from collections.abc import Callable, Hashable
from random import Random
from typing import Any

from retick.authority.client import WorldClient
from retick.authority.frames import INPUT, InputFrame, decode_input
from retick.authority.layout import layout_of
from retick.authority.messages import (
    SPECTATOR,
    Presence,
    RoomMessage,
    RoomWelcome,
    SeatNews,
    WorldMessage,
    decode_message,
    encode_message,
)
from retick.authority.views import Receiver, Stage, encode_cue
from retick.host.joining import JoinAcceptance, decode_join, encode_acceptance
from retick.link import (
    Accept,
    Connected,
    Connection,
    Disconnected,
    LinkConfig,
    LinkEndpoint,
    Reason,
    Refuse,
    ReliableReceived,
    Request,
    UnreliableReceived,
)
from retick.sim.world import hosting
from retick.transport import Conditions, SimulatedNetwork
from tests.authority.client.yard import Yard
from tests.netrunner.linked import Linked

__all__ = ["Guest", "ScriptedServer", "Site", "seeded"]

RATE = 60
EVERY = 3


def seeded(seed: int) -> Callable[[int], bytes]:
    return Random(seed).randbytes


class Guest:
    """One client at the server."""

    def __init__(self, server: "ScriptedServer", connection: Connection, seat: int | None, name: str) -> None:
        self.connection, self.seat, self.name = connection, seat, name
        self.receiver = Receiver(server.stage, seat)
        self.inputs: dict[int, int] = {}
        self.last = self.waited = 0
        self.newest = self.margin = 0
        self.frames: list[InputFrame] = []


class ScriptedServer(Linked):
    """Runs a world; a missing input is the one before it, six times at most."""

    def __init__(self, world: Any = None, *, seed: int = 1) -> None:
        self.world = world or Yard()
        self.layout = layout_of(type(self.world))
        self.stage = Stage(self.layout, self.world)
        self.link = LinkEndpoint(
            LinkConfig(game_id=self.world.game_id, game_version=self.world.game_version, max_message=4096, sealed=True),
            entropy=seeded(seed),
            admit=self._admit,
        )
        self.tick = 0
        self.guests: dict[Connection, Guest] = {}
        self.seats: dict[bytes, int] = {}
        self.tokens: dict[Connection, bytes] = {}
        self.names: dict[Connection, tuple[str, bool]] = {}
        self.messages: list[bytes] = []
        self.cues: list[tuple[int, Any]] = []
        self.late = 0
        self.states: dict[int, bytes] = {}
        self.welcome: WorldMessage | None = None
        self.silent = False
        self.mangle: Callable[[bytes], bytes] = bytes
        """What becomes of each snapshot before it is sent."""
        self._dice = Random(seed)
        hosting.begin(self.world, seed)

    def _admit(self, request: Request) -> Accept | Refuse:
        join = decode_join(request.data)
        if join.schema != self.layout.hash:
            return Refuse(
                reason=Reason.GAME_VERSION, text="the tables of this game are others than those of the server"
            )
        token = join.token if join.token in self.seats else self._dice.randbytes(16)
        self.tokens[request.connection] = token
        self.names[request.connection] = (join.name, join.watches)
        return Accept(data=encode_acceptance(JoinAcceptance(token)))

    # The five calls.

    def receive_datagram(self, data: bytes, address: Hashable, *, now: float) -> None:
        super().receive_datagram(data, address, now=now)
        self._read()

    def handle_timeout(self, *, now: float) -> None:
        super().handle_timeout(now=now)
        self._read()

    def events(self) -> list[Any]:
        return []

    def _read(self) -> None:
        for event in self.link.events():
            connection = event.connection
            if isinstance(event, Connected):
                self._join(connection)
            elif isinstance(event, Disconnected):
                self.guests.pop(connection, None)
            elif isinstance(event, UnreliableReceived) and event.data[0] == INPUT:
                self._input(self.guests[connection], decode_input(event.data, self.layout.input_bits))
            elif isinstance(event, ReliableReceived):
                message = decode_message(event.data)
                assert isinstance(message, RoomMessage)
                self.messages.append(message.data)

    def _join(self, connection: Connection) -> None:
        if self.silent:
            return
        token = self.tokens[connection]
        name, watches = self.names[connection]
        seat = None
        if not watches:
            seat = self.seats.get(token)
            if seat is None:
                seat = self.seats[token] = len(self.seats)
                hosting.player_joins(self.world, seat)
        for other in [guest for guest in self.guests.values() if guest.seat == seat and seat is not None]:
            del self.guests[other.connection]
        guest = self.guests[connection] = Guest(self, connection, seat, name)
        shown = SPECTATOR if seat is None else seat
        self.say(guest, self.welcome or RoomWelcome(shown, self.layout.players, RATE, EVERY, self.tick))
        for each in list(self.guests.values()):
            if each.seat is not None:
                for to in list(self.guests.values()):
                    self.say(to, SeatNews(each.seat, Presence.PLAYING, each.name))

    def say(self, guest: Guest, message: WorldMessage) -> None:
        guest.connection.send_reliable(encode_message(message))

    def _input(self, guest: Guest, frame: InputFrame) -> None:
        guest.frames.append(frame)
        guest.receiver.acknowledge(frame.held)
        for back, pressed in enumerate(frame.inputs):
            tick = frame.tick - back
            if tick > self.tick:
                guest.inputs.setdefault(tick, pressed)
            elif tick > guest.newest:
                self.late += 1
        if frame.tick > guest.newest:
            guest.newest, guest.margin = frame.tick, frame.tick - (self.tick + 1)

    # Ticks.

    def advance(self) -> None:
        self.tick += 1
        inputs = [0] * self.layout.players
        known: list[int | None] = [None] * self.layout.players
        for guest in self.guests.values():
            if guest.seat is not None:
                guest.waited = 0 if self.tick in guest.inputs else guest.waited + 1
                guest.last = guest.inputs.pop(self.tick, guest.last if guest.waited <= 6 else 0)
                inputs[guest.seat] = guest.last
                known[guest.seat] = guest.last
        cues = hosting.tick(self.world, inputs)
        self.cues += [(self.tick, cue) for cue in cues]
        self.states[self.tick] = self.world.save()
        told = [(cue, encode_cue(cue)) for cue in cues]
        for guest in self.guests.values():
            guest.receiver.listen(self.tick, told)
        if self.tick % EVERY == 0 and self.guests:
            self.stage.survey(self.tick, known)
            for guest in self.guests.values():
                payload = guest.receiver.snapshot(margin=guest.margin, newest=guest.newest)
                guest.connection.send_unreliable(self.mangle(payload))


class Site:
    """A scripted server and clients on a simulated network."""

    def __init__(self, *, seed: int = 1, world: Any = None, **conditions: float) -> None:
        self.network = SimulatedNetwork(seed=seed, conditions=Conditions(**conditions))  # type: ignore[arg-type]  # numbers by name
        self.server = ScriptedServer(world, seed=seed)
        self.seed = seed
        self.clients: list[WorldClient] = []
        self.events: list[list[Any]] = []
        self.cues: list[list[Any]] = []
        self.network.attach("server", self.server)
        self.network.every(1 / RATE, self._serve, phase=0.001, owner="server")

    def _serve(self) -> None:
        self.server.advance()
        self.network.flush("server")

    def add(
        self, press: Callable[[int], int] = lambda tick: 0, *, look: Callable[[WorldClient], None] | None = None,
        frame_rate: float = RATE, phase: float = 0.004, **arguments: Any,
    ) -> WorldClient:  # fmt: skip
        """A client that presses by tick; ``look`` is called after each turn of its loop."""
        number = len(self.clients)
        game = arguments.pop("game", None) or type(self.server.world)()
        client = WorldClient(game, "server", entropy=seeded(self.seed * 100 + number), **arguments)
        address = f"client {number}"
        events: list[Any] = []
        cues: list[Any] = []
        self.clients.append(client)
        self.events.append(events)
        self.cues.append(cues)
        self.network.attach(address, client, polled=True)

        def turn() -> None:
            now = self.network.now
            events.extend(self.network.poll(address))
            while client.due(now=now):
                client.advance(press(client.frame), now=now)
            cues.extend(client.cues())
            if look is not None and client.running:
                look(client)
            self.network.flush(address)

        self.network.every(1 / frame_rate, turn, phase=phase, owner=address)
        return client

    def run(self, seconds: float) -> None:
        self.network.run(until=self.network.now + seconds)
