"""``python -m benchmarks relay``: figures of a relay, each with its bound."""

from typing import Annotated

import typer

from benchmarks.commands.progress import progress
from benchmarks.commands.relay.delay import Delay, measure_delay
from benchmarks.commands.relay.flood import Flood, measure_flood
from benchmarks.commands.relay.throughput import Throughput, measure_throughput
from retick.cli.exit_codes import NO
from retick.cli.terminal import say

__all__ = ["bench_relay"]

LEAST_RATE = 40_000.0
"""Least datagrams per second on one core."""
LEAST_SHARE = 0.5
"""Least share of a bare loop's throughput."""
MOST_ADDED = 0.001
"""Most seconds of delay that the relay adds for 99 % of datagrams, at half of LEAST_RATE."""
MOST_GROWN = 1 << 20
"""Most bytes that a flood may leave behind."""


def bench_relay(
    rooms: Annotated[int, typer.Option(min=1, max=20_000, help="Rooms of two members.")] = 1000,
    rounds: Annotated[int, typer.Option(min=3, help="Rounds in which forwarding is timed.")] = 200,
    seconds: Annotated[float, typer.Option(min=0.1, max=600.0, help="Seconds in which delays are measured.")] = 5.0,
    flood: Annotated[int, typer.Option(min=0, help="Spoofed requests; 0 for none.")] = 1_000_000,
    check: Annotated[bool, typer.Option("--check", help="Exit with 1 if a bound is missed.")] = False,
) -> None:
    """Measure a relay over loopback: what it forwards, the delay it adds, and what a flood leaves behind.

    Exit code 0: measured. 1: a bound is missed, with --check. 2: misuse.

    Example: python -m benchmarks relay --rooms 1000 --seconds 10
    """
    with progress("bench relay") as tell:
        tell(f"{rooms} rooms, {rounds} rounds")
        throughput = measure_throughput(rooms=rooms, rounds=rounds)
        flooded = None
        if flood:
            tell(f"{flood:,} spoofed requests")
            flooded = measure_flood(flood)
    # No progress line: a spinner would take time from the load, and be part of the figure.
    delay = measure_delay(rate=LEAST_RATE / 2, rooms=rooms, seconds=seconds)
    kept = [_print_throughput(throughput), _print_delay(delay)]
    if flooded is not None:
        kept.append(_print_flood(flooded))
    if check and not all(kept):
        raise typer.Exit(NO)


def _word(kept: bool) -> str:
    return "ok" if kept else "MISSED"


def _print_throughput(found: Throughput) -> bool:
    fast, fair = found.relay >= LEAST_RATE, found.share >= LEAST_SHARE
    say(f"{found.rooms} rooms, frames of 109 bytes, one core:")
    say(f"{'forwarded':>22}  {found.relay:,.0f} a second, at least {LEAST_RATE:,.0f}  {_word(fast)}")
    say(f"{'a bare loop':>22}  {found.bare:,.0f} a second")
    say(f"{'share of that':>22}  {found.share:.0%}, at least {LEAST_SHARE:.0%}  {_word(fair)}")
    say(f"{'lost':>22}  {found.lost}")
    return fast and fair


def _print_delay(found: Delay) -> bool:
    p99 = found.added(0.99)
    kept = p99 < MOST_ADDED and found.lost < 0.01
    say(f"{found.rooms} rooms, {found.rate:,.0f} datagrams a second through a relay in another process:")
    say(f"{'added delay':>22}  median {found.added(0.5) * 1e3:.2f}, p99 {p99 * 1e3:.2f} ms; p99 below 1  {_word(kept)}")
    say(f"{'lost':>22}  {found.lost:.2%}")
    return kept


def _print_flood(found: Flood) -> bool:
    kept = found.grown < MOST_GROWN and found.sent <= found.received
    say(f"{found.requests:,} spoofed requests:")
    say(f"{'memory':>22}  {found.grown:+,} bytes, at most {MOST_GROWN:,}  {_word(kept)}")
    say(f"{'answered':>22}  {found.sent:,} bytes for {found.received:,}")
    return kept
