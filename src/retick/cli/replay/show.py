"""``retick replay info``, ``diff`` and ``export``: show, compare and convert replays."""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from retick._regular_files import regular
from retick.cli.arguments import BudgetOption, ProjectOption, asked_project, load_within
from retick.cli.exit_codes import NO, named, playing
from retick.cli.replay.reading import GameOption, ReplayFiles, for_each, game_of
from retick.cli.terminal import count, json_text, say, say_json
from retick.errors import UsageError
from retick.replay import Comparison, Replay, ReplayPlayer, compare, format_of, save
from retick.replay.formats import facts_of
from retick.replay.storage import naming
from retick.sim.contract import Simulation


def info(
    files: ReplayFiles,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object for each file.")] = False,
    budget: BudgetOption = None,
) -> None:
    """Show what is written in replays: game, players, length, checksums.

    Exit code 0: all could be read. 1: one could not. 2: misuse, or a file that cannot be opened.

    Example: retick replay info match.rtk
    """

    def show(path: Path) -> None:
        facts = {"file": str(path)} | _facts(path, load_within(path, budget))
        if as_json:
            say_json(facts)
        else:
            say(*(f"{name:>15}  {_words(value)}" for name, value in facts.items() if value not in (None, {}, [])))

    for_each(files, show)


def _facts(path: Path, replay: Replay) -> dict[str, Any]:
    with open(path, "rb", opener=regular) as file:
        form = format_of(file.read(4))
    return {"format": form, "bytes": path.stat().st_size, **facts_of(replay)}


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{key}={text}" for key, text in value.items())
    if isinstance(value, list):
        return "player " + ", ".join(map(str, value))
    return str(value)


def diff(
    ours: Annotated[Path, typer.Argument(metavar="A", show_default=False, help="A replay.")],
    theirs: Annotated[Path, typer.Argument(metavar="B", show_default=False, help="Another replay of the same game.")],
    game: GameOption = None,
    project: ProjectOption = False,
    budget: BudgetOption = None,
) -> None:
    """Show the first frame whose inputs differ, and the fields that differ after it.

    Recordings of a game that is not Retick's need --game or --project.
    Exit code 0: the same match, even if one recording ends earlier. 1: different matches. 2: misuse.

    Example: retick replay diff mine.rtk yours.rtk
    """
    asked = asked_project(project, game)
    with named(ours):
        here = load_within(ours, budget)
    with named(theirs):
        there = load_within(theirs, budget)
    if here.game_id and there.game_id and here.game_id != there.game_id:
        raise UsageError(f"recordings of two games: {here.game_id!r} and {there.game_id!r}")
    with playing():
        found = compare(here, there, game_of(here if here.game_id else there, game, asked))
    say(*_difference_lines(found, here.input_size))
    for which, replay in (("A", here), ("B", there)):
        if replay.truncated:
            say(f"recording {which} was cut off or is damaged: it cannot be read after frame {replay.end_frame}")
    if not found.same:
        raise typer.Exit(NO)


def _difference_lines(found: Comparison, input_size: int) -> list[str]:
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


class ExportForm(StrEnum):
    """The formats to which a recording can be converted."""

    JSONL = "jsonl"
    RPLK = "rplk"
    RTK = "rtk"


def export(
    files: ReplayFiles,
    form: Annotated[
        ExportForm, typer.Option("--to", help="JSON lines, RPLK (inputs alone) or RTK.", case_sensitive=False)
    ] = ExportForm.JSONL,
    into: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write each file into this folder, under its name with the new ending."),
    ] = None,
    states: Annotated[
        bool, typer.Option("--states", help="Also play the match, and add the state after each frame, field by field.")
    ] = False,
    game: GameOption = None,
    project: ProjectOption = False,
    budget: BudgetOption = None,
) -> None:
    """Write replays as JSON lines, one for the match and one for each frame; or convert them.

    Exit code 0: all were written. 1: one could not be read or played. 2: misuse, or a file that cannot be opened.

    Example: retick replay export match.rtk --states > match.jsonl
    """
    if into is None and form is not ExportForm.JSONL:
        raise UsageError(f"{form} is not a text format: name a folder with --into")
    if into is None and len(files) > 1:
        raise UsageError("several files need a folder: name one with --into")
    if into is not None and not into.is_dir():
        raise UsageError(f"--into {into}: no such folder")

    asked = asked_project(project, game)
    written: dict[Path, Path] = {}

    def turn(path: Path) -> None:
        replay = load_within(path, budget)
        target = None if into is None else into / f"{path.stem}.{form}"
        if target is not None and target.exists() and target.samefile(path):
            raise UsageError("it would overwrite itself")
        if target is not None and written.setdefault(target, path) != path:
            raise UsageError(f"it would overwrite {target}, which was made from {written[target]}")
        _write(replay, form, target, game_of(replay, game, asked) if states else None)

    for_each(files, turn)


def _write(replay: Replay, form: ExportForm, target: Path | None, sim: Simulation[Any] | None) -> None:
    if target is None:
        for line in _lines(replay, sim):
            say(line)
        return
    if form is ExportForm.JSONL:
        part = target.with_name(f"{target.name}.part")
        try:
            with naming(target), part.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(line + "\n" for line in _lines(replay, sim))
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
    else:
        save(target, replay, format="rplk" if form is ExportForm.RPLK else "rtk")
    say(f"{target}: {count(len(replay), 'frame')}")


def _lines(replay: Replay, sim: Simulation[Any] | None) -> Iterator[str]:
    """One line for the match, then one for each frame with its inputs, and with ``sim`` the state after it."""
    yield json_text(
        {
            "replay": 1,
            "seed": replay.seed,
            "game_id": replay.game_id,
            "game_version": replay.game_version,
            "num_players": replay.num_players,
            "input_size": replay.input_size,
            "start_frame": replay.start_frame,
            "start_state": None if replay.start_state is None else replay.start_state.hex(),
            "frames": len(replay),
            "local_players": list(replay.local_players),
            "truncated": replay.truncated,
            "metadata": dict(replay.metadata),
        }
    )
    player = None if sim is None else ReplayPlayer(replay, sim)
    arrivals = _arrivals_by_frame(replay)
    hosting = _hosting_by_frame(replay)
    for frame in range(replay.start_frame, replay.end_frame):
        row: dict[str, Any] = {"frame": frame, "inputs": list(replay.inputs_at(frame))}
        if frame + 1 in replay.checkpoints:
            row["checksum"] = replay.checkpoints[frame + 1]
        if frame in replay.resyncs:
            row["resync"] = replay.resyncs[frame].hex()
        row |= hosting.get(frame, {})
        if frame in arrivals:
            row["arrivals"] = arrivals[frame]
        if player is not None:
            player.step()
            row["state"] = player.fields()
        yield json_text(row, default=_as_text)


def _hosting_by_frame(replay: Replay) -> dict[int, dict[str, list[dict[str, int]]]]:
    """Seats and views of a server's recording, by the frame from which they hold."""
    found: dict[int, dict[str, list[dict[str, int]]]] = {}
    if replay.hosting is not None:
        for name, entries in (("seats", replay.hosting.seats), ("views", replay.hosting.views)):
            for entry in entries:
                rest = {key: value for key, value in entry._asdict().items() if key != "frame"}
                found.setdefault(entry.frame, {}).setdefault(name, []).append(rest)
    return found


def _as_text(value: object) -> str:
    """Write a value that JSON cannot hold as text."""
    return value.hex() if isinstance(value, bytes) else str(value)


def _arrivals_by_frame(replay: Replay) -> dict[int, list[dict[str, int]]]:
    found: dict[int, list[dict[str, int]]] = {}
    for local_frame, player, first_frame, frames in replay.arrivals:
        batch = {"player": player, "first_frame": first_frame, "frames": frames}
        found.setdefault(local_frame, []).append(batch)
    return found
