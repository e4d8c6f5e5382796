"""``retick demo``: two bots fight in the terminal, and the match is run again from its inputs at the end."""

import time
from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated

import typer
from rich.console import Console
from rich.live import Live

from retick._kernels import is_compiled
from retick.cli.arena import Arena, hits_in, knocked_out
from retick.cli.demo_authority import demo_authority
from retick.cli.pace import Pace
from retick.errors import UsageError
from retick.games.fighter import Action, Fighter, FighterState, PlayerState
from retick.games.fighter.bots import STYLES, fight
from retick.games.fighter.rules import TICKS_PER_SECOND

__all__ = ["demo"]

LONGEST = 20 * TICKS_PER_SECOND
CURTAIN = 3 * TICKS_PER_SECOND // 2
"""Frames from a knock-out to the end of a match whose length was not given."""
LAST_PICTURE_ROWS = 14
"""Rows of the picture left above the summary, so that both fit an ordinary screen."""
INTERRUPTED = 130
_STYLES = {style.name: style for style in STYLES}


class StyleName(StrEnum):
    """The bots' styles, as the command line spells them."""

    RUSHER = "rusher"
    COUNTER = "counter"
    HOPPER = "hopper"


class _Match:
    """The fight so far: its newest state, the inputs that led there, and who landed how often."""

    def __init__(self, seed: int, names: tuple[StyleName, StyleName], frames: int | None) -> None:
        self.seed = seed
        self.names = (names[0].value, names[1].value)
        self.game = Fighter()
        self.state = self.game.initial_state(seed)
        self.hits = (0, 0)
        self.payload = bytearray()
        self.decided: FighterState | None = None
        """The state of the first knock-out; nothing after it changes who won."""
        self.limit = LONGEST if frames is None else frames
        self._ends_early = frames is None
        self._bots = fight(seed, (_STYLES[names[0]], _STYLES[names[1]]))

    def states(self) -> Iterator[FighterState]:
        """Play it out, a state at a time."""
        left = self.limit
        while left > 0:
            (first, second), self.state = next(self._bots)
            self.payload += first.to_bytes(2, "little") + second.to_bytes(2, "little")
            by_first, by_second = hits_in(self.state)
            self.hits = (self.hits[0] + by_first, self.hits[1] + by_second)
            left -= 1
            if self.decided is None and knocked_out(self.state):
                self.decided = self.state
                left = min(left, CURTAIN) if self._ends_early else left
            yield self.state

    def view(self, previous: FighterState | None, footer: str) -> Arena:
        return Arena(
            state=self.state,
            previous=previous,
            names=self.names,
            hits=self.hits,
            title="retick: two bots, one match",
            footer=footer,
        )


def demo(
    seed: Annotated[int, typer.Option(help="Seed of the match and of both bots, 1 to 4294967295.")] = 1,
    frames: Annotated[
        int | None,
        typer.Option(help="Frames to play, 60 a second.", show_default="until a knock-out, 1200 at most"),
    ] = None,
    fast: Annotated[bool, typer.Option("--fast", help="Do not wait for the clock.")] = False,
    p1: Annotated[StyleName, typer.Option("--p1", help="Style of the bot on the left.")] = StyleName.RUSHER,
    p2: Annotated[StyleName, typer.Option("--p2", help="Style of the bot on the right.")] = StyleName.COUNTER,
    authority: Annotated[bool, typer.Option("--authority", help="A server and bots under scenario B instead.")] = False,
) -> None:
    """Watch two bots fight, then run the match again from its inputs, bit for bit.

    Example: retick demo --seed 7 --p1 hopper
    """
    if frames is not None and frames < 1:
        raise UsageError(f"--frames must be 1 or more, not {frames}")
    if authority:
        demo_authority(seconds=20.0 if frames is None else frames / TICKS_PER_SECOND)
        return
    console = Console(highlight=False)
    match = _Match(seed, (p1, p2), frames)
    pace = None if fast else Pace(TICKS_PER_SECOND)
    started = time.perf_counter()
    interrupted = False
    try:
        if console.is_terminal and not console.is_dumb_terminal:
            _show_live(console, match, pace)
        else:
            _show_lines(console, match, pace)
    except KeyboardInterrupt:
        interrupted = True
    same = _print_summary(console, match, time.perf_counter() - started, interrupted)
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    if not same:
        raise typer.Exit(1)


def _show_live(console: Console, match: _Match, pace: Pace | None) -> None:
    """Draw every second frame; when late, or in a hurry, fewer."""
    footer = f"seed {match.seed}, {'as fast as drawn' if pace is None else '60 Hz'}, Ctrl-C ends"
    stride = 2 if pace is not None else max(4, match.limit // 120)
    previous = match.state
    with Live(match.view(None, footer), console=console, screen=True, auto_refresh=False) as live:
        for state in match.states():
            in_time = pace is None or pace.wait()
            if in_time and state.frame % stride == 0:
                live.update(match.view(previous, footer), refresh=True)
                previous = state
    console.print(match.view(None, ""), height=LAST_PICTURE_ROWS)


def _show_lines(console: Console, match: _Match, pace: Pace | None) -> None:
    """A line for each second of play: the form for logs and pipes."""
    console.print(f"retick demo: {match.names[0]} against {match.names[1]}, seed {match.seed}")
    for state in match.states():
        if pace is not None:
            pace.wait()
        if state.frame % TICKS_PER_SECOND == 0:
            print(_line(match), flush=True)


def _line(match: _Match) -> str:
    state = match.state
    return (
        f"{state.frame // TICKS_PER_SECOND:4} s  frame {state.frame:6}  "
        f"p1 {_words(state.p1)} {match.hits[0]:3} hits  p2 {_words(state.p2)} {match.hits[1]:3} hits  "
        f"0x{match.game.checksum(state):08X}"
    )


def _words(player: PlayerState) -> str:
    return f"{player.hp:3} hp at {player.x:5} {Action(player.state).name.lower():7}"


def _print_summary(console: Console, match: _Match, took: float, interrupted: bool) -> bool:
    """The outcome, and the proof: the same inputs run again end in the same state."""
    game, state = match.game, match.state
    started = time.perf_counter()
    again = game.run(game.initial_state(match.seed), bytes(match.payload))
    rerun = time.perf_counter() - started
    same = game.checksum(again) == game.checksum(state)
    names, form = match.names, "compiled kernels" if is_compiled() else "pure Python kernels"
    lines = (
        ("outcome", ("interrupted: " if interrupted else "") + _outcome(match, interrupted)),
        ("hits", f"{names[0]} {match.hits[0]}, {names[1]} {match.hits[1]}; hp {state.p1.hp} and {state.p2.hp}"),
        ("played", f"{state.frame} frames, {state.frame / TICKS_PER_SECOND:.2f} s of play in {took:.2f} s"),
        ("checksum", f"0x{game.checksum(state):08X} (seed {match.seed}, frame {state.frame})"),
        ("run again", f"0x{game.checksum(again):08X}, {'the same' if same else 'NOT THE SAME'}"),
        ("", f"{state.frame} frames from {len(match.payload)} bytes of input in {rerun * 1e3:.3f} ms, {form}"),
    )
    for name, text in lines:
        console.print(f"[bold]{name:>10}[/]  {text}")
    return same


def _outcome(match: _Match, interrupted: bool) -> str:
    last = match.decided or match.state
    first, second = last.p1.hp, last.p2.hp
    if first == second:
        return "double knock-out" if first == 0 else "a draw"
    better = match.names[0] if first > second else match.names[1]
    if min(first, second) == 0:
        return f"{better} wins by knock-out"
    return f"{better} {'leads' if interrupted else 'wins on points'}"
