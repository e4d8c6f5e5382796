"""``retick replay record``: writes a match of bots, or of scripted inputs, into a file."""

import json
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import track

from retick._regular_files import read_text
from retick.audit.game_loader import load_game
from retick.cli.exit_codes import playing
from retick.cli.replay.reading import FIGHTER, GameOption
from retick.cli.terminal import Screen, count, say
from retick.errors import UsageError
from retick.games.fighter import Button, Fighter
from retick.games.fighter.bots import fight
from retick.playing.controllers import STYLE_NAMED, StyleName
from retick.replay import Replay, save, sealed
from retick.replay.replay import pack_inputs
from retick.sim.contract import Simulation, input_size_of
from retick.verify.corpus import MANIFEST
from retick.verify.corpus import generate as write_matches

# A script is a text file with the buttons of each player for a number of frames.
#
# ::
#
#     # frames  player 1     player 2
#     200       right        left
#     20        right+jump   .
#     1         attack       0x0008
#
# A line of ``retick replay export`` counts as one frame, so that an exported match can be edited and recorded again.

MOST_FRAMES = 10_000_000
MOST_BYTES = 64 * 1024 * 1024


def parse_script(text: str, num_players: int, input_size: int, buttons: Mapping[str, int]) -> bytes:
    """Parse a script into packed frames; ``buttons`` names bits. A UsageError names the wrong line."""
    frames: list[bytes] = []
    count = 0
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        try:
            times, inputs = _exported(line) if line.lstrip().startswith("{") else _parsed(words, buttons)
            count += times
            if count > MOST_FRAMES or count * num_players * input_size > MOST_BYTES:
                raise UsageError(f"a script holds up to {MOST_FRAMES} frames, of {MOST_BYTES} bytes in all")
            if times:
                frames.append(pack_inputs(inputs, num_players, input_size) * times)
        except UsageError as error:
            raise UsageError(f"line {number} of the script: {error}") from None
    return b"".join(frames)


def _parsed(words: list[str], buttons: Mapping[str, int]) -> tuple[int, list[int]]:
    if not words[0].isdecimal() or not words[0].isascii():
        raise UsageError(f"it must start with a number of frames, not {words[0]!r}")
    if len(words[0]) > len(str(MOST_FRAMES)):
        raise UsageError(f"a script holds up to {MOST_FRAMES} frames")
    return int(words[0]), [_pressed(word, buttons) for word in words[1:]]


def _pressed(word: str, buttons: Mapping[str, int]) -> int:
    value = 0
    for part in word.split("+"):
        if part.lower() in buttons:
            value |= buttons[part.lower()]
        elif part != ".":
            try:
                value |= int(part, 0)
            except ValueError:
                names = ", ".join(buttons) or "none"
                raise UsageError(f"{part!r} is neither a number nor a button (buttons: {names})") from None
    return value


def _exported(line: str) -> tuple[int, list[int]]:
    """Parse one line of an export; the header has no inputs and counts as no frame."""
    try:
        row: Any = json.loads(line)
    except ValueError as error:
        raise UsageError(f"it is not JSON: {error}") from None
    if "inputs" not in row:
        return 0, []
    if not isinstance(row["inputs"], list):
        raise UsageError(f"inputs must be a list, not {row['inputs']!r}")
    return 1, row["inputs"]


FRAMES_AT_A_TIME = 600


def record(
    output: Annotated[
        Path,
        typer.Argument(metavar="FILE", show_default=False, help="The file to write: .rtk, or .rplk for inputs alone."),
    ],
    frames: Annotated[
        int | None,
        typer.Option(help="Frames to record, 60 per second.", show_default="3600, or the whole script"),
    ] = None,
    seed: Annotated[int, typer.Option(help="Seed of the match and of the bots, 1 to 4294967295.")] = 1,
    p1: Annotated[StyleName, typer.Option("--p1", help="Style of the bot on the left.")] = StyleName.RUSHER,
    p2: Annotated[StyleName, typer.Option("--p2", help="Style of the bot on the right.")] = StyleName.COUNTER,
    script: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Take the inputs from a text file instead of bots: lines of 'frames p1 p2'."),
    ] = None,
    every: Annotated[int, typer.Option(help="Frames between two checksums; 0 for only the last one.")] = 600,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file if it exists.")] = False,
    game: GameOption = None,
) -> None:
    """Record a match of two bots, or of scripted inputs.

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
    # A bot takes some microseconds per frame, so only hours of play need a progress bar.
    quiet = not console.is_terminal or frames < 50_000
    packed = bytearray()
    for _ in track(range(0, frames, FRAMES_AT_A_TIME), "recording", console=console, disable=quiet, transient=True):
        left = min(FRAMES_AT_A_TIME, frames - len(packed) // 4)
        for (first, second), _state in islice(rounds, left):
            packed += first.to_bytes(2, "little") + second.to_bytes(2, "little")
    return bytes(packed)


def _scripted(sim: Simulation[Any], script: Path) -> bytes:
    try:
        text = read_text(script)
    except UnicodeDecodeError as error:
        raise UsageError(f"{script}: not UTF-8 text: {error.reason}") from None
    names = {button.name.lower(): int(button) for button in Button if button.name} if isinstance(sim, Fighter) else {}
    return parse_script(text, sim.num_players, input_size_of(sim), names)


def _played(sim: Simulation[Any], name: str, seed: int, packed: bytes, every: int, frames: int | None) -> Replay:
    """Make the recording, with the game's checksums every ``every`` frames and at the end."""
    match = Replay(seed=seed, frames=packed, num_players=sim.num_players, input_size=input_size_of(sim))
    if frames is not None and frames < len(match):
        match = match.replace(frames=match.packed(0, frames))
    whole = sealed(match, sim, every=every)
    # A game without an id gets the name that was given here.
    return whole if whole.game_id else whole.replace(game_id=name[:64])


def generate(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", show_default=False, help="A new or empty folder.")],
    matches: Annotated[int, typer.Option(min=1, help="Number of matches.")] = 100,
    seed: Annotated[int, typer.Option(help="Seed of the first match; the others have the following ones.")] = 1,
    frames: Annotated[int, typer.Option(min=1, help="Frames of each match, 60 per second.")] = 3600,
) -> None:
    """Write matches of the fighter's bots as RPLK, and manifest.csv with the checksum of each.

    The same numbers give the same bytes, on every machine. Exit code 0: written. 2: misuse.

    Example: retick replay generate corpus --matches 200 --seed 1 --frames 600
    """
    console = Screen(stderr=True)
    written = write_matches(folder, matches=matches, seed=seed, frames=frames)
    size = 0
    for path in track(
        written, "matches", total=matches, console=console, disable=not console.is_terminal, transient=True
    ):
        size += path.stat().st_size
    say(
        f"{folder}: {count(matches, 'match', 'matches')} of {count(frames, 'frame')}, {count(size, 'byte')}, {MANIFEST}"
    )
