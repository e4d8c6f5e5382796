"""A second game on the server of protocol 6: hovercraft seen from above, with guns."""

from math import atan2, cos, hypot, pi, sin
from random import Random
from typing import NamedTuple

from retick.authority import GameMessageReceived
from retick.netrunner import Client, Server
from retick.netrunner.config import RateLimit
from retick.netrunner.events import Reconciled
from retick.transport import Conditions, SimulatedNetwork
from tests.netrunner.declared_profile import DeclaredProfile, Flag, Real, Whole

ARENA, THRUST, DRAG = 20.0, 0.03, 0.97
GUN = RateLimit(every=30)


class Craft(NamedTuple):
    """A player's state after a tick: everything that a step reads."""

    x: float
    y: float
    vx: float
    vy: float
    aim: float
    reload: int

    @property
    def position(self) -> tuple[float, float, float]:
        return self.x, 0.0, self.y

    @property
    def velocity(self) -> tuple[float, float, float]:
        return self.vx * 60, 0.0, self.vy * 60

    @property
    def yaw(self) -> float:
        return self.aim

    pitch, grounded = 0.0, True


class Wish(NamedTuple):
    """A command: three numbers that Retick sets, and what the player presses."""

    seq: int
    tick: int
    epoch: int
    right: float
    down: float
    aim: float
    fire: bool


class Held(NamedTuple):
    right: float
    down: float
    aim: float
    fire: bool


class HoverMotor:
    def spawn(self, peer_id: int) -> Craft:
        turn = peer_id * 2.4
        return Craft(cos(turn) * 12, sin(turn) * 12, 0.0, 0.0, 0.0, GUN.every)

    def step(self, craft: Craft, wish: Wish) -> Craft:
        vx, vy = (craft.vx + wish.right * THRUST) * DRAG, (craft.vy + wish.down * THRUST) * DRAG
        x, y = craft.x + vx, craft.y + vy
        if abs(x) > ARENA:
            x, vx = max(-ARENA, min(ARENA, x)), -vx
        if abs(y) > ARENA:
            y, vy = max(-ARENA, min(ARENA, y)), -vy
        _, reload = GUN.step(craft.reload, wish.fire)
        return Craft(x, y, vx, vy, wish.aim, reload)


def judge(shooter: int, craft: Craft, tick: int, targets: dict[int, tuple[float, float, float]]) -> list[bytes]:
    """Who is hit, with the targets where the shooter saw them. All clients receive the returned bytes."""
    if craft.reload != GUN.every:
        return []
    for peer, (x, _, y) in targets.items():
        along = (x - craft.x) * cos(craft.aim) + (y - craft.y) * sin(craft.aim)
        beside = (y - craft.y) * cos(craft.aim) - (x - craft.x) * sin(craft.aim)
        if along > 0 and abs(beside) < 1.0:
            return [bytes((shooter, peer))]
    return []


HOVER = DeclaredProfile(
    game_id="example.hover",
    version=1,
    motor=HoverMotor(),
    state=Craft,
    state_fields={
        "x": Real(-ARENA, ARENA, steps=256),
        "y": Real(-ARENA, ARENA, steps=256),
        "vx": Real(-2, 2, steps=1024),
        "vy": Real(-2, 2, steps=1024),
        "aim": Real(-pi, pi, steps=256),
        "reload": Whole(0, GUN.longest_wait),
    },
    command=Wish,
    command_fields={
        "right": Real(-1, 1),
        "down": Real(-1, 1),
        "aim": Real(-pi, pi, keep=True),
        "fire": Flag(press=True),
    },
    shoots=lambda wish: wish.fire,
    judge=judge,
)


class Pilot:
    """A bot that drifts around and shoots at the nearest craft that it sees."""

    def __init__(self, seed: int) -> None:
        self.dice, self.held = Random(seed), (0.0, 0.0)

    def decide(self, client: Client, now: float) -> Held:
        if self.dice.random() < 0.03:
            self.held = (self.dice.uniform(-1, 1), self.dice.uniform(-1, 1))
        me, others = client.player, [view.position for view in client.others(now=now).values()]
        x, _, y = min(others, key=lambda p: hypot(p[0] - me.x, p[2] - me.y), default=(0.0, 0.0, 0.0))
        return Held(*self.held, atan2(y - me.y, x - me.x), self.dice.random() < 0.05)


def play(seconds: float = 10.0, players: int = 4, seed: int = 1) -> tuple[dict[int, int], list[Client], list[float]]:
    """Hits of each player, the clients, and every correction after the first three seconds."""
    network = SimulatedNetwork(seed=seed, conditions=Conditions.round_trip(0.12, jitter=0.01, loss=0.01))
    network.attach("server", Server(HOVER, entropy=Random(seed).randbytes))
    hits: dict[int, int] = {}
    corrections: list[float] = []
    clients = []
    for number in range(players):
        name, pilot = f"pilot {number}", Pilot(seed * 100 + number)
        client = Client(HOVER, "server", entropy=Random(seed * 50 + number).randbytes)

        def frame(name: str = name, client: Client = client, pilot: Pilot = pilot, counts: bool = number == 0) -> None:
            for event in network.poll(name):
                if isinstance(event, GameMessageReceived) and counts:
                    hits[event.message[0]] = hits.get(event.message[0], 0) + 1
                elif isinstance(event, Reconciled) and network.now > 3.0:
                    corrections.append(event.correction)
            if client.player is not None:
                client.tick(pilot.decide(client, network.now), now=network.now)
            network.flush(name)

        network.attach(name, client, polled=True)
        network.every(1 / 60, frame, phase=number * 0.003, owner=name)
        clients.append(client)
    network.run(until=seconds)
    return hits, clients, corrections
