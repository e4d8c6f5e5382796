"""``retick demo``: two bots in two processes fight over a bad link, and prove that it was one and the same match."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from retick import replay
from retick.cli.demo.authority import demo_authority
from retick.cli.demo.offline import OfflineFight, show_offline
from retick.cli.demo.peer import PeerPlan
from retick.cli.demo.run import INTERRUPTED, NetworkDemo, captures_of
from retick.cli.play.brains import StyleName
from retick.cli.play.capturing import check_capture
from retick.cli.play.recording import check_recording
from retick.errors import UsageError
from retick.games.fighter.rules import TICKS_PER_SECOND

__all__ = ["StyleName", "demo"]

LONGEST = 20 * TICKS_PER_SECOND
OFFLINE_SEED = 1


def demo(
    rtt: Annotated[float, typer.Option(help="Round trip of the link, in milliseconds.")] = 80.0,
    jitter: Annotated[float, typer.Option(help="Each way's delay varies by up to so many milliseconds.")] = 10.0,
    loss: Annotated[float, typer.Option(help="Per cent of the datagrams lost, each way.")] = 5.0,
    delay: Annotated[int, typer.Option(help="Frames of input delay: each one less to roll back.")] = 0,
    rate: Annotated[int, typer.Option(help="Frames a second.")] = TICKS_PER_SECOND,
    frames: Annotated[
        int | None,
        typer.Option(help="Frames to play.", show_default="until a knock-out, 1200 at most"),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(help="Repeats the match's seed and the link's dice; how they fall together is up to the clock."),
    ] = None,
    p1: Annotated[StyleName, typer.Option("--p1", help="Style of the bot on the left.")] = StyleName.RUSHER,
    p2: Annotated[StyleName, typer.Option("--p2", help="Style of the bot on the right.")] = StyleName.COUNTER,
    record: Annotated[Path | None, typer.Option(help="Write the replay to this file.", show_default=False)] = None,
    capture: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the datagrams that pass each process, for retick packet: x.rtkc makes x-host.rtkc and "
            "x-joiner.rtkc.",
            show_default=False,
        ),
    ] = None,
    offline: Annotated[
        bool, typer.Option("--offline", help="One process, no network: only the fight, run again at the end.")
    ] = False,
    fast: Annotated[bool, typer.Option("--fast", help="With --offline: do not wait for the clock.")] = False,
    authority: Annotated[bool, typer.Option("--authority", help="A server and bots under scenario B instead.")] = False,
) -> None:
    """Watch two bots in two processes fight over a bad link, and see both end on the same bits.

    Example: retick demo --rtt 200 --loss 20
    """
    _check_link(rtt, jitter, loss)
    _check_match(delay, rate, frames, seed)
    if fast and not offline:
        raise UsageError("--fast needs --offline: on a network, time is real")
    if capture is not None and (offline or authority):
        raise UsageError("--capture is for the two peers on a network: not with --offline or --authority")
    if record is not None and authority:
        raise UsageError("--record is for the fight: a match of --authority has no replay")
    if authority:
        demo_authority(seconds=20.0 if frames is None else frames / TICKS_PER_SECOND)
        return
    check_recording(record, live=False)
    captures = captures_of(capture)
    for path in captures:
        check_capture(path, record)
    console = Console(highlight=False)
    if offline:
        _play_offline(console, OfflineFight(seed or OFFLINE_SEED, (p1, p2), frames, LONGEST), fast, record)
        return
    plan = PeerPlan(
        style=p1,
        latency=rtt / 2000,
        jitter=jitter / 1000,
        loss=loss / 100,
        delay=delay,
        rate=rate,
        longest=LONGEST,
        frames=frames,
        seed=seed,
    )
    header = f"retick demo: two processes, UDP, {rtt:g} ms round trip, {jitter:g} ms jitter, {loss:g} % lost"
    raise typer.Exit(NetworkDemo(console, plan, (p1, p2), header, captures).run(record))


def _check_link(rtt: float, jitter: float, loss: float) -> None:
    if not 0 <= rtt <= 2000 or not 0 <= jitter <= 1000:
        raise UsageError(f"--rtt is 0 to 2000 and --jitter 0 to 1000 milliseconds, not {rtt:g} and {jitter:g}")
    if not 0 <= loss <= 90:
        raise UsageError(f"--loss is 0 to 90 per cent, not {loss:g}")


def _check_match(delay: int, rate: int, frames: int | None, seed: int | None) -> None:
    if not 0 <= delay <= 30:
        raise UsageError(f"--delay is 0 to 30 frames, not {delay}")
    if not 1 <= rate <= 1000:
        raise UsageError(f"--rate is 1 to 1000 frames a second, not {rate}")
    if frames is not None and frames < 1:
        raise UsageError(f"--frames must be 1 or more, not {frames}")
    if seed is not None and not 1 <= seed <= 0xFFFFFFFF:
        raise UsageError(f"--seed must be an integer from 1 to 4294967295, not {seed}")


def _play_offline(console: Console, match: OfflineFight, fast: bool, record: Path | None) -> None:
    interrupted, same = show_offline(console, match, fast=fast)
    if record is not None:
        replay.save(record, match.referee.replay())
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    if not same:
        raise typer.Exit(1)
