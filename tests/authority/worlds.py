"""A world with a field of every kind, of which players see different parts, driven by its inputs."""

from collections.abc import Sequence
from enum import Enum
from typing import Annotated, Any

from retick.authority.compact import CompactTables
from retick.authority.holding import HeldSnapshot, Holding
from retick.authority.layout import WorldLayout, layout_of
from retick.authority.views import Receiver, Stage
from retick.sim import (
    F64,
    I8,
    I16,
    I64,
    NOBODY,
    U8,
    U16,
    U32,
    U64,
    Angle,
    Cache,
    Dice,
    Most,
    OwnerOnly,
    Player,
    Range,
    Ref,
    ServerOnly,
    Thing,
    World,
)

__all__ = ["Client", "Court", "Pawn", "Server", "Side"]


class Side(Enum):
    RED = "red"
    BLUE = "blue"
    NONE = None


class Spot(Thing):
    x: Annotated[F64, Range(-50, 50, step=1 / 8)] = 0.0
    y: F64 = 0.0
    secret: Annotated[U16, ServerOnly] = 9


class Coin(Thing):
    worth: Annotated[I16, Range(-100, 100, step=5)] = 5
    of: Ref["Pawn"] = None


class Pawn(Thing):
    player: Player = NOBODY
    x: Annotated[F64, Range(0, 640, step=1 / 16)] = 0.0
    y: Annotated[F64, Range(0, 480, step=1 / 16)] = 8.0
    heading: Angle = 0.0
    side: Side = Side.BLUE
    ammo: Annotated[U16, OwnerOnly] = 3
    plan: Annotated[Spot | None, OwnerOnly] = None
    luck: Annotated[U32, ServerOnly] = 77
    lost: bool = False
    speed: I8 | None = None
    best: F64 | None = 1.5
    home: Spot
    foe: Ref["Pawn"] = None
    purse: Annotated[list[Coin], Most(3)]
    pocket: Annotated[list[Coin], Most(2), OwnerOnly]
    marks: Annotated[list[U8], Most(4)]


class Rock(Thing):
    size: U8 = 1
    hidden: bool = False


class Court(World):
    num_players = 3
    pawns: Annotated[list[Pawn], Most(6)]
    rocks: Annotated[list[Rock], Most(4)]
    cards: Annotated[list[Rock], Most(4), ServerOnly]
    dice: Dice
    weight: I64
    sum: U64
    heat: Annotated[F64, Range(0, 1, step=0.25)]
    turns: Annotated[list[Angle], Most(2)]
    sides: Annotated[list[Side], Most(3)]
    throne: Spot | None
    told: Annotated[U32, ServerOnly] = 5
    by_id: Cache[dict[int, int] | None]

    def visible(self, player: int, thing: Any) -> bool:
        """A rock may be hidden, and lost pawns are seen by their own players only."""
        if isinstance(thing, Rock):
            return not thing.hidden
        return not isinstance(thing, Pawn) or not thing.lost or thing.player == player

    def hears(self, player: int, cue: tuple[Any, ...]) -> bool:
        return cue[0] != "whisper" or cue[1] == player

    def start(self, seed: int) -> None:
        self.dice.seed(seed)

    def advance(self, inputs: Sequence[int]) -> None:
        for player, pressed in enumerate(inputs):
            self.do(pressed & 15, pressed >> 4, player)
        self.weight = -self.weight * 3 - 1 if abs(self.weight) < 1 << 60 else 1
        self.sum = (self.sum * 6364136223846793005 + 1) & 0xFFFFFFFFFFFFFFFF

    def note(self, *cue: Any) -> None:
        self.cue(*cue)

    def do(self, what: int, argument: int, player: int) -> None:
        pawns = self.pawns
        one = pawns[argument % len(pawns)] if pawns else None
        if what in (0, 1) and len(pawns) < 6:
            owner = (0, 1, 2, NOBODY)[argument % 4]
            pawns.append(Pawn(player=owner, x=argument, foe=one, ammo=argument))
            self.note("born", argument, 0.1)
        elif one is None:
            self.rocks = [*self.rocks, Rock(size=argument & 255, hidden=bool(argument & 1))][-4:]
        elif what == 2:
            pawns.remove(one)
            self.note("whisper", argument % 3, "gone")
        elif what == 3:
            one.x += argument * 0.3 - 10
            one.y -= argument / 7
            one.heading = one.heading * 3 + argument - 1e9 * (argument == 4)
        elif what == 4:
            one.player = (0, 1, 2, NOBODY)[(argument >> 2) % 4]
        elif what == 5:
            one.lost = not one.lost
        elif what == 6:
            one.foe = pawns[argument % 7 % len(pawns)]
            one.side = list(Side)[argument % 3]
        elif what == 7 and len(one.purse) < 3:
            one.purse.append(Coin(worth=argument - 60, of=pawns[-1]))
        elif what == 8 and len(one.pocket) < 2:
            one.pocket.append(Coin(worth=argument, of=one))
        elif what == 9:
            one.purse = one.purse[1:]
            one.pocket = one.pocket[1:]
        elif what == 10:
            one.plan = None if one.plan else Spot(x=argument - 60, y=-0.0, secret=argument)
            self.throne = None if self.throne else Spot(y=1 / (argument + 1))
        elif what == 11:
            one.speed = None if argument & 1 else argument % 100 - 50
            one.best = None if argument & 2 else argument / 3
            one.marks = [*one.marks, argument & 255][-4:]
        elif what == 12:
            one.ammo, one.luck = argument * 3, argument * 1000
            one.home.x, one.home.secret = argument / 5, argument
        elif what == 13:
            pawns[0], pawns[-1] = pawns[-1], pawns[0]
            self.heat = argument / 100 - 0.2
        elif what == 14:
            self.rocks = [*self.rocks, Rock(size=argument & 255, hidden=bool(argument & 1))][-4:]
            self.cards = [*self.cards, Rock(size=argument & 255)][-4:]
        else:
            self.turns = [*self.turns, argument * 1.0][-2:]
            self.sides = [pawn.side for pawn in pawns][:3]
            for rock in self.rocks:
                rock.hidden = not rock.hidden


class Client:
    """One receiver at the server, and the client that it sends to."""

    def __init__(self, stage: Stage, seat: int | None, budget: int = 1100, *, compact: bool = False) -> None:
        self.seat = seat
        ends = [CompactTables(stage.layout) if compact else None for _ in range(2)]
        self.receiver = Receiver(stage, seat, budget=budget, compact=ends[0])
        self.holding = Holding(stage.layout, ends[1])
        self.world: Any = stage.layout.world()
        self.heard: list[Any] = []
        self.held: HeldSnapshot | None = None
        self.bytes: list[bytes] = []

    def exchange(self, *, lost: bool = False, ack_lost: bool = False) -> HeldSnapshot | None:
        """Send one snapshot, and acknowledge it unless something is lost."""
        payload = self.receiver.snapshot(margin=2, newest=5)
        self.bytes.append(payload)
        if lost:
            return None
        self.held = self.holding.read_snapshot(payload)
        assert self.held is not None
        self.world.load(self.held.saved)
        self.heard += self.held.cues
        if not ack_lost:
            self.receiver.acknowledge(self.holding.newest_tick)
        return self.held


class Server:
    """A world that is run as a server runs it, and its receivers."""

    def __init__(
        self, world: Any, seats: Sequence[int | None] = (0, 1, None), budget: int = 1100, *, compact: bool = False
    ) -> None:
        from retick.authority.views import encode_cue

        self._encode_cue = encode_cue
        self.world = world
        self.layout: WorldLayout = layout_of(type(world))
        self.stage = Stage(self.layout, world)
        self.clients = [Client(self.stage, seat, budget, compact=compact) for seat in seats]
        self.tick = 0
        world.reset(1)

    def advance(self, inputs: Sequence[int]) -> None:
        """One tick, and a look at the world."""
        self.tick += 1
        cues = self.world._advance(inputs)
        told = [(cue, self._encode_cue(cue)) for cue in cues]
        for client in self.clients:
            client.receiver.listen(self.tick, told)
        self.look(inputs)

    def look(self, inputs: Sequence[int]) -> None:
        mask = (1 << self.layout.input_bits) - 1
        self.stage.survey(self.tick, [pressed & mask for pressed in inputs])

    def bytes_sent(self, ticks: Sequence[Sequence[int]]) -> list[str]:
        """What all receivers are sent in these ticks, a third of it lost."""
        lines = []
        for number, pressed in enumerate(ticks):
            self.advance(pressed)
            for client in self.clients:
                client.exchange(lost=number % 3 == 1)
                lines.append(client.bytes[-1].hex())
        return lines
