"""The cost of a server of a declared world: CPU time of a snapshot tick for all receivers, and bytes of a snapshot.

``python benchmarks/world_server.py`` measures both for the goals of docs/internals/benchmarks.md.
"""

from math import cos, pi, sin
from statistics import median
from time import perf_counter_ns, process_time
from typing import Annotated, Any

from retick import is_compiled
from retick.authority.compact import CompactTables
from retick.authority.holding import Holding
from retick.authority.layout import layout_of
from retick.authority.views import Receiver, Stage, encode_cue
from retick.sim import (
    F64,
    I16,
    NOBODY,
    U8,
    U16,
    Angle,
    Distance,
    Most,
    OwnerOnly,
    Player,
    Range,
    Ref,
    Thing,
    Vector2,
    World,
)

ROUNDS = 200


class Mover(Thing):
    player: Player = NOBODY
    x: Annotated[F64, Range(0, 4000, step=1 / 16)] = 0.0
    y: Annotated[F64, Range(0, 4000, step=1 / 16)] = 0.0
    vx: Annotated[F64, Range(-8, 8, step=1 / 64)] = 0.0
    vy: Annotated[F64, Range(-8, 8, step=1 / 64)] = 0.0
    heading: Angle = 0.0
    health: U8 = 100
    ammo: Annotated[U16, OwnerOnly] = 50


class Crowd(World):
    """200 moving things on a grid; each of 16 players sees about 20 of them."""

    num_players = 16
    movers: Annotated[list[Mover], Most(200)]

    def fill(self) -> None:
        for number in range(200):
            owner = number // 12 if number % 12 == 0 and number < 192 else NOBODY
            self.movers.append(Mover(player=owner, x=number % 20 * 200.0 + 5, y=number // 20 * 400.0 + 5))

    def advance(self, _inputs: Any) -> None:
        for number, mover in enumerate(self.movers):
            mover.vx = (number % 5 - 2) * 0.25
            mover.x += mover.vx
            mover.y += 0.3
            mover.heading += 0.1

    def visible(self, player: int, thing: Any) -> bool:
        mine = self.movers[player * 12]
        return bool(abs(thing.x - mine.x) < 700 and abs(thing.y - mine.y) < 900)


class NearCrowd(Crowd):
    """The crowd with a distance: ``visible`` is only asked about near things."""

    interest = Distance(full=600.0, none=1000.0)

    def visible(self, player: int, thing: Any) -> bool:
        return bool(thing.health > 0)


class Walker(Thing):
    player: Player = NOBODY
    name: Annotated[str, Most(16)] = ""
    pos: Annotated[Vector2, Range(0, 4000, step=1 / 16)]
    vel: Annotated[Vector2, Range(-8, 8, step=1 / 64)] = Vector2()
    heading: Angle = 0.0
    health: U8 = 100
    ammo: Annotated[U16, OwnerOnly] = 50


class VectorCrowd(World):
    """NearCrowd with vectors, and a name for each."""

    num_players = 16
    interest = Distance(full=600.0, none=1000.0, fields=("pos",))
    movers: Annotated[list[Walker], Most(200)]

    def fill(self) -> None:
        for number in range(200):
            owner = number // 12 if number % 12 == 0 and number < 192 else NOBODY
            place = Vector2(number % 20 * 200.0 + 5, number // 20 * 400.0 + 5)
            self.movers.append(Walker(player=owner, name=f"walker {number}", pos=place))

    def advance(self, _inputs: Any) -> None:
        for number, mover in enumerate(self.movers):
            mover.vel.x = (number % 5 - 2) * 0.25
            mover.pos += mover.vel
            mover.pos.y += 0.3
            mover.heading += 0.1

    def visible(self, player: int, thing: Any) -> bool:
        return bool(thing.health > 0)


class Store(Thing):
    goods: Annotated[list[U8], Most(400)]


class Stores(World):
    """Eight long tables, about the longest that fit a snapshot; one value changes in each."""

    num_players = 16
    stores: Annotated[list[Store], Most(8)]
    time: U16

    def fill(self) -> None:
        for number in range(8):
            self.stores.append(Store(goods=[(number + each) % 200 for each in range(400)]))

    def advance(self, _inputs: Any) -> None:
        self.time += 1
        for store in self.stores:
            store.goods[self.time % 400] ^= 1


def snapshot_ticks(kind: Any, *, compact: bool) -> tuple[float, float, float]:
    """Milliseconds of CPU for a snapshot tick of 16 receivers, entities that each sees, and bytes for each."""
    world = kind()
    world.fill()
    stage = Stage(layout_of(kind), world)
    tables = CompactTables(stage.layout, sealed=True) if compact else None
    receivers = [Receiver(stage, seat, compact=tables) for seat in range(16)]
    seen = size = 0
    spent = 0.0
    for tick in range(1, ROUNDS + 1):
        world._advance(())
        before = process_time()
        stage.survey(tick, [tick & 7] * 16)
        packets = [receiver.snapshot() for receiver in receivers]
        spent += process_time() - before
        if tick == ROUNDS:
            seen = sum(len(receiver.rows()[0]) for receiver in receivers)
        size += sum(map(len, packets))
        for receiver in receivers:
            receiver.acknowledge(tick - 3)
    return 1000 * spent / ROUNDS, seen / 16, size / 16 / ROUNDS


def survey_time(kind: Any, *, moves: bool, comes: Any = None) -> float:
    """Least microseconds of one survey of the world; with ``comes`` a thing is added and one removed each time."""
    world = kind()
    world.fill()
    stage = Stage(layout_of(kind), world)
    least = float("inf")
    for tick in range(1, 10 * ROUNDS):
        if moves:
            world._advance(())
        if comes:
            del world.movers[37 * tick % 200]
            world.movers.append(comes())
        before = perf_counter_ns()
        stage.survey(tick, [tick & 7] * 16)
        least = min(least, perf_counter_ns() - before)
    return least / 1000


class Fighter(Thing):
    player: Player = NOBODY
    x: Annotated[F64, Range(0, 1024, step=1 / 16)] = 0.0
    y: Annotated[F64, Range(0, 768, step=1 / 16)] = 0.0
    vx: Annotated[F64, Range(-6, 6, step=1 / 32)] = 0.0
    vy: Annotated[F64, Range(-6, 6, step=1 / 32)] = 0.0
    aim: Annotated[F64, Range(-pi, pi, step=pi / 512)] = 0.0
    health: U8 = 100
    reload: Annotated[U8, OwnerOnly] = 0


class Shot(Thing):
    shooter: Ref[Fighter]
    x: Annotated[F64, Range(0, 1024, step=1 / 8)] = 0.0
    y: Annotated[F64, Range(0, 768, step=1 / 8)] = 0.0
    vx: Annotated[F64, Range(-16, 16, step=1 / 16)] = 0.0
    vy: Annotated[F64, Range(-16, 16, step=1 / 16)] = 0.0


class Arena(World):
    """Eight players that run, turn and shoot, with about ten shots in the air."""

    num_players = 8
    fighters: Annotated[list[Fighter], Most(8)]
    shots: Annotated[list[Shot], Most(40)]
    score: Annotated[list[I16], Most(8)]

    def fill(self) -> None:
        fill_arena(self, Fighter)

    def advance(self, inputs: Any) -> None:
        run_arena(self, inputs, Shot)


def fill_arena(world: Any, fighter: Any) -> None:
    world.score = [0] * 8
    for player in range(8):
        world.fighters.append(fighter(player=player, x=100.0 * player + 50, y=300.0))


def run_arena(world: Any, inputs: Any, shot: Any) -> None:
    """Run one tick."""
    for fighter in world.fighters:
        keys = inputs[fighter.player]
        # Speed changes in a few ticks, as in any game with keys.
        fighter.vx += (((keys & 3) - 1.5) * 3 - fighter.vx) * 0.25
        fighter.vy += (((keys >> 2 & 3) - 1.5) * 2 - fighter.vy) * 0.25
        fighter.x = (fighter.x + fighter.vx) % 1024
        fighter.y = (fighter.y + fighter.vy) % 768
        fighter.aim = (keys >> 4) / 163 * pi - pi
        fighter.reload = max(0, fighter.reload - 1)
        if fighter.reload == 0:
            fighter.reload = 40
            way = fighter.aim
            world.shots.append(shot(shooter=fighter, x=fighter.x, y=fighter.y, vx=9 * cos(way), vy=9 * sin(way)))
            world.cue("shot", fighter.player)
    for each in list(world.shots):
        each.x += each.vx
        each.y += each.vy
        if not (0 < each.x < 1024 and 0 < each.y < 768):
            world.shots.remove(each)


def pressed(player: int, tick: int, hold: int) -> int:
    """Keys that are held for some ticks, and a mouse that moves in one second of three."""
    keys = (player * 7 + (tick + 11 * player) // hold * 5) & 15
    aim = (player * 40 + (tick % 60 + tick // 180 * 60 if tick % 180 < 60 else tick // 180 * 60)) % 326
    return keys | aim << 4


class LooseFighter(Thing):
    """The arena as a newcomer writes it, with unlimited floats and ints."""

    player: Player = NOBODY
    x: float = 0.0
    y: float = 0.0
    vx: float = 0.0
    vy: float = 0.0
    aim: float = 0.0
    health: int = 100
    reload: Annotated[int, OwnerOnly] = 0


class LooseShot(Thing):
    shooter: Ref[LooseFighter]
    x: float = 0.0
    y: float = 0.0
    vx: float = 0.0
    vy: float = 0.0


class LooseArena(World):
    """The arena without any Range."""

    num_players = 8
    fighters: Annotated[list[LooseFighter], Most(8)]
    shots: Annotated[list[LooseShot], Most(40)]
    score: Annotated[list[I16], Most(8)]

    def fill(self) -> None:
        fill_arena(self, LooseFighter)

    def advance(self, inputs: Any) -> None:
        run_arena(self, inputs, LooseShot)


def arena_survey_time(ticks: int = 1800) -> float:
    """Microseconds of a survey of the arena, the median over its snapshots."""
    world = Arena()
    world.fill()
    stage = Stage(layout_of(Arena), world)
    spent = []
    for tick in range(1, ticks + 1):
        inputs = [pressed(player, tick, 30) for player in range(8)]
        world._advance(inputs)
        if tick % 3 == 0:
            before = perf_counter_ns()
            stage.survey(tick, inputs)
            spent.append(perf_counter_ns() - before)
    return median(spent) / 1000


def arena_bytes(kind: Any, hold: int, ticks: int = 1800, delay: int = 9, *, compact: bool) -> tuple[float, float, int]:
    """Mean and largest bytes of a snapshot, and shots, at 20 per second, with acknowledgements 150 ms late.

    Players hold a key for ``hold`` ticks.
    """
    world = kind()
    world.fill()
    stage = Stage(layout_of(kind), world)
    tables = [CompactTables(stage.layout, sealed=True) if compact else None for _ in range(2)]
    receiver, client = Receiver(stage, 0, compact=tables[0]), Holding(stage.layout, tables[1])
    sizes, shots = [], 0
    for tick in range(1, ticks + 1):
        inputs = [pressed(player, tick, hold) for player in range(8)]
        cues = world._advance(inputs)
        receiver.listen(tick, [(cue, encode_cue(cue)) for cue in cues])
        receiver.acknowledge(tick - delay)
        if tick % 3 == 0:
            stage.survey(tick, inputs)
            payload = receiver.snapshot(margin=2, newest=tick + 2)
            assert client.read_snapshot(payload) is not None
            sizes.append(len(payload))
            shots += len(world.shots)
    used = sizes[40:]
    return sum(used) / len(used), max(used), shots // len(sizes)


def main() -> None:
    print("compiled" if is_compiled() else "uncompiled")
    for kind in (Crowd, NearCrowd, VectorCrowd, Stores):
        for compact in (False, True):
            spent, seen, size = snapshot_ticks(kind, compact=compact)
            form = "compact" if compact else "plain"
            print(
                f"{kind.__name__}, {form}: {spent:.2f} ms for 16 receivers, "
                f"each sees {seen:.0f} entities in {size:.0f} bytes"
            )
        moving, still = survey_time(kind, moves=True), survey_time(kind, moves=False)
        print(f"  looking at the world: {moving:.1f} us, {still:.1f} us if nothing has changed")
    for kind, comes in ((Crowd, Mover), (VectorCrowd, lambda: Walker(pos=(0, 0)))):
        moving, still = (survey_time(kind, moves=moves, comes=comes) for moves in (True, False))
        print(f"{kind.__name__}, one comes and one goes: {moving:.1f} us, {still:.1f} us if nothing else has changed")
    print(f"Arena: looking at the world: {arena_survey_time():.1f} us")
    for arena, hold in ((Arena, 30), (Arena, 15), (LooseArena, 30)):
        for compact in (False, True):
            mean, most, shots = arena_bytes(arena, hold, compact=compact)
            form = "compact" if compact else "plain"
            print(
                f"{arena.__name__}, {form}, keys held {hold} ticks: {mean:.0f} bytes a snapshot (at most {most}), "
                f"{shots} shots in the air"
            )


if __name__ == "__main__":
    main()
