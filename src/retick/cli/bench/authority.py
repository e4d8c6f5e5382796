"""``retick bench authority``: scenario B, bytes of snapshots, load on one core, and a very bad link."""

# retick: floats -- measurements

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from math import inf
from typing import Annotated, Any, Final

import typer
from rich.table import Table
from rich.text import Text

from retick.authority import ClientConfig, InputStats, PlayerView
from retick.authority.delta import DeltaCodec
from retick.cli.bench.authority_load import Load, measure_load
from retick.cli.bench.progress import progress
from retick.cli.exit_codes import NO
from retick.cli.terminal import Screen, say_json
from retick.errors import UsageError
from retick.games.runner import CourseBot, NetRunner, RunnerState
from retick.testing.scenario_b import Check, Measured, checks, run_scenario
from retick.testing.weather import run_weather

__all__ = ["PARTS", "AuthorityPlan", "AuthorityReport", "bench_authority", "measure_authority"]

PARTS: Final = ("scenario", "bandwidth", "load", "weather")
TICK_MS: Final = 1000 / 60
MEMORY_BOUND: Final = 262144


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorityPlan:
    """What to run, and for how long."""

    parts: Sequence[str] = PARTS
    seeds: int = 6
    seconds: float = 180.0
    """Simulated seconds of scenario B, played twice for each seed."""
    rooms: int = 8
    load_seconds: float = 10.0
    weather_seconds: float = 300.0
    sealed: bool = True
    """Links of the load run."""


@dataclass(slots=True)
class AuthorityReport:
    """The rows of each part that was asked for."""

    checks: dict[str, list[Check]] = field(default_factory=dict)

    @property
    def kept(self) -> bool:
        return all(check.kept for rows in self.checks.values() for check in rows)

    def to_json(self) -> dict[str, Any]:
        return {part: [asdict(check) for check in rows] for part, rows in self.checks.items()}


def measure_authority(plan: AuthorityPlan, progress: Callable[[str], None]) -> AuthorityReport:
    report = AuthorityReport()
    runs: dict[str, Callable[[], list[Check]]] = {
        "scenario": lambda: _scenario(plan, progress),
        "bandwidth": lambda: _bandwidth(progress),
        "load": lambda: _load(plan, progress),
        "weather": lambda: _weather(plan, progress),
    }
    for part in plan.parts:
        report.checks[part] = runs[part]()
    return report


def _row(name: str, value: str, bound: str, kept: bool = True) -> Check:
    return Check(name=name, value=value, bound=bound, kept=kept)


def _scenario(plan: AuthorityPlan, progress: Callable[[str], None]) -> list[Check]:
    found: dict[bool, list[Measured]] = {False: [], True: []}
    for seed in range(1, plan.seeds + 1):
        for reset, runs in found.items():
            progress(f"scenario B, seed {seed} of {plan.seeds}, {'the old reset' if reset else 'restored'}")
            runs += run_scenario(seed, seconds=plan.seconds, config=ClientConfig(reset_on_reconcile=reset))
    return checks(found[False], found[True])


def _crowd(players: int, ticks: int) -> list[list[PlayerView[RunnerState]]]:
    """Bots on the course: everyone's view at each snapshot."""
    net = NetRunner()
    bots = [(CourseBot(seed), net.builder()) for seed in range(players)]
    states = [net.motor.spawn(2 + seed) for seed in range(players)]
    frames = []
    for tick in range(1, ticks + 1):
        for index, (bot, builder) in enumerate(bots):
            intent = bot.decide(states[index])
            builder.sample(intent, states[index])
            states[index] = net.motor.step(states[index], builder.build(intent, seq=tick, tick=tick, epoch=1))
        if tick % 3 == 0:
            stats = InputStats(tick * 2, 0, tick, 1, 2, 0, 3, 6, 130 + tick % 7, 8 + tick % 5)
            frames.append([PlayerView(2 + index, tick, state, stats) for index, state in enumerate(states)])
    return frames


def _bandwidth(progress: Callable[[str], None]) -> list[Check]:
    """Sixteen runners for 90 seconds on sealed links, each snapshot acknowledged after 150 ms."""
    progress("bytes of snapshots")
    codec = DeltaCodec(NetRunner().layout, sealed=True)
    sizes = []
    ends = [(codec.sender(compact=True), codec.receiver(compact=True)) for _ in range(16)]
    for number, views in enumerate(_crowd(16, 5400)):
        shared = codec.share(3 * number + 3, views)
        for index, (sender, receiver) in enumerate(ends):
            data = sender.encode(shared, 2 + index)
            receiver.decode(data, 2 + index)
            sender.acknowledge(3 * (number - 3) + 3)
            if number > 60:
                sizes.append(len(data))
    sizes.sort()
    mean, p95 = sum(sizes) / len(sizes), sizes[int(len(sizes) * 0.95)]
    return [
        _row("snapshot of 16 runners, mean", f"{mean:.0f} bytes", "<= 150, fixed 1398", mean <= 150),
        _row("... 95th percentile", f"{p95} bytes", "< 220", p95 < 220),
        _row("... largest", f"{sizes[-1]} bytes", "reported"),
        _row("down, a client at 20 a second", f"{(mean + 24 + 28) * 20 / 1000:.1f} kB/s", "reported, all headers"),
    ]


def _load(plan: AuthorityPlan, progress: Callable[[str], None]) -> list[Check]:
    load = measure_load(rooms=plan.rooms, seconds=plan.load_seconds, sealed=plan.sealed, progress=progress)
    p99, work = load.at(load.ticks, 0.99) * 1000, load.at(load.work, 0.99) * 1000
    total = plan.rooms * load.players
    return [
        _row("links", "sealed" if plan.sealed else "plain", "reported"),
        _row("players on one core", f"{load.joined} in {plan.rooms} rooms", f"{total}", load.joined == total),
        _row("tick p99, by the wall", f"{p99:.2f} ms", f"<= {TICK_MS:.1f} ms", p99 <= TICK_MS),
        _row("tick p99, own time", f"{work:.2f} ms", f"<= {TICK_MS:.1f} ms", work <= TICK_MS),
        _row("done after due, p99", f"{load.at(load.lateness, 0.99) * 1000:.2f} ms", "reported"),
        _row("ticks skipped", f"{load.skipped_ticks}", "reported"),
        _row("worst player's ticks on a command", f"{load.least_buffered:.2%}", ">= 98 %", load.least_buffered >= 0.98),
        *_where_time_goes(load),
    ]


def _where_time_goes(load: Load) -> list[Check]:
    rows = [_row("core busy", f"{load.busy:.1%}", "reported")]
    for name, seconds in load.spent.items():
        rows.append(_row(f"... {name}", f"{seconds / load.seconds:.1%}", "reported"))
    rows.append(_row("datagrams in", f"{load.datagrams / load.seconds:,.0f} a second", "reported"))
    rows.append(_row("bytes of a snapshot", f"{load.snapshot_bytes:.0f}", "reported"))
    rows.append(_row("other processes", "kept out" if load.ahead else "in the figures", "reported"))
    return rows


def _weather(plan: AuthorityPlan, progress: Callable[[str], None]) -> list[Check]:
    progress(f"bad weather: {plan.weather_seconds:g} s of burst loss, 250 ms and stops")
    found = run_weather(1, seconds=plan.weather_seconds, measure_memory=True)
    return [
        _row("datagrams lost", f"{found.loss:.1%}", "about 20 %"),
        _row("clients stuck", f"{found.stuck}", "0", found.stuck == 0),
        _row("longest time between acks", f"{found.longest_gap:.2f} s", "reported"),
        _row("pending commands, most", f"{found.pending}", "<= 256", found.pending <= 256),
        _row("resyncs, rejoins", f"{found.resyncs}, {found.rejoins}", "reported"),
        _row(
            "memory, second half", f"{found.memory_growth:+,} bytes", "<= 262,144", found.memory_growth <= MEMORY_BOUND
        ),
        _row("last correction after clearing", f"{found.healed_after:.2f} s", "<= 2 s", found.healed_after <= 2.0),
        _row("corrections after two seconds", f"{found.late_corrections}", "0", found.late_corrections == 0),
    ]


def bench_authority(
    part: Annotated[
        list[str] | None, typer.Option(help=f"Only this part, of {', '.join(PARTS)}; may be repeated.")
    ] = None,
    seeds: Annotated[int, typer.Option(help="Seeds of scenario B.")] = 6,
    seconds: Annotated[float, typer.Option(help="Simulated seconds of scenario B for each seed.")] = 180.0,
    rooms: Annotated[int, typer.Option(help="Rooms of sixteen players in the load run.")] = 8,
    load_seconds: Annotated[float, typer.Option(help="Seconds of the load run.")] = 10.0,
    weather_seconds: Annotated[float, typer.Option(help="Simulated seconds of the very bad link.")] = 300.0,
    plain: Annotated[bool, typer.Option("--plain", help="Unsealed links in the load run.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Exit with 1 if a bound is missed.")] = False,
) -> None:
    """Measure the server model: scenario B, bytes of snapshots, load on one core, and a very bad link.

    Exit code 0: measured. 1: a bound is missed, with --check. 2: misuse.

    Example: retick bench authority --part scenario --seeds 2 --seconds 60
    """
    parts = tuple(part or PARTS)
    unknown = [name for name in parts if name not in PARTS]
    if unknown:
        raise UsageError(f"--part must be one of {', '.join(PARTS)}, not {unknown[0]}")
    least = ((seconds, 15), (load_seconds, 1), (weather_seconds, 30))
    if seeds < 1 or rooms < 1 or not all(low <= value < inf for value, low in least):
        raise UsageError("--seeds, --rooms and --load-seconds must be 1 or more, --seconds 15, --weather-seconds 30")
    plan = AuthorityPlan(
        parts=parts,
        seeds=seeds,
        seconds=seconds,
        rooms=rooms,
        load_seconds=load_seconds,
        weather_seconds=weather_seconds,
        sealed=not plain,
    )
    with progress("bench authority") as tell:
        report = measure_authority(plan, tell)
    if as_json:
        say_json(report.to_json(), indent=2)
    else:
        console = Screen()
        for name, rows in report.checks.items():
            console.print(_checks_table(name, rows))
    if check and not report.kept:
        raise typer.Exit(NO)


def _checks_table(title: str, rows: list[Check]) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column("figure")
    table.add_column("measured", justify="right")
    table.add_column("bound")
    table.add_column("")
    for row in rows:
        mark = "" if row.bound.startswith("reported") else "ok" if row.kept else Text("missed", "bold red")
        table.add_row(row.name, row.value, row.bound, mark)
    return table
