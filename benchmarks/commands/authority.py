"""``python -m benchmarks authority``: scenario B, bytes of snapshots, load on one core, and a very bad link."""

import os
import select
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from math import inf
from typing import Annotated, Any, Final

import typer
from rich.table import Table
from rich.text import Text
from tests.checkers.scenario_b import Check, Measured, checks, run_scenario
from tests.checkers.weather import run_weather

from benchmarks.commands.cpu_pinning import PinnedToCore
from benchmarks.commands.processes import start_benchmark
from benchmarks.commands.progress import progress
from retick.authority import InputStats
from retick.cli.exit_codes import NO
from retick.cli.terminal import Screen, say_json
from retick.errors import UsageError
from retick.games.runner import CourseBot, RunnerState
from retick.netrunner import ClientConfig, NetRunner, PlayerView, Server, ServerConfig
from retick.netrunner.delta import DeltaCodec
from retick.netrunner.server.room import Room
from retick.transport.poll import send_waiting
from retick.transport.udp import UdpSocket, open_udp

__all__ = [
    "PARTS",
    "AuthorityPlan",
    "AuthorityReport",
    "Load",
    "bench_authority",
    "measure_authority",
    "measure_load",
]


# The load run: a server on real UDP, senders in another process, and the time of each part of the server.

# retick: floats -- times


JOIN_SECONDS: Final = 30.0
"""Seconds in which all players must have joined."""
SETTLING: Final = 2.0
"""Seconds for clocks and delays to settle after the join."""
DRAIN: Final = 1024
"""Datagrams read before a tick; with fewer, a late server could not catch up with its players' commands."""
LOAD_PARTS: Final = ("receive", "tick", "snapshots", "send")
"""The parts of the server whose time is measured."""


@dataclass(slots=True)
class Load:
    """The figures of one run, all for the server's process."""

    rooms: int
    players: int
    """Players in each room."""
    joined: int = 0
    ticks: list[float] = field(default_factory=list)
    """Real time of each tick of all rooms in seconds, including the snapshots and sending them."""
    work: list[float] = field(default_factory=list)
    """CPU time of each tick in seconds, to which other processes add nothing."""
    lateness: list[float] = field(default_factory=list)
    """Seconds from the time a tick was due to the time it was done."""
    spent: dict[str, float] = field(default_factory=lambda: dict.fromkeys(LOAD_PARTS, 0.0))
    """Seconds of CPU time of this thread, by part."""
    seconds: float = 0.0
    """Duration of the measurement in seconds."""
    datagrams: int = 0
    """Datagrams received."""
    snapshot_bytes: float = 0.0
    """Mean size of a snapshot."""
    skipped_ticks: int = 0
    """Ticks that a late server left out."""
    least_buffered: float = 0.0
    """Share of ticks for which the worst player's command had arrived in time."""
    ahead: bool = False
    """Whether the server had real-time priority, so that other processes are not in the figures."""

    @property
    def busy(self) -> float:
        """CPU load as a share of one core."""
        return sum(self.spent.values()) / max(1e-9, self.seconds)

    def at(self, values: list[float], share: float) -> float:
        """A percentile of ``values``; ``share`` is 0 to 1."""
        return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else 0.0


def measure_load(
    *,
    rooms: int = 8,
    players: int = 16,
    seconds: float = 10.0,
    sealed: bool = True,
    progress: Callable[[str], None] = lambda text: None,
) -> Load:
    """Serve the senders for so many seconds after all have joined."""
    names = tuple(f"room {number}" for number in range(rooms))
    server = Server(NetRunner(), entropy=os.urandom, config=ServerConfig(rooms=names), sealed=sealed)
    socket = open_udp("127.0.0.1", 0)
    child = start_benchmark(
        "authority_senders", "--port", str(socket.address[1]), "--rooms", str(rooms),
        "--players", str(players), "--seconds", str(seconds + JOIN_SECONDS + SETTLING),
        *(() if sealed else ("--plain",)),
    )  # fmt: skip
    load = Load(rooms, players)
    try:
        with PinnedToCore(0) as place:
            load.ahead = place.is_ahead
            _measure(server, socket, load, seconds, progress)
    finally:
        child.terminate()
        child.communicate()
        socket.close()
    return load


def _measure(server: Server, socket: UdpSocket, load: Load, seconds: float, progress: Callable[[str], None]) -> None:
    rooms, players = load.rooms, load.players
    progress(f"{rooms} rooms of {players}: players join")
    waited = 0.0
    while _seated(server) < rooms * players and waited < JOIN_SECONDS:
        _serve(server, socket, 0.5, Load(rooms, players))
        waited += 0.5
    _serve(server, socket, SETTLING, Load(rooms, players))
    before = {room.name: _buffered(room) for room in server.rooms.values()}
    progress(f"{rooms} rooms of {players}: {seconds:g} s")
    skipped = server.skipped_ticks
    _serve(server, socket, seconds, load)
    load.skipped_ticks = server.skipped_ticks - skipped
    load.joined = _seated(server)
    load.least_buffered = min((_worst(room, before[room.name]) for room in server.rooms.values()), default=0.0)
    sent = [room.stats for room in server.rooms.values()]
    load.snapshot_bytes = sum(s.snapshot_bytes for s in sent) / max(1, sum(s.snapshots for s in sent))


def _seated(server: Server) -> int:
    return sum(len(room.players) for room in server.rooms.values())


def _buffered(room: Room) -> dict[int, tuple[int, int]]:
    return {peer: (player.stats.ticks_buffered, room.tick) for peer, player in room.players.items()}


def _worst(room: Room, before: dict[int, tuple[int, int]]) -> float:
    shares = []
    for peer, player in room.players.items():
        buffered, tick = before.get(peer, (0, 0))
        shares.append((player.stats.ticks_buffered - buffered) / max(1, room.tick - tick))
    return min(shares, default=0.0)


def _serve(server: Server, socket: UdpSocket, seconds: float, load: Load) -> None:
    """Run the server's loop with a clock around each part."""
    clock, own, spent = time.perf_counter, time.thread_time, load.spent
    restore = _timed_snapshots(server, spent)
    first = next(iter(server.rooms.values()))
    started = clock()
    while (now := clock()) < started + seconds:
        due = server.next_timeout() or now
        if due > now:
            select.select([socket.fileno()], [], [], due - now)
        begun = own()
        load.datagrams += _receive(server, socket, clock())
        received = own()
        spent["receive"] += received - begun
        now = clock()
        if due <= now:
            before, tick = spent["snapshots"], first.tick
            server.handle_timeout(now=now)
            ticked = own()
            spent["tick"] += ticked - received - (spent["snapshots"] - before)
            send_waiting(socket, server, now)
            sent = own()
            spent["send"] += sent - ticked
            if first.tick > tick:
                load.ticks.append(clock() - now)
                load.work.append((sent - received) / (first.tick - tick))
                load.lateness.append(clock() - due)
        server.events()
    load.seconds = clock() - started
    restore()


def _receive(server: Server, socket: UdpSocket, now: float) -> int:
    for count in range(DRAIN):
        found = socket.receive()
        if found is None:
            return count
        server.receive_datagram(found[0], found[1], now=now)
    return DRAIN


def _timed_snapshots(server: Server, spent: dict[str, float]) -> Callable[[], None]:
    """Put a clock around the making of snapshots; call the result to remove it."""
    clock = time.thread_time
    plain = Room._send_snapshots

    def timed(room: Room) -> None:
        begun = clock()
        plain(room)
        spent["snapshots"] += clock() - begun

    for room in server.rooms.values():
        room._send_snapshots = timed.__get__(room)  # type: ignore[method-assign]  # measured, not changed

    def restore() -> None:
        for room in server.rooms.values():
            del room._send_snapshots

    return restore


# retick: floats -- measurements


PARTS: Final = ("scenario", "bandwidth", "load", "weather")
TICK_MS: Final = 1000 / 60
MEMORY_BOUND: Final = 262144


@dataclass(frozen=True, slots=True, kw_only=True)
class AuthorityPlan:
    """The parts to run, and their duration."""

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
    """The rows of each requested part."""

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
    """Let bots run the course; the view of all players at each snapshot."""
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
    """Measure sixteen runners for 90 seconds on sealed links, with snapshots acknowledged after 150 ms."""
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

    Example: python -m benchmarks authority --part scenario --seeds 2 --seconds 60
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
