"""``retick replay export``: a recording as JSON lines, or in the other format."""

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from retick.cli.plurals import count
from retick.cli.read_budget import BudgetOption, load_within
from retick.cli.replay.files import ReplayFiles, for_each
from retick.cli.replay.game import GameOption, game_of
from retick.cli.terminal import json_text, say
from retick.errors import UsageError
from retick.replay import Replay, ReplayPlayer, save
from retick.replay.storage import naming
from retick.sim.contract import Simulation

__all__ = ["export"]


class Form(StrEnum):
    """The formats that a recording can be converted to."""

    JSONL = "jsonl"
    RPLK = "rplk"
    RTK = "rtk"


def export(
    files: ReplayFiles,
    form: Annotated[
        Form, typer.Option("--to", help="JSON lines, RPLK (only inputs) or RTK.", case_sensitive=False)
    ] = Form.JSONL,
    into: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Write each file into this folder, under its name with the new ending."),
    ] = None,
    states: Annotated[
        bool, typer.Option("--states", help="Also play the match, and add the state after each frame, field by field.")
    ] = False,
    game: GameOption = None,
    budget: BudgetOption = None,
) -> None:
    """Turn replays into JSON lines: one for the match, then one for each frame; or convert them.

    Exit code 0: all were written. 1: one could not be read or played. 2: misuse, or a file that cannot be opened.

    Example: retick replay export match.rtk --states > match.jsonl
    """
    if into is None and form is not Form.JSONL:
        raise UsageError(f"{form} is not a text format: name a folder with --into")
    if into is None and len(files) > 1:
        raise UsageError("several files need a folder: name one with --into")
    if into is not None and not into.is_dir():
        raise UsageError(f"--into {into}: no such folder")

    written: dict[Path, Path] = {}

    def turn(path: Path) -> None:
        replay = load_within(path, budget)
        target = None if into is None else into / f"{path.stem}.{form}"
        if target is not None and target.exists() and target.samefile(path):
            raise UsageError("it would overwrite itself")
        if target is not None and written.setdefault(target, path) != path:
            raise UsageError(f"it would overwrite {target}, which {written[target]} became")
        _write(replay, form, target, game_of(replay, game) if states else None)

    for_each(files, turn)


def _write(replay: Replay, form: Form, target: Path | None, sim: Simulation[Any] | None) -> None:
    if target is None:
        for line in _lines(replay, sim):
            say(line)
        return
    if form is Form.JSONL:
        part = target.with_name(f"{target.name}.part")
        try:
            with naming(target), part.open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(line + "\n" for line in _lines(replay, sim))
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
    else:
        save(target, replay, format="rplk" if form is Form.RPLK else "rtk")
    say(f"{target}: {count(len(replay), 'frame')}")


def _lines(replay: Replay, sim: Simulation[Any] | None) -> Iterator[str]:
    """One line for the match, then one for each frame: its inputs, and with ``sim`` the state after it."""
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
    """Who joins or leaves before a frame that a server ran, and what players see from it on."""
    found: dict[int, dict[str, list[dict[str, int]]]] = {}
    if replay.hosting is not None:
        for name, entries in (("seats", replay.hosting.seats), ("views", replay.hosting.views)):
            for entry in entries:
                rest = {key: value for key, value in entry._asdict().items() if key != "frame"}
                found.setdefault(entry.frame, {}).setdefault(name, []).append(rest)
    return found


def _as_text(value: object) -> str:
    """A field's value that JSON cannot hold."""
    return value.hex() if isinstance(value, bytes) else str(value)


def _arrivals_by_frame(replay: Replay) -> dict[int, list[dict[str, int]]]:
    found: dict[int, list[dict[str, int]]] = {}
    for local_frame, player, first_frame, frames in replay.arrivals:
        batch = {"player": player, "first_frame": first_frame, "frames": frames}
        found.setdefault(local_frame, []).append(batch)
    return found
