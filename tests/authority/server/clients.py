"""A server of a declared world and small scripted clients, on a simulated network."""

from collections.abc import Callable, Hashable
from random import Random
from typing import Any

from examples.raiders import Raiders, Wish

from retick.authority.frames import NOTE, SNAPSHOT, InputFrame, decode_note, encode_input
from retick.authority.holding import HeldSnapshot, Holding
from retick.authority.layout import layout_of
from retick.authority.messages import RoomWelcome, decode_message
from retick.authority.server import WorldServer, WorldServerConfig
from retick.errors import DecodeError
from retick.host.joining import JoinRequest, decode_acceptance, encode_join
from retick.host.link_config import link_config
from retick.link import Disconnected, LinkEndpoint, Refused, ReliableReceived, UnreliableReceived
from retick.replay import Recorder, Replay, loads
from retick.sim import World
from retick.sim.world.hosting import HostedWorld
from retick.transport import Conditions, SimulatedNetwork
from tests.netrunner.linked import Linked

__all__ = ["Hall", "Script", "Tape", "raider_bot", "steady", "straight"]

RATE = 60


def raider_bot(player: int, world: Any) -> Wish:
    """Runs about and shoots."""
    return Wish(right=((world.next_id + player) % 3 - 1) / 2, down=0.25, fire=player % 2 == 0)


class Script(Linked):
    """A client that presses what it is told, ``lead`` ticks ahead of what it knows of the server."""

    def __init__(
        self,
        game: Any,
        *,
        seed: int,
        room: str = "",
        name: str = "",
        token: bytes = b"",
        watches: bool = False,
        schema: int | None = None,
        press: Callable[[int], int] = lambda tick: tick % 4,
        lead: int = 10,
        viewed: int = 6 * 16,
        address: Hashable = "server",
    ) -> None:
        self.layout = layout_of(game)
        world = game()
        self.link = LinkEndpoint(
            link_config(world.game_id, world.game_version, timeout=5.0), entropy=Random(seed).randbytes
        )
        request = JoinRequest(room, token, self.layout.hash if schema is None else schema, name, watches)
        self.connection = self.link.dial(address, data=encode_join(request))
        self.press, self.lead, self.viewed = press, lead, viewed
        self.holding = Holding(self.layout)
        self.world: Any = world
        self.welcome: RoomWelcome | None = None
        self.messages: list[Any] = []
        self.notes: list[bytes] = []
        self.held: list[HeldSnapshot] = []
        self.cues: list[Any] = []
        self.ends: list[Any] = []
        self.payloads: list[bytes] = []
        self.is_silent = False
        self.missing = 0
        self._tick = self._set_at = 0

    @property
    def token(self) -> bytes:
        assert self.connection.terms is not None
        return decode_acceptance(self.connection.terms.peer_data).token

    @property
    def seat(self) -> int:
        assert self.welcome is not None
        return self.welcome.seat

    def events(self) -> list[Any]:
        return self.link.events()

    def handle(self, events: list[Any]) -> None:
        for event in events:
            if isinstance(event, ReliableReceived):
                message = decode_message(event.data)
                self.messages.append(message)
                if isinstance(message, RoomWelcome):
                    self.welcome = message
                    # A welcome that was sent again comes after snapshots.
                    self._tick = self._set_at = max(message.tick, self.holding.newest_tick) + self.lead
            elif isinstance(event, UnreliableReceived):
                self._receive(event.data)
            elif isinstance(event, Disconnected | Refused):
                self.ends.append(event)

    def _receive(self, data: bytes) -> None:
        if data[0] == NOTE:
            self.notes.append(decode_note(data))
            return
        assert data[0] == SNAPSHOT
        self.payloads.append(data)
        try:
            held = self.holding.read_snapshot(data)
        except DecodeError:
            self.missing += 1
            return
        if held is not None:
            self.world.load(held.saved)
            self.held.append(held)
            self.cues += held.cues
            if held.frame.margin < 2 and held.frame.newest >= self._set_at:
                self._tick += 4
                self._set_at = self._tick

    def turn(self) -> None:
        """One tick of the client; inputs are sent in every second one."""
        if self.welcome is None or self.ends:
            return
        self._tick += 1
        if self._tick % 2 == 0 and not self.is_silent:
            mask = (1 << self.layout.input_bits) - 1
            inputs = tuple(self.press(self._tick - back) & mask for back in range(min(8, self._tick)))
            frame = InputFrame(self._tick, min(self.holding.newest_tick, self._tick - 1), self.viewed, inputs)
            self.connection.send_unreliable(encode_input(frame, self.layout.input_bits))


class Hall:
    """A server, its clients, and what it reported."""

    def __init__(
        self, game: Any = Raiders, *, config: WorldServerConfig | None = None, conditions: Conditions | None = None,
        seed: int = 1, **more: Any,
    ) -> None:  # fmt: skip
        self.game = game
        self.network = SimulatedNetwork(seed=seed, conditions=conditions or Conditions(latency=0.03))
        self.server = WorldServer(game, entropy=Random(seed).randbytes, config=config, **more)
        self.events: list[Any] = []
        self.clients: dict[str, Script] = {}
        self._serve()

    def _serve(self) -> None:
        self.network.attach("server", self.server, on_events=self.events.extend)

    def restart(self, server: WorldServer) -> None:
        """Another server at the same address."""
        self.network.detach("server")
        self.server = server
        self._serve()

    def join(self, who: str, **options: Any) -> Script:
        client = Script(self.game, seed=len(self.clients) + 100, **options)
        self.clients[who] = client
        self.network.attach(who, client, on_events=client.handle)

        def turn() -> None:
            if self.clients.get(who) is client:
                client.turn()
                self.network.flush(who)

        self.network.every(1 / RATE, turn)
        return client

    def vanish(self, who: str) -> Script:
        """A client that is gone without a word."""
        self.network.detach(who)
        return self.clients.pop(who)

    def run(self, seconds: float) -> None:
        self.network.run(until=self.network.now + seconds)

    def of(self, kind: type) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def room(self) -> Any:
        return self.server.rooms[""]


def steady(buttons: int) -> Any:
    return lambda tick: buttons


class Tape:
    """Keeps the recorders of all rooms."""

    def __init__(self) -> None:
        self.recorders: dict[str, Recorder] = {}

    def __call__(self, room: Any) -> Recorder:
        made = Recorder.for_game(
            room.world, seed=room.seed, start_frame=room.tick, start_state=room.start_state, hosted=True
        )
        self.recorders[room.name] = made
        return made

    def replay(self, name: str = "") -> Replay:
        return loads(self.recorders[name].drain())


def straight(replay: Replay, game: type[World]) -> int:
    """The checksum at the end of a plain run over what a recording says, without any of its machinery."""
    assert replay.hosting is not None
    run = HostedWorld(game(), most_past=600)
    run.begin(replay.seed)
    behind = [1] * replay.num_players
    for frame in range(replay.end_frame):
        for change in replay.hosting.seats:
            if change.frame == frame:
                (run.join if change.joins else run.leave)(change.player)
        for view in replay.hosting.views:
            if view.frame == frame:
                behind[view.player] = view.behind
        run.advance(replay.inputs_at(frame), behind)
    return run.world.checksum()
