"""``retick demo --offline``: the fight in one process, without a network, then run again from its inputs."""

import time
from collections.abc import Iterator

from rich.console import Console
from rich.live import Live

from retick._kernels import is_compiled
from retick.cli.draw.arena import Arena
from retick.cli.play.brains import STYLE_NAMED, StyleName
from retick.cli.play.pace import Pace
from retick.cli.play.referee import FighterReferee, outcome
from retick.games.fighter import Action, FighterState, PlayerState
from retick.games.fighter.bots import fight
from retick.games.fighter.rules import TICKS_PER_SECOND

__all__ = ["OfflineFight", "show_offline"]

LAST_PICTURE_ROWS = 14
"""Rows of the picture left above the summary, so that both fit an ordinary screen."""


class OfflineFight:
    """Two bots in one process, a state at a time."""

    def __init__(self, seed: int, names: tuple[StyleName, StyleName], frames: int | None, longest: int) -> None:
        self.names = (names[0].value, names[1].value)
        self.limit = longest if frames is None else frames
        self.referee = FighterReferee(seed, frames=frames, longest=longest)
        self._bots = fight(seed, (STYLE_NAMED[names[0]], STYLE_NAMED[names[1]]))

    def states(self) -> Iterator[FighterState]:
        while not self.referee.over:
            buttons, _ = next(self._bots)
            self.referee.watch([buttons])
            yield self.referee.state

    def view(self, previous: FighterState | None, footer: str) -> Arena:
        return Arena(
            state=self.referee.state,
            previous=previous,
            names=self.names,
            hits=self.referee.hits,
            title="retick: two bots, one match",
            footer=footer,
        )


def show_offline(console: Console, match: OfflineFight, *, fast: bool) -> tuple[bool, bool]:
    """Play it and print the summary; whether it was interrupted, and whether the second run ended the same."""
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
    return interrupted, _print_summary(console, match, time.perf_counter() - started, interrupted)


def _show_live(console: Console, match: OfflineFight, pace: Pace | None) -> None:
    """Draw every second frame; when late, or in a hurry, fewer."""
    footer = f"seed {match.referee.seed}, {'as fast as drawn' if pace is None else '60 Hz'}, Ctrl-C ends"
    stride = 2 if pace is not None else max(4, match.limit // 120)
    previous = match.referee.state
    with Live(match.view(None, footer), console=console, screen=True, auto_refresh=False) as live:
        for state in match.states():
            in_time = pace is None or pace.wait()
            if in_time and state.frame % stride == 0:
                live.update(match.view(previous, footer), refresh=True)
                previous = state
    console.print(match.view(None, ""), height=LAST_PICTURE_ROWS)


def _show_lines(console: Console, match: OfflineFight, pace: Pace | None) -> None:
    """A line for each second of play: the form for logs and pipes."""
    console.print(f"retick demo: {match.names[0]} against {match.names[1]}, seed {match.referee.seed}")
    for state in match.states():
        if pace is not None:
            pace.wait()
        if state.frame % TICKS_PER_SECOND == 0:
            print(_line(match), flush=True)


def _line(match: OfflineFight) -> str:
    referee = match.referee
    state, hits = referee.state, referee.hits
    return (
        f"{state.frame // TICKS_PER_SECOND:4} s  frame {state.frame:6}  "
        f"p1 {_words(state.p1)} {hits[0]:3} hits  p2 {_words(state.p2)} {hits[1]:3} hits  "
        f"0x{referee.checksum:08X}"
    )


def _words(player: PlayerState) -> str:
    return f"{player.hp:3} hp at {player.x:5} {Action(player.state).name.lower():7}"


def _print_summary(console: Console, match: OfflineFight, took: float, interrupted: bool) -> bool:
    """The outcome, and the proof: the same inputs run again end in the same state."""
    referee, names = match.referee, match.names
    game, state, payload = referee.game, referee.state, bytes(referee.payload)
    started = time.perf_counter()
    again = game.run(game.initial_state(referee.seed), payload)
    rerun = time.perf_counter() - started
    same = bool(game.checksum(again) == referee.checksum)
    form = "compiled kernels" if is_compiled() else "pure Python kernels"
    lines = (
        ("outcome", ("interrupted: " if interrupted else "") + outcome(referee, names)),
        ("hits", f"{names[0]} {referee.hits[0]}, {names[1]} {referee.hits[1]}; hp {state.p1.hp} and {state.p2.hp}"),
        ("played", f"{state.frame} frames, {state.frame / TICKS_PER_SECOND:.2f} s of play in {took:.2f} s"),
        ("checksum", f"0x{referee.checksum:08X} (seed {referee.seed}, frame {state.frame})"),
        ("run again", f"0x{game.checksum(again):08X}, {'the same' if same else 'NOT THE SAME'}"),
        ("", f"{state.frame} frames from {len(payload)} bytes of input in {rerun * 1e3:.3f} ms, {form}"),
    )
    for name, text in lines:
        console.print(f"[bold]{name:>10}[/]  {text}")
    return same
