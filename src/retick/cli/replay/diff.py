"""``retick replay diff``: the first frame at which two recordings differ, and what that does to the state."""

from pathlib import Path
from typing import Annotated

import typer

from retick.cli.exit_codes import NO, named, playing
from retick.cli.plurals import count
from retick.cli.read_budget import BudgetOption, load_within
from retick.cli.replay.game import GameOption, game_of
from retick.cli.terminal import say
from retick.errors import UsageError
from retick.replay import Comparison, compare

__all__ = ["diff"]


def diff(
    ours: Annotated[Path, typer.Argument(metavar="A", show_default=False, help="A replay.")],
    theirs: Annotated[Path, typer.Argument(metavar="B", show_default=False, help="Another replay of the same game.")],
    game: GameOption = None,
    budget: BudgetOption = None,
) -> None:
    """Show the first frame whose inputs differ, and the fields that differ after it.

    The game is found by the id in the recording: a game of Retick, or the game that the project in this folder names.
    Exit code 0: the same match, even if one recording ends earlier. 1: another match. 2: misuse.

    Example: retick replay diff mine.rtk yours.rtk
    """
    with named(ours):
        here = load_within(ours, budget)
    with named(theirs):
        there = load_within(theirs, budget)
    if here.game_id and there.game_id and here.game_id != there.game_id:
        raise UsageError(f"recordings of two games: {here.game_id!r} and {there.game_id!r}")
    with playing():
        found = compare(here, there, game_of(here if here.game_id else there, game))
    say(*_lines(found, here.input_size))
    for which, replay in (("A", here), ("B", there)):
        if replay.truncated:
            say(f"recording {which} was cut off or is damaged: it cannot be read after frame {replay.end_frame}")
    if not found.same:
        raise typer.Exit(NO)


def _lines(found: Comparison, input_size: int) -> list[str]:
    if found.same:
        both, longer = min(found.frames), abs(found.frames[0] - found.frames[1])
        if not longer:
            return [f"the same match, up to frame {both}"]
        which = "A" if found.frames[0] > both else "B"
        return [f"the same match, up to frame {both}; recording {which} is {count(longer, 'frame')} longer"]
    lines = [str(difference) for difference in found.setup]
    if found.first_frame is None:
        lines.append("inputs: the same wherever both have them")
    else:
        lines.append(f"inputs: first differ at frame {found.first_frame}")
        digits = 2 * input_size
        for player, (mine, other) in enumerate(zip(*(found.inputs or ((), ())), strict=True)):
            if mine != other:
                lines.append(f"  player {player}: 0x{mine:0{digits}X} here, 0x{other:0{digits}X} there")
    if found.state:
        when = "at the start" if found.first_frame is None else f"then, at frame {found.first_frame + 1}"
        lines.append(f"state: differs {when}")
        lines += [f"  {difference}" for difference in found.state]
    elif found.first_frame is not None:
        lines.append(f"state: still the same then, at frame {found.first_frame + 1}")
    if found.checksum_frame is not None and found.checksums is not None:
        mine, other = found.checksums
        lines.append(f"recorded checksums: first differ at frame {found.checksum_frame}")
        lines.append(f"  0x{mine:08X} here, 0x{other:08X} there")
    if found.frames[0] != found.frames[1]:
        lines.append(f"length: ends at frame {found.frames[0]} here, {found.frames[1]} there")
    return lines
