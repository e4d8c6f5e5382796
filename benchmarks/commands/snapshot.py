"""``python -m benchmarks snapshot``: times from a game's own data to bytes, and from bytes into a game's own arrays.

What is timed is what a game pays: making the snapshot and encoding it, or decoding a packet, applying it and writing
the result into the game's columns. The workload is a formula, so that every implementation can build it. Before
anything is timed the packets must have the published digests: the same bytes, or no figures.

Figures of other libraries are left out: they come from other machines, and no factor makes them comparable.
"""

import statistics
import time
from array import array
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from benchmarks.commands.native import c_loop_ns, slowness, yardstick
from benchmarks.commands.progress import progress
from benchmarks.snapshot_times import scores
from retick._kernels import is_compiled
from retick.cli.exit_codes import NO
from retick.cli.snapshot import read_prior, say_if_of_another_plan
from retick.cli.snapshot_scoring import TRACE_ENTITIES, counted, read_source
from retick.cli.terminal import Screen, say_json
from retick.errors import RetickError, UsageError
from retick.snapshot import (
    Bool,
    BoundColumns,
    Codec,
    Fanout,
    Fixed,
    Interest,
    Replicated,
    Snapshot,
    UInt,
    objects_of_snapshot,
    schema_of,
    snapshot_of_objects,
)

__all__ = ["Line", "bench_snapshot", "measure_snapshot", "world"]

COUNTS = (16, 64, 256, 1000)
TRACE_LAG = 6
# Most microseconds at these counts, on a machine where the fighter's C loop takes TARGETS_NS per step.
TARGETS: dict[str, tuple[float, float, float, float]] = {
    "columns: make, encode full": (3.5, 5.0, 13.0, 46.0),
    "columns: make, encode all": (3.5, 5.5, 15.0, 53.0),
    "columns: make, encode tenth": (2.8, 3.0, 5.0, 12.0),
    "bound: make, encode tenth": (1.0, 1.4, 3.2, 10.0),
    "bound: decode full, load": (1.4, 2.2, 6.0, 21.0),
    "bound: apply all, load": (1.7, 3.2, 10.0, 35.0),
    "bound: apply tenth, load": (1.3, 3.0, 4.0, 12.0),
    "mapping: make, encode tenth": (10.0, 40.0, 160.0, 640.0),
    "objects: make, encode tenth": (10.0, 40.0, 160.0, 640.0),
}
BUDGET = 1200
INTEREST_TARGET = 40.0
RECEIVERS = 100
RECEIVERS_MS = 5.0
# First eight bytes of blake3 over the packet, for 16, 64, 256 and 1000 entities.
DIGESTS: dict[tuple[int, str, str], tuple[str, str, str, str]] = {
    (0, "encode_full", "-"): ("2c56fa577e4b5ba6", "5738d9c2451f043f", "f8f1ed96248cc9f3", "e85bbc01f119e974"),
    (0, "encode_delta", "all"): ("68b528e2b67221ba", "980e423974fa14f4", "5e17a7bbdd506366", "749dbcb9a2fa1066"),
    (0, "encode_delta", "ten"): ("6fbe1760be4edd35", "8eca7050da605131", "1e04b7f0f21e57ac", "425ca812db130c73"),
    (0, "encode_delta", "none"): ("c47101a02e10f372", "c47101a02e10f372", "c47101a02e10f372", "c47101a02e10f372"),
    (2, "encode_full", "-"): ("24695d25ca9f7cea", "341849cc5073f351", "8570b8433ad4f980", "fd193c20183d710d"),
    (2, "encode_delta", "all"): ("123d930c43922fba", "8285df30130a9bab", "ec9d25663c8fb78d", "1432045f101f3150"),
    (2, "encode_delta_sparse", "all"): ("8ea10c1432c62f09", "535d22a61a4a51a4", "8b83a0eef198390f", "b54ba09c56f9f802"),
    (2, "encode_delta", "ten"): ("99aeb4511e8e35eb", "8615745e1c21d946", "2d46accc65541a75", "2326166129e39def"),
    (2, "encode_delta_sparse", "ten"): ("78d425cb1971fe0f", "02ae2dadc8c65eb9", "e65861f573f3d428", "8fa74b5bf9ab4bb1"),
    (2, "encode_delta", "none"): ("f6a5559eb88a353d", "f6a5559eb88a353d", "f6a5559eb88a353d", "f6a5559eb88a353d"),
}
_POSITION = Fixed(min_q=-100_000, max_q=100_000, scale=100)
_VELOCITY = Fixed(min_q=-10_000, max_q=10_000, scale=100)


class Player(Replicated, id=1):
    """The one component of the workload."""

    pos0: Annotated[float, _POSITION]
    pos1: Annotated[float, _POSITION]
    pos2: Annotated[float, _POSITION]
    vel0: Annotated[float, _VELOCITY]
    vel1: Annotated[float, _VELOCITY]
    vel2: Annotated[float, _VELOCITY]
    yaw: Annotated[int, UInt(12)]
    health: Annotated[int, UInt(8)]
    b0: Annotated[bool, Bool()]
    b1: Annotated[bool, Bool()]


PLAYER = schema_of(Player)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One measurement."""

    name: str
    entities: int
    microseconds: float
    """Median microseconds of the rounds."""
    best: float
    """Microseconds of the best round."""
    target: float
    """Most microseconds, on a machine where the fighter's C loop takes 6 ns per step."""

    @property
    def kept(self) -> bool:
        return self.microseconds <= self.target


def world(count: int, dirty: str, tick: int) -> Snapshot:
    """The workload; ``dirty`` selects the changed entities: none, a tenth or all."""
    entities: dict[int, dict[int, tuple[Any, ...]]] = {}
    for e in range(1, count + 1):
        moved = dirty == "all" or (dirty == "tenth" and e % 10 == 0)
        position = [(e * 7919 + k * 104729) % 180001 - 90000 + (7 + k) * moved for k in range(3)]
        velocity = [(e * 6007 + k * 15485863) % 18001 - 9000 - (3 + k) * moved for k in range(3)]
        rest = ((e * 37 + moved) % 4096, e * 11 % 256, e % 2 == 0, e % 3 == 0)
        entities[e] = {1: (*position, *velocity, *rest)}
    return Snapshot.of(PLAYER, tick=tick, entities=entities)


def _digest(packet: bytes) -> str:
    from blake3 import blake3

    return blake3(packet).hexdigest()[:16]


def prove() -> int:
    """Check every published digest and return their number; RetickError if one differs."""
    checked = 0
    for (version, operation, case), digests in DIGESTS.items():
        codec = Codec(PLAYER, version=version)
        for count, digest in zip(COUNTS, digests, strict=True):
            base = world(count, "none", 100)
            if operation == "encode_full":
                packet = codec.encode_full(base)
            else:
                current = world(count, {"all": "all", "ten": "tenth", "none": "none"}[case], 101)
                packet = codec.encode_delta(base, current, packed=operation == "encode_delta_sparse")
            if _digest(packet) != digest:
                raise RetickError(f"v{version} {operation} {case} of {count} entities has other bytes than published")
            checked += 1
    return checked


def _time(call: Callable[[], object], rounds: int) -> tuple[float, float]:
    """Median and best microseconds of a call, each round long enough for the clock."""
    started = time.perf_counter()
    call()
    once = max(time.perf_counter() - started, 1e-7)
    times = max(1, int(0.001 / once))
    found = []
    for _ in range(rounds):
        started = time.perf_counter()
        for _ in range(times):
            call()
        found.append((time.perf_counter() - started) / times * 1e6)
    return statistics.median(found), min(found)


def _integers(values: Any, code: str) -> Any:
    """A column of a game: a NumPy array, or without NumPy an ``array``."""
    if find_spec("numpy") is None:
        return array(code, values)
    import numpy as np

    return np.array(values, dtype=code)


def _columns(snapshot: Snapshot) -> dict[str, Any]:
    """Ids and columns for from_columns and BoundColumns."""
    fields = PLAYER.components[0].fields
    columns = {1: [_integers(list(snapshot.column(1, field.id)), "q") for field in fields]}
    return {"ids": _integers(snapshot.ids, "I"), "columns": columns}


def _calls(codec: Codec, count: int) -> dict[str, Callable[[], object]]:
    """The workloads of one count, by the names of TARGETS."""
    base, every, tenth = (world(count, dirty, 100 + (dirty != "none")) for dirty in ("none", "all", "tenth"))
    full = codec.encode_full(base)
    packets = {"all": codec.encode_delta(base, every), "tenth": codec.encode_delta(base, tenth)}
    given = {"full": _columns(base), "all": _columns(every), "tenth": _columns(tenth)}
    bound, into = BoundColumns(PLAYER, **given["tenth"]), BoundColumns(PLAYER, **_columns(base))
    mapping = tenth.to_dict()
    objects = objects_of_snapshot(tenth, Player)

    def made(name: str) -> Snapshot:
        return Snapshot.from_columns(PLAYER, tick=101, **given[name])

    return {
        "columns: make, encode full": lambda: codec.encode_full(made("full")),
        "columns: make, encode all": lambda: codec.encode_delta(base, made("all")),
        "columns: make, encode tenth": lambda: codec.encode_delta(base, made("tenth")),
        "bound: make, encode tenth": lambda: codec.encode_delta(base, bound.snapshot(tick=101)),
        "bound: decode full, load": lambda: into.load(codec.decode_full(full)),
        "bound: apply all, load": lambda: into.load(codec.apply_delta(base, packets["all"])),
        "bound: apply tenth, load": lambda: into.load(codec.apply_delta(base, packets["tenth"])),
        "mapping: make, encode tenth": lambda: codec.encode_delta(
            base, Snapshot.of(PLAYER, tick=101, entities=mapping)
        ),
        "objects: make, encode tenth": lambda: codec.encode_delta(
            base, snapshot_of_objects(PLAYER, tick=101, entities=objects)
        ),
    }


def measure_snapshot(rounds: int, tell: Callable[[str], None], *, slow: float = 1.0) -> list[Line]:
    """Measure every workload at every count, one receiver with a budget, and a server's tick for many receivers.

    Targets are multiplied by ``slow``.
    """
    lines = []
    codec = Codec(PLAYER)
    for column, count in enumerate(COUNTS):
        tell(f"{count} entities")
        calls = _calls(codec, count)
        for name, targets in TARGETS.items():
            median, best = _time(calls[name], rounds)
            line = Line(name=name, entities=count, microseconds=median, best=best, target=slow * targets[column])
            lines.append(line)
    tell("interest")
    lines.append(_interest(codec, rounds, slow))
    tell(f"{RECEIVERS} receivers")
    lines.append(_receivers(codec, rounds, slow))
    return lines


def _interest(codec: Codec, rounds: int, slow: float) -> Line:
    """Measure one receiver that sees 1000 entities, a tenth changed, with a budget that does not fit them all."""
    base, current = world(1000, "none", 100), world(1000, "tenth", 101)
    visible = {entity: 1.0 + entity % 7 for entity in base.ids}
    interest = Interest(codec, budget=BUDGET)
    median, best = _time(lambda: interest.encode(base, current, visible), rounds)
    return Line(name="interest", entities=1000, microseconds=median, best=best, target=slow * INTEREST_TARGET)


def _receivers(codec: Codec, rounds: int, slow: float) -> Line:
    """Measure one tick of 1000 entities, a tenth changed, for receivers with different baselines."""
    current = world(1000, "tenth", 101)
    bases = [world(1000, "none", 100) for _ in range(RECEIVERS)]

    def tick() -> None:
        fanout = Fanout(codec, current)
        for base in bases:
            fanout.packet(base)

    median, best = _time(tick, max(3, rounds // 3))
    return Line(
        name=f"{RECEIVERS} receivers", entities=1000, microseconds=median, best=best, target=slow * 1000 * RECEIVERS_MS
    )


def bench_snapshot(
    rounds: Annotated[int, typer.Option(help="Rounds of each measurement; the median counts.")] = 31,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Exit with 1 if a target is missed.")] = False,
    trace: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Measure compact deltas on a trace instead (raw or .xz)."),
    ] = None,
    entities: Annotated[int, typer.Option(help="Entities of each frame of the trace.")] = TRACE_ENTITIES,
    prior: Annotated[Path | None, typer.Option(metavar="FILE", help="Prior for the trace; else the library's.")] = None,
    schema: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Schema of the trace with other groups, as JSON.")
    ] = None,
    checked: Annotated[bool, typer.Option("--checked", help="With the check against corruption.")] = False,
) -> None:
    """Time making, encoding, decoding and applying snapshots of 16 to 1000 entities, from and into a game's own data.

    With --trace: bytes a frame and microseconds each way of carried, stateless and plain deltas. Frame i is coded
    against frame i-6, predicted from frames up to that one, decoded again and compared.

    Exit code 0: measured. 1: a target is missed, with --check. 2: misuse, or a trace or prior that cannot be read.

    Example: python -m benchmarks snapshot --rounds 61 --check

    Example: python -m benchmarks snapshot --trace delta.bin.xz
    """
    if trace is not None:
        if check:
            raise UsageError("a trace has no targets: leave --check out, or --trace")
        if trace.is_dir():
            raise UsageError(
                f"{trace} is a folder: --trace takes a file; retick snapshot explain reads folders of packets"
            )
        _bench_trace(trace, schema, entities, prior, checked, as_json)
        return
    if checked or entities != TRACE_ENTITIES or prior is not None or schema is not None:
        raise UsageError("--entities, --prior, --schema and --checked are for a trace: --trace FILE")
    if rounds < 1:
        raise UsageError(f"--rounds must be 1 or more, not {rounds}")
    with progress("bench snapshot") as tell:
        proven = prove()
        c_loop = c_loop_ns()
        lines = measure_snapshot(rounds, tell, slow=slowness(c_loop))
    if as_json:
        found = [{**asdict(line), "kept": line.kept} for line in lines]
        document = {"digests": proven, "compiled": is_compiled(), "c_loop_ns": c_loop, "lines": found}
        say_json(document, indent=2)
    else:
        _print(Screen(), lines, proven, c_loop)
    if check and not all(line.kept for line in lines):
        raise typer.Exit(NO)


def _bench_trace(
    trace: Path, schema_file: Path | None, entities: int, prior: Path | None, checked: bool, as_json: bool
) -> None:
    with progress("bench snapshot") as tell:
        tell(f"reading {trace.name}")
        schema, snapshots, _left_out = read_source(trace, schema_file, entities)
        used = read_prior(prior)
        say_if_of_another_plan(prior, used, schema)
        if len(snapshots) <= TRACE_LAG:
            raise UsageError(f"{trace} has {len(snapshots)} frames: more than {TRACE_LAG} are needed")
        tell(f"{len(snapshots)} frames")
        found = scores(schema, snapshots, TRACE_LAG, used, checked)
        c_loop = c_loop_ns()
    if as_json:
        document = {"compiled": is_compiled(), "c_loop_ns": c_loop, "counted": counted(checked)}
        say_json({**document, "scores": [one._asdict() for one in found]}, indent=2)
        return
    title = f"{len(snapshots) - TRACE_LAG} packets, each against frame i-{TRACE_LAG}; {counted(checked)}"
    table = Table(title=title, title_justify="left")
    for name in ("coder", "bytes", "encode µs", "decode µs"):
        table.add_column(name, justify="left" if name == "coder" else "right", no_wrap=True)
    for one in found:
        table.add_row(one.name, f"{one.bytes:,.1f}", f"{one.encode_us:,.1f}", f"{one.decode_us:,.1f}")
    console = Screen()
    console.print(table)
    speed = "unknown here" if c_loop is None else f"{c_loop:.1f} ns a step here"
    console.print(f"processor time of one thread; every packet decoded and compared; the fighter's C loop: {speed}")


def _print(console: Screen, lines: list[Line], proven: int, c_loop: float | None) -> None:
    table = Table(title="microseconds, median", title_justify="left")
    for name in ("workload", "entities", "here", "best", "target", ""):
        table.add_column(name, justify="left" if name in ("workload", "") else "right", no_wrap=True)
    for line in lines:
        verdict = "ok" if line.kept else Text("missed", "bold red")
        here, best = f"{line.microseconds:,.2f}", f"{line.best:,.2f}"
        table.add_row(line.name, str(line.entities), here, best, f"{line.target:,.2f}", verdict)
    console.print(table)
    form = "compiled" if is_compiled() else "pure Python"
    arrays = "array.array" if find_spec("numpy") is None else "NumPy arrays"
    console.print(f"{proven} packets have the published digests; {form} kernels; columns are {arrays}")
    console.print(yardstick(c_loop))
