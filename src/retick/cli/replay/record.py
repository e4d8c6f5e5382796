"""``retick replay record``: writes a match of bots, or of scripted inputs, into a file."""

from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import track

from retick.audit.game_loader import load_game
from retick.cli.exit_codes import playing
from retick.cli.plurals import count
from retick.cli.replay.game import FIGHTER, GameOption
from retick.cli.replay.script import parse_script
from retick.cli.terminal import Screen, say
from retick.errors import UsageError
from retick.games.fighter import Button, Fighter
from retick.games.fighter.bots import fight
from retick.playing.controllers import STYLE_NAMED, StyleName
from retick.replay import Replay, save, sealed
from retick.sim.contract import Simulation, input_size_of

__all__ = ["record"]

FRAMES_AT_A_TIME = 600


def record(
    output: Annotated[
        Path,
        typer.Argument(metavar="FILE", show_default=False, help="The file to write: .rtk, or .rplk for only inputs."),
    ],
    frames: Annotated[
        int | None,
        typer.Option(help="Frames to record, 60 a second.", show_default="3600, or the whole script"),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the match and of the bots, 1 to 4294967295.")] = 1,
    p1: Annotated[StyleName, typer.Option("--p1", help="Style of the bot on the left.")] = StyleName.RUSHER,
    p2: Annotated[StyleName, typer.Option("--p2", help="Style of the bot on the right.")] = StyleName.COUNTER,
    script: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Take the inputs from a text file instead of bots: lines of 'frames p1 p2'."),
    ] = None,
    every: Annotated[int, typer.Option(help="Record a checksum every so many frames; 0: only the last.")] = 600,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.")] = False,
    game: GameOption = None,
) -> None:
    """Record a match of two bots, or of a script.

    Exit code 0: recorded. 1: the game failed. 2: misuse, or a bad script.

    Example: retick replay record match.rtk --seed 7 --p1 hopper
    """
    if every < 0 or (frames is not None and frames < 1):
        raise UsageError("--frames must be 1 or more, and --every 0 or more")
    if output.exists() and not force:
        raise UsageError(f"{output} exists already: add --force to overwrite it")
    if not output.absolute().parent.is_dir():
        raise UsageError(f"{output} cannot be written: there is no folder {output.parent}")
    sim = load_game(game or FIGHTER)()
    if script is not None:
        packed = _scripted(sim, script)
    elif isinstance(sim, Fighter):
        packed = _fought(seed, 3600 if frames is None else frames, p1, p2)
    else:
        raise UsageError("the bots play the fighter; for another game, give --script")
    with playing():
        match = _played(sim, game or FIGHTER, seed, packed, every, frames)
    save(output, match)
    size = output.stat().st_size
    frames_and_seed = f"{count(len(match), 'frame')}, seed {seed}"
    say(f"{output}: {frames_and_seed}, checksum 0x{match.final_checksum:08X}, {count(size, 'byte')}")


def _fought(seed: int, frames: int, p1: StyleName, p2: StyleName) -> bytes:
    console = Screen(stderr=True)
    rounds = fight(seed, (STYLE_NAMED[p1], STYLE_NAMED[p2]))
    # A bot takes some microseconds a frame: only hours of play need a progress bar.
    quiet = not console.is_terminal or frames < 50_000
    packed = bytearray()
    for _ in track(range(0, frames, FRAMES_AT_A_TIME), "recording", console=console, disable=quiet, transient=True):
        left = min(FRAMES_AT_A_TIME, frames - len(packed) // 4)
        for (first, second), _state in islice(rounds, left):
            packed += first.to_bytes(2, "little") + second.to_bytes(2, "little")
    return bytes(packed)


def _scripted(sim: Simulation[Any], script: Path) -> bytes:
    try:
        text = script.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{script}: not UTF-8 text: {error.reason}") from None
    names = {button.name.lower(): int(button) for button in Button if button.name} if isinstance(sim, Fighter) else {}
    return parse_script(text, sim.num_players, input_size_of(sim), names)


def _played(sim: Simulation[Any], name: str, seed: int, packed: bytes, every: int, frames: int | None) -> Replay:
    """The recording, with the game's checksums every so many frames and at the end."""
    match = Replay(seed=seed, frames=packed, num_players=sim.num_players, input_size=input_size_of(sim))
    if frames is not None and frames < len(match):
        match = match.replace(frames=match.packed(0, frames))
    whole = sealed(match, sim, every=every)
    # A game without an id of its own gets the name that was given here.
    return whole if whole.game_id else whole.replace(game_id=name[:64])
