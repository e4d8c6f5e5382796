"""``retick replay info``: what is written in a replay, without playing it."""

from pathlib import Path
from typing import Annotated, Any

import typer

from retick.cli.plurals import count
from retick.cli.read_budget import BudgetOption, load_within
from retick.cli.replay.files import ReplayFiles, for_each
from retick.cli.terminal import say, say_json
from retick.replay import Replay, format_of

__all__ = ["info"]


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
    with path.open("rb") as file:
        form = format_of(file.read(4))
    final = replay.final_checksum
    return {
        "format": form,
        "bytes": path.stat().st_size,
        "game": f"{replay.game_id} version {replay.game_version}" if replay.game_id else None,
        "players": replay.num_players,
        "input_bytes": replay.input_size,
        "seed": replay.seed,
        "start_frame": replay.start_frame,
        "start_state": None if replay.start_state is None else count(len(replay.start_state), "byte"),
        "frames": len(replay),
        "resyncs": list(replay.resyncs),
        "seconds_at_60": round(len(replay) / 60, 2),
        "checksums": len(replay.checkpoints),
        "final_checksum": None if final is None else f"0x{final:08X}",
        "recorded_by": list(replay.local_players),
        "arrivals": len(replay.arrivals),
        "run_by_a_server": replay.hosting is not None,
        "truncated": replay.truncated,
        "metadata": dict(replay.metadata),
    }


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{key}={text}" for key, text in value.items())
    if isinstance(value, list):
        return "player " + ", ".join(map(str, value))
    return str(value)
