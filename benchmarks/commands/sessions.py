"""``python -m benchmarks sessions``: the cost of a session, and how many of them one process can run in time."""

import multiprocessing
import time
from dataclasses import dataclass
from typing import Annotated

import typer

from benchmarks.commands.cpu_pinning import PinnedToCore
from benchmarks.commands.native import c_loop_ns, slowness, yardstick
from benchmarks.commands.progress import progress
from benchmarks.commands.recorded_calls import DRIVER
from benchmarks.commands.session_fleet import Fleet, run_joiners
from benchmarks.commands.session_overhead import Overhead, engine_alone, link_alone, measure_overhead, packets_alone
from benchmarks.commands.session_traffic import Traffic, measure_traffic
from retick._kernels import is_compiled
from retick.cli.exit_codes import NO
from retick.cli.terminal import say
from retick.errors import RetickError

__all__ = ["Holding", "bench_sessions", "hold_sessions"]

MOST_OVERHEAD = {(2, False): 1.8, (2, True): 3.7, (8, False): 9.5}
"""Targets in microseconds per frame and peer, by players and whether links are sealed, on a machine where the
fighter's C loop takes TARGETS_NS a step."""
MOST_BYTES = {(2, False): 2000.0, (2, True): 3000.0, (8, False): 14_000.0}
"""Targets of UDP payload per second and player."""
LATEST_MS = 4.0
"""Bound of the lateness of 99 % of the frames."""
SETTLING_SECONDS = 2.0
CONNECTING_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """Figures of one process that runs one peer of many matches."""

    sessions: int
    frames: int
    """Frames that all sessions together have run."""
    seconds: float
    """Duration of the measurement in seconds."""
    median_ms: float
    """Lateness of frames in milliseconds."""
    p99_ms: float
    worst_ms: float
    busy: float
    """CPU load of the process as a share of one core."""
    stalls: int
    """Number of waits of sessions for inputs."""
    ahead: bool
    """Whether the process had real-time priority, so that other processes are not in the figures."""


def hold_sessions(count: int, seconds: float) -> Holding:
    """Play matches over loopback UDP, with the other peers in a second process."""
    fleet = Fleet(None, count)
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    lifetime = CONNECTING_SECONDS + SETTLING_SECONDS + seconds + 5.0
    process = context.Process(target=run_joiners, args=(theirs, fleet.addresses, lifetime), daemon=True)
    process.start()
    try:
        if not ours.poll(CONNECTING_SECONDS):
            raise RetickError("the second process did not start")
        with PinnedToCore(0) as place:
            return _hold(fleet, count, seconds, place.is_ahead)
    finally:
        fleet.close()
        process.terminate()
        process.join()


def _hold(fleet: Fleet, count: int, seconds: float, ahead: bool) -> Holding:
    fleet.run(CONNECTING_SECONDS, until_all_run=True)
    if fleet.running < count:
        raise RetickError(f"only {fleet.running} of {count} matches began within {CONNECTING_SECONDS:.0f} s")
    fleet.prepare_to_measure()
    fleet.run(SETTLING_SECONDS)
    fleet.measuring = True
    busy, started = time.process_time(), time.monotonic()
    fleet.run(seconds)
    return _holding(fleet, count, time.monotonic() - started, time.process_time() - busy, ahead)


def _holding(fleet: Fleet, count: int, seconds: float, busy: float, ahead: bool) -> Holding:
    late = sorted(fleet.late)
    if not late:
        raise RetickError("no frame was run while measuring")
    now = time.monotonic()
    return Holding(
        sessions=count,
        frames=len(late),
        seconds=seconds,
        median_ms=late[len(late) // 2] * 1e3,
        p99_ms=late[len(late) * 99 // 100] * 1e3,
        worst_ms=late[-1] * 1e3,
        busy=busy / seconds,
        stalls=sum(member.session.stats(now=now).stalls for member in fleet.members if member.session.running),
        ahead=ahead,
    )


def bench_sessions(
    sessions: Annotated[
        int, typer.Option(min=1, max=2000, help="Matches of which one peer runs in this process.")
    ] = 300,
    seconds: Annotated[float, typer.Option(min=1.0, help="Seconds in which lateness is measured.")] = 10.0,
    stretches: Annotated[
        int, typer.Option(min=3, help="Stretches of two seconds in which the overhead is measured.")
    ] = 40,
    check: Annotated[bool, typer.Option("--check", help="Exit with 1 if a target is missed.")] = False,
) -> None:
    """Measure a session's own cost over plain and sealed links, then run many sealed sessions over loopback UDP.

    Exit code 0: measured. 1: a target is missed, with --check. 2: misuse.

    Example: python -m benchmarks sessions --sessions 300 --seconds 20
    """
    with progress("bench sessions") as tell:
        overheads = [
            measure_overhead(players, sealed=sealed, stretches=max(2 * stretches // players, 3), tell=tell)
            for players, sealed in MOST_OVERHEAD
        ]
        parts = {"link": link_alone(), "packets": packets_alone(), "engine": engine_alone()}
        tell("traffic")
        traffic = measure_traffic()
        loop = c_loop_ns()
    # No progress line: a spinner would take time from the sessions, and be part of the figure.
    holding = hold_sessions(sessions, seconds)
    say(f"driver loop: {DRIVER}; its own cost is taken off")
    say(yardstick(loop))
    slow = slowness(loop)
    kept = [_print_overhead(each, slow, parts if each.players == 2 and not each.sealed else {}) for each in overheads]
    kept.append(_print_traffic(traffic))
    kept.append(_print_holding(holding))
    if check and not all(kept):
        raise typer.Exit(NO)


def _print_overhead(each: Overhead, slow: float, parts: dict[str, float]) -> bool:
    most, octets = slow * MOST_OVERHEAD[each.players, each.sealed], MOST_BYTES[each.players, each.sealed]
    kept = each.total <= most and each.octets <= octets
    form = "compiled" if is_compiled() else "pure Python"
    links = "sealed" if each.sealed else "plain"
    say(f"{each.players} players at 60 Hz, 100 ms, 5 % loss, {links} links, {form} kernels; a frame and peer:")
    verdict = "ok" if each.total <= most else "MISSED"
    say(f"{'alone, without steps':>22}  {each.total:7.2f} us  at most {most:.1f}  {verdict}")
    say(f"{'interleaved':>22}  {each.interleaved:7.2f} us  all sessions of the match in turn")
    say(f"{'the steps themselves':>22}  {each.steps:7.2f} us")
    say(f"{'the driver loop':>22}  {each.driver:7.2f} us  in no other figure")
    for name, cost in sorted(each.by_call.items(), key=lambda item: -item[1]):
        say(f"{name:>22}  {cost:7.2f} us")
    for name, cost in parts.items():
        say(f"{name + ' alone':>22}  {cost:7.2f} us")
    if parts:
        rest = each.total - sum(parts.values())
        noisy = "" if rest >= 0 else "  the parts exceed the whole: other programs disturb the figures"
        say(f"{'the rest: session':>22}  {rest:7.2f} us{noisy}")
    wire = f"{each.packets:.0f} packets, {each.octets:,.0f} bytes a second and player"
    say(f"{'on the wire':>22}  {wire}, at most {octets:,.0f}  {'ok' if each.octets <= octets else 'MISSED'}")
    return kept


def _print_traffic(traffic: list[Traffic]) -> bool:
    say("UDP payload of a peer of two a second, 5 % loss, plain links:")
    for each in traffic:
        verdict = "ok" if each.octets <= each.most else "MISSED"
        say(f"  {each.name}: {each.packets:.0f} packets, {each.octets:,.0f} bytes, at most {each.most:,.0f}  {verdict}")
    return all(each.octets <= each.most for each in traffic)


def _print_holding(holding: Holding) -> bool:
    kept = holding.p99_ms < LATEST_MS
    wanted = holding.sessions * 60 * holding.seconds
    say(f"{holding.sessions} sessions in one process over loopback UDP, for {holding.seconds:.0f} s:")
    say(f"{'frames run':>22}  {holding.frames:,}, {100 * holding.frames / wanted:.1f} % of 60 a second each")
    late = f"median {holding.median_ms:.2f}, p99 {holding.p99_ms:.2f}, worst {holding.worst_ms:.1f} ms"
    say(f"{'late by':>22}  {late}; p99 below {LATEST_MS:.0f}  {'ok' if kept else 'MISSED'}")
    each = holding.busy * holding.seconds / holding.frames * 1e6
    say(f"{'one core':>22}  {100 * holding.busy:.0f} % busy, {each:.1f} us a frame with sockets and steps")
    say(f"{'stalls':>22}  {holding.stalls}")
    others = (
        "kept out, by real-time priority" if holding.ahead else "in the figures: an administrator can keep them out"
    )
    say(f"{'other processes':>22}  {others}")
    return kept
