"""``retick demo``: two bots in two processes play over a bad link and end with the same state, bit for bit."""

import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from retick.cli.demo.authority import demo_authority
from retick.cli.demo.network import NetworkDemo, files_of
from retick.cli.demo.peer import PeerPlan
from retick.cli.play.files import check_capture, check_recording
from retick.cli.play.options import KeylogOption, LinkOptions
from retick.cli.terminal import Screen, say
from retick.cli.trace_notes import check_trace
from retick.errors import UsageError
from retick.games.fighter.rules import TICKS_PER_SECOND
from retick.playing.controllers import StyleName

LONGEST = 20 * TICKS_PER_SECOND


def demo(
    context: typer.Context,
    rtt: Annotated[float, typer.Option(help="Round-trip time of the link in milliseconds.")] = 80.0,
    jitter: Annotated[float, typer.Option(help="Variation of the delay each way, in milliseconds.")] = 10.0,
    loss: Annotated[float, typer.Option(help="Percentage of datagrams lost, each way.")] = 5.0,
    delay: Annotated[int, typer.Option(help="Frames of input delay; each makes rollbacks one frame shorter.")] = 0,
    rate: Annotated[int, typer.Option(help="Frames a second.")] = TICKS_PER_SECOND,
    frames: Annotated[
        int | None,
        typer.Option(help="Frames to play.", show_default="until a knock-out, 1200 at most"),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            help="Seed of the match and of the link's losses; the timing still differs from run to run.",
            show_default="random",
        ),
    ] = None,
    p1: Annotated[StyleName, typer.Option("--p1", help="Style of the bot on the left.")] = StyleName.RUSHER,
    p2: Annotated[StyleName, typer.Option("--p2", help="Style of the bot on the right.")] = StyleName.COUNTER,
    record: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the replay to this file; .rtk also has its checksum.", show_default=False
        ),
    ] = None,
    capture: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the datagrams of each process, for retick packet: x.rtkc makes x-host.rtkc and x-joiner.rtkc.",
            show_default=False,
        ),
    ] = None,
    trace: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Note frames, packets and stalls of each process, for retick trace: x.rtkt makes x-host and x-joiner.",
            show_default=False,
        ),
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="Leave the link unsealed.")] = False,
    keylog: KeylogOption = None,
    authority: Annotated[
        bool, typer.Option("--authority", help="A server and four bots instead, with 120 ms round trip and 0.5 % loss.")
    ] = False,
) -> None:
    """Watch two bots in two processes play over a bad link, and end with the same state, bit for bit.

    Exit code 0: both ended the same. 1: they did not, or a file could not be written. 2: misuse.

    Example: retick demo --rtt 200 --loss 20
    """
    _check_link(rtt, jitter, loss)
    _check_match(delay, rate, frames, seed)
    links = LinkOptions(plain=plain, identity=None, keylog=keylog)
    if authority:
        _check_no_other_option(context)
        demo_authority(seconds=20.0 if frames is None else frames / TICKS_PER_SECOND)
        name_the_studio()
        return
    check_recording(record, live=False)
    captures = files_of(capture)
    for path in captures:
        check_capture(path, record)
    traces = files_of(trace)
    for path in traces:
        check_trace(path, record, *captures)
    console = Screen()
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
        plain=plain,
        keylog=None if keylog is None else str(keylog.absolute()),
    )
    links.make_files()
    header = f"retick demo: two processes, UDP, {rtt:g} ms round trip, {jitter:g} ms jitter, {loss:g} % lost"
    code = NetworkDemo(console, plan, (p1, p2), header, captures, traces).run(record)
    name_the_studio()
    raise typer.Exit(code)


def _check_link(rtt: float, jitter: float, loss: float) -> None:
    if not 0 <= rtt <= 2000 or not 0 <= jitter <= 1000:
        raise UsageError(f"--rtt must be 0 to 2000 and --jitter 0 to 1000 milliseconds, not {rtt:g} and {jitter:g}")
    if not 0 <= loss <= 90:
        raise UsageError(f"--loss must be 0 to 90 percent, not {loss:g}")


def _check_no_other_option(context: typer.Context) -> None:
    """Refuse options that have no meaning with --authority, rather than ignore them."""
    for name in context.params:
        source = context.get_parameter_source(name)
        if name not in ("authority", "frames") and source is not None and source.name == "COMMANDLINE":
            raise UsageError(f"--{name} cannot be used with --authority: its server, bots and link are fixed")


def _check_match(delay: int, rate: int, frames: int | None, seed: int | None) -> None:
    if not 0 <= delay <= 30:
        raise UsageError(f"--delay must be 0 to 30 frames, not {delay}")
    if not 1 <= rate <= 1000:
        raise UsageError(f"--rate must be 1 to 1000 frames a second, not {rate}")
    if frames is not None and frames < 1:
        raise UsageError(f"--frames must be 1 or more, not {frames}")
    if seed is not None and not 1 <= seed <= 0xFFFFFFFF:
        raise UsageError(f"--seed must be 1 to 4294967295, not {seed}")


def name_the_studio() -> None:
    """Print the last line, what to do next, with a command that works where this one did."""
    called = Path(sys.argv[0])
    command = str(called) if called.stem == "retick" and shutil.which("retick") is None else "retick"
    say("", f"Play it yourself, and see each rollback: {command} studio --open")
