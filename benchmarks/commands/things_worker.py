"""The measuring end of ``python -m benchmarks things``: one process for each build.

It uses Retick's public names only, so that it runs with other builds too. A request is a line of JSON on standard
input, and its answer a line on standard output.
"""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any

import retick
from benchmarks.commands.recorded_calls import CLOCK
from benchmarks.commands.sim_worker import resident_bytes
from retick.rollback import RollbackEngine
from retick.sim import F64, U8, U16, Angle, Most, Ref, Thing, World

__all__ = ["main", "session_memory"]

LATE = 8
"""Frames by which the others' inputs come late: every frame is a rollback of so many."""
SEED = 1
EXAMPLES = Path(__file__).parents[2] / "examples"
TURNS = 5
"""Passes of a measurement in one round."""
LOOP = 10_000
"""Operations of a pass over one thing."""


class Plain:
    """What Python itself can do: real slots, and no checks."""

    __slots__ = ("x",)

    def __init__(self) -> None:
        self.x = 0.0


class Mover(Thing):
    """Eight numbers."""

    x: F64 = 0.0
    y: F64 = 0.0
    vx: F64 = 0.0
    vy: F64 = 0.0
    heading: Angle = 0.0
    reload: U8 = 0
    score: U16 = 0
    alive: bool = True


class Linked(Thing):
    """Eight fields, with a reference and a list among them."""

    x: F64 = 0.0
    y: F64 = 0.0
    vx: F64 = 0.0
    vy: F64 = 0.0
    reload: U8 = 0
    score: U16 = 0
    target: Ref["Linked"] = None
    marks: Annotated[list[U8], Most(4)]


class Movers(World):
    """A world of things of eight numbers."""

    num_players = 2
    things: Annotated[list[Mover], Most(5000)]

    def advance(self, inputs: Sequence[int], /) -> None:
        pressed = inputs[0] ^ inputs[1]
        for each in self.things:
            if not each.alive:
                continue
            each.x += each.vx
            each.y += each.vy
            if each.x < 0.0 or each.x > 640.0:
                each.vx = -each.vx
            if each.y < 0.0 or each.y > 480.0:
                each.vy = -each.vy
            each.heading += 0.01 if pressed & 1 else -0.01
            if each.reload:
                each.reload -= 1
            elif pressed & 2:
                each.reload = 30
                each.score = (each.score + 1) & 65535


class LinkedThings(World):
    """A world of things that refer to each other; now and then one changes its list."""

    num_players = 2
    things: Annotated[list[Linked], Most(5000)]

    def advance(self, inputs: Sequence[int], /) -> None:
        pressed = inputs[0] ^ inputs[1]
        for each in self.things:
            each.x += each.vx
            each.y += each.vy
            if each.x < 0.0 or each.x > 640.0:
                each.vx = -each.vx
            if each.y < 0.0 or each.y > 480.0:
                each.vy = -each.vy
            target = each.target
            if target is not None and target.reload > 20:
                each.score = (each.score + 1) & 65535
            if each.reload:
                each.reload -= 1
            elif pressed & 2:
                each.reload = 30
                each.marks = [*each.marks, each.score & 255][-4:]


def _filled(world: World, count: int) -> World:
    """The world with so many things, whatever the seed: ``start`` has no arguments of ours."""
    kind: Any = Mover if isinstance(world, Movers) else Linked

    def start(_seed: int) -> None:
        things: Any = world.things  # type: ignore[attr-defined]  # both worlds have it
        for number in range(count):
            things.append(
                kind(x=number % 600 * 1.0, y=number % 450 * 1.0, vx=0.5 + number % 7, vy=0.25, reload=number & 15)
            )
        if kind is Linked:
            for number in range(0, count, 2):
                things[number].target = things[(number * 7 + 1) % count]

    start(SEED)
    return world


def _world(kind: type[World], count: int) -> World:
    """A class of its own for each number of things, so that the engine can start it from a seed."""

    class Filled(kind):  # type: ignore[misc, valid-type]  # the base is an argument
        def start(self, seed: int) -> None:
            _filled(self, count)

    return Filled()


def _drawn_inputs(players: int, frames: int, bits: int) -> list[tuple[int, ...]]:
    """Inputs for each frame; those of the others change in every frame, so that a guess is always wrong."""
    dice, rows = 12345, []
    held = [0] * players
    for frame in range(frames):
        for player in range(players):
            dice = (dice * 1103515245 + 12345) & 0x7FFFFFFF
            if dice >> 16 & 7 == 0:
                held[player] = dice >> 8 & bits
        rows.append((held[0], *(each & ~1 | frame & 1 for each in held[1:])))
    return rows


class Figure:
    """How one row is measured: ``run`` returns seconds, how many operations took them, and how it ended."""

    def __init__(self, run: Callable[[], tuple[float, int, Any]], scale: float) -> None:
        self._run = run
        self._scale = scale

    def measured(self) -> tuple[float, Any]:
        best, end = float("inf"), None
        for _ in range(TURNS):
            seconds, count, end = self._run()
            best = min(best, seconds / count)
        return best * self._scale, end


def _looped(loop: Callable[[Any], None], make: Callable[[], Any]) -> Figure:
    def run() -> tuple[float, int, Any]:
        it = make()
        started = CLOCK()
        loop(it)
        return CLOCK() - started, LOOP, None

    return Figure(run, 1e9)


def _reads(it: Any) -> None:
    for _ in range(LOOP // 10):
        _ = it.x, it.x, it.x, it.x, it.x, it.x, it.x, it.x, it.x, it.x


def _writes(it: Any) -> None:
    value = 1.5
    for _ in range(LOOP // 10):
        it.x = it.x = it.x = it.x = it.x = it.x = it.x = it.x = it.x = it.x = value


def _adds(it: Any) -> None:
    for _ in range(LOOP // 5):
        it.x += 1.0
        it.x += 1.0
        it.x += 1.0
        it.x += 1.0
        it.x += 1.0


def _makes(kind: Any) -> None:
    for _ in range(LOOP):
        kind()


def _makes_with_values(kind: Any) -> None:
    for _ in range(LOOP):
        kind(x=1.0, y=2.0, vx=0.5, vy=0.25, heading=0.1, reload=3, score=4, alive=True)


def _advances(game: World, bits: int, frames: int) -> Figure:
    rows = _drawn_inputs(game.num_players, frames, bits)

    def run() -> tuple[float, int, Any]:
        state = game.initial_state(SEED)
        for row in rows[:LATE]:
            state = game.step_unkept(state, row)
        started = CLOCK()
        for row in rows[LATE:]:
            state = game.step_unkept(state, row)
        seconds = CLOCK() - started
        return seconds, frames - LATE, game.checksum(game.keep(state))

    return Figure(run, 1e6)


def _rollbacks(game: World, bits: int, frames: int) -> Figure:
    """A rollback of LATE frames in every frame."""
    rows = _drawn_inputs(game.num_players, frames, bits)

    def run() -> tuple[float, int, Any]:
        engine = RollbackEngine(game, game.initial_state(SEED), local_player=0, history=64)
        seconds = 0.0
        for frame, row in enumerate(rows):
            started = CLOCK()
            engine.advance(row[0])
            first = frame - LATE + 1
            if first >= 0:
                for player in range(1, game.num_players):
                    engine.add_remote_inputs(player, first, (rows[first][player],))
            engine.state  # noqa: B018 - reading it runs the frames again
            if first > LATE:
                seconds += CLOCK() - started
        count = frames - 2 * LATE
        assert engine.stats.resimulated_frames >= LATE * count, "not every frame was a rollback"
        return seconds, count, game.checksum(engine.state)

    return Figure(run, 1e6)


def _saves(game: World) -> Figure:
    game.reset(SEED)

    def run() -> tuple[float, int, Any]:
        started = CLOCK()
        for _ in range(10):
            saved = game.save()
        return CLOCK() - started, 10, len(saved)

    return Figure(run, 1e6)


def _loads(game: World) -> Figure:
    game.reset(SEED)
    saved = game.save()

    def run() -> tuple[float, int, Any]:
        started = CLOCK()
        for _ in range(10):
            game.load(saved)
        return CLOCK() - started, 10, game.checksum()

    return Figure(run, 1e6)


def tutorials_tanks() -> Any:
    """The class of the tutorial's game; None without pygame."""
    sys.path.insert(0, str(EXAMPLES / "tutorial"))
    try:
        import tanks  # type: ignore[import-not-found]  # the folder was just added to the path
    except ModuleNotFoundError:
        return None
    return tanks.Tanks


def _arena() -> Any:
    sys.path.insert(0, str(EXAMPLES / "arena"))
    import game  # type: ignore[import-not-found]  # as above

    return game.Arena


def _figures() -> Iterator[tuple[str, str, Figure]]:
    """All rows: name, unit and how it is measured."""
    yield "read a field of a plain object with slots", "ns", _looped(_reads, Plain)
    yield "read a float field", "ns", _looped(_reads, Mover)
    yield "write a field of a plain object with slots", "ns", _looped(_writes, Plain)
    yield "write a float field", "ns", _looped(_writes, Mover)
    yield "add to a float field", "ns", _looped(_adds, Mover)
    yield "make a Thing", "ns", _looped(_makes, lambda: Mover)
    yield "make a Thing with eight values", "ns", _looped(_makes_with_values, lambda: Mover)
    yield "make a Thing with a list", "ns", _looped(_makes, lambda: Linked)
    for kind, name in ((Movers, "numbers"), (LinkedThings, "references and lists")):
        for count, frames in ((100, 60), (1000, 24), (5000, 20)):
            game = _world(kind, count)
            yield f"one advance, {count:,} things, {name}", "µs", _advances(game, 3, frames)
            yield f"tick with a rollback of 8, {count:,}, {name}", "µs", _rollbacks(game, 3, frames)
    tanks = tutorials_tanks()
    if tanks is not None:
        yield "one advance of the tutorial's tanks", "µs", _advances(tanks(), 15, 120)
        yield "rollback of 8, the tutorial's tanks", "µs", _rollbacks(tanks(), 15, 120)
    arena = _arena()
    yield "one advance of an arena of 8", "µs", _advances(arena(), 0xFFFF, 60)
    yield "rollback of 8, an arena of 8", "µs", _rollbacks(arena(), 0xFFFF, 60)
    for kind, name in ((Movers, "numbers"), (LinkedThings, "references and lists")):
        yield f"save to bytes, 1,000 things, {name}", "µs", _saves(_world(kind, 1000))
        yield f"load from bytes, 1,000 things, {name}", "µs", _loads(_world(kind, 1000))


def session_memory(count: int = 1000, frames: int = 300) -> float | None:
    """MB by which a session with so many things makes the process larger; None where that is not known.

    Two of them play a match, long enough that everything that is kept is there. Memory of C is in it.
    """
    from retick.testing.mesh import Mesh
    from retick.transport.conditions import Conditions

    rows = _drawn_inputs(2, 600, 3)
    kind = type(_world(LinkedThings, count))
    small = Mesh(kind, press=lambda player, _: rows[0][player])
    del small
    before = resident_bytes()
    turns = [0, 0]

    def press(player: int, _state: Any) -> int:
        turns[player] += 1
        return rows[turns[player] % len(rows)][player]

    mesh = Mesh(kind, conditions=Conditions(latency=0.05), press=press)
    mesh.start()
    mesh.play(frames)
    after = resident_bytes()
    return None if before is None or after is None else (after - before) / 2 / 1e6


def main() -> None:
    """Answer until standard input ends."""
    figures: dict[str, tuple[str, Figure]] = {}
    for line in sys.stdin:
        request = json.loads(line)
        answer: Any
        match request["ask"]:
            case "form":
                answer = [retick.__file__, retick.is_compiled()]
            case "memory":
                answer = session_memory()
            case "figures":
                figures = {name: (unit, figure) for name, unit, figure in _figures()}
                answer = [(name, unit) for name, (unit, _) in figures.items()]
            case _:
                answer = figures[request["name"]][1].measured()
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
