"""``retick replay play``: plays a recording in its game's window, in the terminal, or as lines."""

import importlib.util
import sys
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import RenderableType
from rich.live import Live
from rich.table import Table

from retick.cli.arguments import BudgetOption, ProjectOption, asked_project, load_within
from retick.cli.draw.fighter import Arena
from retick.cli.exit_codes import complain, named, playing
from retick.cli.pace import LoopPace
from retick.cli.play.keys import TerminalKeys
from retick.cli.replay.reading import GameOption, ReplayFile, game_of, project_game_of
from retick.cli.terminal import Screen, count, say
from retick.errors import UsageError
from retick.games.fighter import FighterState
from retick.integrations.window_module import find_window, window_game
from retick.replay import Playback, Replay, ReplayPlayer


def play_in_window(game: str | None, replay: Replay, file: Path, start: int | None) -> bool:
    """Play a recording in a window until it is closed; False without a window or without pygame."""
    if game is None or importlib.util.find_spec("pygame") is None:
        return False
    module = find_window(game)
    if module is None:
        return False
    settings = window_game(game, module)
    from retick.integrations.pygame import Program

    program = Program(settings)
    page = program.replay(replay, file.name)
    if start is not None:
        page.playback.player.seek(start)
    program.show(lambda: page)
    program.run()
    return True


FRAMES_A_SECOND = 60
"""The rate of recordings that do not know theirs."""
HELP = "space pause, arrows step, pgup/pgdn 10 s, 0-9 tenths, +/- speed, q quit"


_WHY_LINES = (
    "the output is not a terminal, so the states are printed, one line for each second: --window opens the window of a "
    "game that has one"
)
MOST_ROWS, MOST_LETTERS = 200, 200
"""Most rows, and letters of a cell, in a table of a state, which may have any number of fields."""
LONGEST_LINE = 400
"""Most letters of a state printed as a line; ``replay export --states`` prints all of it."""


def play(
    file: ReplayFile,
    start: Annotated[int | None, typer.Option("--from", help="Frame to start at.", show_default="the first")] = None,
    every: Annotated[
        int | None, typer.Option(help="Frames between two printed lines, without a terminal.", show_default="a second")
    ] = None,
    game: GameOption = None,
    project: ProjectOption = False,
    budget: BudgetOption = None,
    window: Annotated[
        bool | None,
        typer.Option(
            "--window/--no-window", help="Use the game's own window.", show_default="in a terminal, if it has one"
        ),
    ] = None,
) -> None:
    """Play a replay with keys to pause, step and jump: in the game's own window, or in the terminal.

    Without a terminal, print a line per second. A recording of a game that is not Retick's needs --game or --project.

    Exit code 0: played. 1: the file is bad, or the game failed on it. 2: misuse.

    Example: retick replay play match.rtk --from 600
    """
    if every is not None and every < 1:
        raise UsageError(f"--every must be 1 or more, not {every}")
    asked = asked_project(project, game)
    with named(file):
        replay = load_within(file, budget)
        game = game or project_game_of(replay, asked)
        player = ReplayPlayer(replay, game_of(replay, game, None))
    console = Screen()
    if window or (window is None and console.is_terminal and game is not None):
        if play_in_window(game, replay, file, start):
            return
        if window:
            raise UsageError("the game has no window: write draw and press in its module, or in window.py beside it")
    with playing():
        if start is not None:
            player.seek(start)
        if console.is_terminal and not console.is_dumb_terminal and sys.stdin.isatty():
            _play_live(console, Playback(player), file)
        else:
            if every is None and window is None and not console.is_terminal:
                complain(_WHY_LINES)
            _print_lines(player, every or _rate_of(replay))


def _rate_of(replay: Replay) -> int:
    return replay.tick_rate or FRAMES_A_SECOND


def _play_live(console: Screen, playback: Playback, file: Path) -> None:
    rate = _rate_of(playback.player.replay)
    pace = LoopPace(rate)
    drawn = -1
    previous: Any = None
    with TerminalKeys() as keys, Live(console=console, screen=True, auto_refresh=False) as live:
        while not playback.quit:
            before = (playback.paused, playback.speed)
            for key in keys.pressed():
                playback.press(key)
            playback.tick()
            in_time = pace.wait()
            changed = playback.player.frame != drawn or before != (playback.paused, playback.speed)
            if in_time and changed:
                live.update(_picture(playback, previous, file), refresh=True)
                drawn, previous = playback.player.frame, playback.player.state
            elif in_time:
                playback.player.prepare(rate)


def _picture(playback: Playback, previous: Any, file: Path) -> RenderableType:
    player = playback.player
    mode = "paused" if playback.paused else f"{playback.speed:g}x"
    footer = f"{mode}, frame {player.frame} of {player.replay.end_frame}: {HELP}"
    if isinstance(player.state, FighterState):
        return Arena(state=player.state, previous=previous, title=file.name, footer=footer)
    table = Table("field", "value", title=f"{file.name}: frame {player.frame}", caption=footer)
    for name, value in islice(player.fields().items(), MOST_ROWS):
        table.add_row(str(name)[:MOST_LETTERS], str(value)[:MOST_LETTERS])
    return table


def shortened(fields: Mapping[str, Any]) -> str:
    """The first fields of a state in one line, and the number of further ones."""
    parts: list[str] = []
    length = 0
    for name, value in fields.items():
        part = f"{name}={value}"[:MOST_LETTERS]
        length += len(part) + 1
        if length > LONGEST_LINE:
            return " ".join(parts) + f" … and {count(len(fields) - len(parts), 'more field')}"
        parts.append(part)
    return " ".join(parts)


def _print_lines(player: ReplayPlayer[Any], every: int) -> None:
    while True:
        checksum = player.sim.checksum(player.state)
        fields = shortened(player.fields())
        say(f"frame {player.frame:6}  0x{checksum:08X}  {fields}")
        if player.finished:
            return
        player.seek(min(player.frame + every, player.replay.end_frame))
