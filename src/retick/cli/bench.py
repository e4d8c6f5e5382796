"""``retick bench``: how fast Retick is on this machine, in less than a minute. ``benchmarks/`` of a clone has more."""

import struct
import sys
import time
from array import array
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, NamedTuple

import typer
from rich.table import Table

from retick._kernels import is_compiled
from retick.cli.bench_game import game
from retick.cli.terminal import Screen, say, say_json
from retick.errors import RetickError
from retick.games.fighter import Fighter
from retick.games.fighter.bots import bout
from retick.rollback import RollbackEngine, RollbackSession, SyncTest
from retick.snapshot import Codec, Component, Field, Fixed, Schema, Snapshot, UInt
from retick.testing.mesh import Mesh
from retick.transport.conditions import Conditions
from retick.verify import Run, generate

SEED = 1
FRAMES = 6000
"""Frames of the match that the loop and the engine play in each pass."""
LATE = 8
"""By how many frames the other player's inputs are late where each is predicted wrongly."""
SESSION_FRAMES = 3600
WARM_UP = 60
CALLS = ("receive_datagram", "datagrams_to_send", "next_timeout", "handle_timeout", "events", "due", "advance")
ENTITIES = 64
MATCHES = 256
MATCH_FRAMES = 3600
"""One minute."""
PURE_SHARE = 20
"""Uncompiled kernels do so much less work in each measurement, so that it ends in a minute there, too."""
Tell = Callable[[str], None]


class Figure(NamedTuple):
    """One line of the summary."""

    part: str
    name: str
    value: float
    unit: str


bench_app = typer.Typer(name="bench", invoke_without_command=True)
bench_app.command()(game)


@bench_app.callback()
def bench(
    context: typer.Context,
    rounds: Annotated[int, typer.Option(min=1, help="Passes of each measurement; the best counts.")] = 15,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Measure the engine, a session, snapshots and verifying on this machine: a summary in less than a minute.

    Every figure is the best of several passes. The first one, a step of the fighter in its bulk loop, is the yardstick
    of the machine: figures of two machines compare best as multiples of it.

    Exit code 0: measured. 2: misuse.

    Example: retick bench --rounds 40
    """
    if context.invoked_subcommand is not None:
        return
    figures = measure(rounds, lambda words: say(f"bench: {words}", err=True) if sys.stderr.isatty() else None)
    if as_json:
        found: dict[str, dict[str, float]] = {}
        for each in figures:
            found.setdefault(each.part, {})[f"{each.name}, {each.unit}"] = each.value
        say_json({"compiled": is_compiled(), "figures": found}, indent=2)
        return
    form = "compiled kernels" if is_compiled() else "pure Python kernels"
    table = Table(title=f"Retick on this machine, {form}", title_justify="left")
    for heading in ("part", "figure"):
        table.add_column(heading)
    table.add_column("best", justify="right")
    table.add_column("unit")
    for each in figures:
        table.add_row(
            each.part, each.name, f"{each.value:,.0f}" if each.value >= 1000 else f"{each.value:,.2f}", each.unit
        )
    Screen().print(table)


def measure(rounds: int, tell: Tell = lambda _: None) -> list[Figure]:
    """All figures, in the order in which they are shown."""
    share = 1 if is_compiled() else PURE_SHARE
    tell("engine")
    figures = _engine(rounds, FRAMES // share)
    tell("sessions")
    figures += [_session(sealed, SESSION_FRAMES // share) for sealed in (False, True)]
    tell("snapshots")
    figures += _snapshots(rounds)
    tell("verifying")
    figures.append(_verify(max(MATCHES // share, 2)))
    return figures


def _best(rounds: int, work: Callable[[], object]) -> float:
    """Seconds of the fastest pass."""
    best = float("inf")
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - started)
    return best


def _engine(rounds: int, frames: int) -> list[Figure]:
    game = Fighter()
    first = game.initial_state(SEED)
    payload = bout(SEED, frames)
    rows = list(struct.iter_unpack("<HH", payload))

    def sync_test() -> None:
        test = SyncTest(game, first, distance=7)
        for row in rows:
            test.advance(row)

    def rollbacks() -> None:
        engine = RollbackEngine(game, first, local_player=0, history=64)
        for frame, (ours, _) in enumerate(rows):
            engine.advance(ours)
            if frame >= LATE - 1:
                # The fighter does not read this bit; it makes every prediction wrong, and the match stays the same.
                late = frame - LATE + 1
                engine.add_remote_inputs(1, late, [rows[late][1] | 0x100 * (late & 1)])
        if engine.stats.rollbacks < frames - 2 * LATE:
            raise RetickError(f"only {engine.stats.rollbacks} rollbacks in {frames} frames: nothing was measured")

    each = 1e9 / frames
    return [
        Figure(
            "engine",
            "the fighter in its bulk loop",
            _best(rounds, lambda: game.run(first, payload)) * each,
            "ns a step",
        ),
        Figure("engine", "sync test, 7 frames back", _best(rounds, sync_test) * each, "ns a frame"),
        Figure("engine", "a rollback of 8 in every frame", _best(rounds, rollbacks) * each, "ns a frame"),
    ]


def _session(sealed: bool, frames: int) -> Figure:
    """Play a match of two over a bad line, on virtual time; time the calls to the sessions, with the game's steps."""
    spent = [0.0]

    def timed(call: Callable[..., Any]) -> Callable[..., Any]:
        def clocked(*given: Any, **named: Any) -> Any:
            started = time.perf_counter()
            try:
                return call(*given, **named)
            finally:
                spent[0] += time.perf_counter() - started

        return clocked

    def make_session(sim: Any, **details: Any) -> RollbackSession:
        session = RollbackSession(sim, sealed=sealed, **details)
        for name in CALLS:
            setattr(session, name, timed(getattr(session, name)))
        return session

    mesh = Mesh(Fighter, conditions=Conditions.round_trip(0.1, loss=0.05), make_session=make_session)
    mesh.start()
    mesh.play(WARM_UP)
    spent[0] = 0.0
    mesh.play(WARM_UP + frames)
    name = f"two players, 100 ms, 5 % loss, {'sealed' if sealed else 'plain'} links"
    return Figure("session", name, spent[0] * 1e6 / (2 * frames), "µs a frame and peer")


def _snapshots(rounds: int) -> list[Figure]:
    schema = Schema(
        [
            Component(
                1,
                [
                    Field(1, Fixed(min_q=-100_000, max_q=100_000, scale=100)),
                    Field(2, Fixed(min_q=-100_000, max_q=100_000, scale=100)),
                    Field(3, UInt(10)),
                ],
            )
        ]
    )
    codec = Codec(schema, version=2)
    ids = array("I", range(1, ENTITIES + 1))

    x, y, kind = (array("q", (number * entity for entity in ids)) for number in (30, -20, 1))
    moved = array("q", (at + (number % 10 == 0) for number, at in enumerate(x)))
    base = Snapshot.from_columns(schema, tick=1, ids=ids, columns={1: (x, y, kind)})

    def made() -> Snapshot:
        return Snapshot.from_columns(schema, tick=2, ids=ids, columns={1: (moved, y, kind)})

    packet = codec.encode_delta(base, made())
    if codec.apply_delta(base, packet) != made():
        raise RetickError("a delta did not give the snapshot that it was made of")
    many = 50
    encode = _best(rounds, lambda: [codec.encode_delta(base, made()) for _ in range(many)])
    apply = _best(rounds, lambda: [codec.apply_delta(base, packet) for _ in range(many)])
    name = f"{ENTITIES} entities, a tenth changed"
    return [
        Figure("snapshot", f"{name}: make, encode", encode * 1e6 / many, "µs"),
        Figure("snapshot", f"{name}: apply it", apply * 1e6 / many, "µs"),
    ]


def _verify(matches: int) -> Figure:
    """One-minute replays from files, on all cores."""
    with TemporaryDirectory() as made:
        folder = Path(made) / "matches"
        written = sum(1 for _ in generate(folder, matches=matches, frames=MATCH_FRAMES))
        started = time.perf_counter()
        rows = list(Run(folder, "retick.games.fighter:Fighter", manifest=folder / "manifest.csv"))
        seconds = time.perf_counter() - started
    if len(rows) != written or any(row.verdict != "ok" for row in rows):
        raise RetickError("a replay that was just recorded does not verify")
    return Figure(
        "verify", f"replays of {MATCH_FRAMES // 60} s of the fighter, all cores", written / seconds, "a second"
    )
