"""``retick demo --offline``: the match in one process, without a network, then run again from its inputs."""

import time
from collections.abc import Iterator

from rich.live import Live

from retick._kernels import is_compiled
from retick.cli.draw.fighter import Arena
from retick.cli.pace import LoopPace
from retick.cli.terminal import Screen, count, say
from retick.games.fighter import Action, FighterState, PlayerState
from retick.games.fighter.bots import fight
from retick.games.fighter.rules import TICKS_PER_SECOND
from retick.playing.confirmed_match import ConfirmedFight, outcome
from retick.playing.controllers import STYLE_NAMED, StyleName

LAST_PICTURE_ROWS = 14
"""Rows of the last picture above the summary, so that both fit an ordinary screen."""


class OfflineFight:
    """A match of two bots, state by state."""

    def __init__(self, seed: int, names: tuple[StyleName, StyleName], frames: int | None, longest: int) -> None:
        self.names = (names[0].value, names[1].value)
        self.limit = longest if frames is None else frames
        self.confirmed = ConfirmedFight(seed, frames=frames, longest=longest)
        self._bots = fight(seed, (STYLE_NAMED[names[0]], STYLE_NAMED[names[1]]))

    def states(self) -> Iterator[FighterState]:
        while not self.confirmed.over:
            buttons, _ = next(self._bots)
            self.confirmed.add([buttons])
            yield self.confirmed.state

    def view(self, previous: FighterState | None, footer: str) -> Arena:
        return Arena(
            state=self.confirmed.state,
            previous=previous,
            names=self.names,
            hits=self.confirmed.hits,
            title="retick: two bots, one match",
            footer=footer,
        )


def show_offline(console: Screen, match: OfflineFight, *, fast: bool) -> bool:
    """Play the match and print the summary, also after Ctrl-C; whether the second run ended the same."""
    pace = None if fast else LoopPace(TICKS_PER_SECOND)
    started = time.perf_counter()
    try:
        if console.is_terminal and not console.is_dumb_terminal:
            _show_live(console, match, pace)
        else:
            _show_lines(console, match, pace)
    finally:
        same = _print_summary(console, match, time.perf_counter() - started)
    return same


def _show_live(console: Screen, match: OfflineFight, pace: LoopPace | None) -> None:
    """Draw every second frame; fewer when late, or without a pace."""
    footer = f"seed {match.confirmed.seed}, {'as fast as drawn' if pace is None else '60 Hz'}, Ctrl-C ends"
    stride = 2 if pace is not None else max(4, match.limit // 120)
    previous = match.confirmed.state
    with Live(match.view(None, footer), console=console, screen=True, auto_refresh=False) as live:
        for state in match.states():
            in_time = pace is None or pace.wait()
            if in_time and state.frame % stride == 0:
                live.update(match.view(previous, footer), refresh=True)
                previous = state
    console.print(match.view(None, ""), height=LAST_PICTURE_ROWS)


def _show_lines(console: Screen, match: OfflineFight, pace: LoopPace | None) -> None:
    """Print a line for each second of play, for logs and pipes."""
    console.tell(f"retick demo: {match.names[0]} against {match.names[1]}, seed {match.confirmed.seed}")
    for state in match.states():
        if pace is not None:
            pace.wait()
        if state.frame % TICKS_PER_SECOND == 0:
            say(_line(match))


def _line(match: OfflineFight) -> str:
    confirmed = match.confirmed
    state, hits = confirmed.state, confirmed.hits
    return (
        f"{state.frame // TICKS_PER_SECOND:4} s  frame {state.frame:6}  "
        f"p1 {_words(state.p1)} hits {hits[0]:2}  p2 {_words(state.p2)} hits {hits[1]:2}  "
        f"0x{confirmed.checksum:08X}"
    )


def _words(player: PlayerState) -> str:
    return f"{player.hp:3} hp at {player.x:5} {Action(player.state).name.lower():7}"


def _print_summary(console: Screen, match: OfflineFight, took: float) -> bool:
    """Print the outcome, and the proof that the same inputs lead to the same state again."""
    confirmed, names = match.confirmed, match.names
    game, state, payload = confirmed.game, confirmed.state, bytes(confirmed.payload)
    started = time.perf_counter()
    again = game.run(game.initial_state(confirmed.seed), payload)
    rerun = time.perf_counter() - started
    same = bool(game.checksum(again) == confirmed.checksum)
    form = "compiled kernels" if is_compiled() else "pure Python kernels"
    frames = count(state.frame, "frame")
    lines = (
        ("outcome", outcome(confirmed, names)),
        ("hits", f"{names[0]} {confirmed.hits[0]}, {names[1]} {confirmed.hits[1]}; hp {state.p1.hp} and {state.p2.hp}"),
        ("played", f"{frames}, {state.frame / TICKS_PER_SECOND:.2f} s of play in {took:.2f} s"),
        ("checksum", f"0x{confirmed.checksum:08X} (seed {confirmed.seed}, frame {state.frame})"),
        ("run again", f"0x{game.checksum(again):08X}, {'the same' if same else 'NOT THE SAME'}"),
        (
            "",
            f"{frames} from {count(len(payload), 'byte')} of input in {rerun * 1e3:.3f} ms, {form}",
        ),
    )
    for name, text in lines:
        console.tell((f"{name:>10}", "bold"), f"  {text}")
    return same
