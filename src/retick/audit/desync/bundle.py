"""A desync on disk, in one file to send to whoever can explain it; docs/formats/desync-bundle.md describes it.

A ZIP archive: ``bundle.json`` with the report, ``around.rtk`` with the match from a frame that agreed to past the
first that differs, the two packed states around the difference, and whole recordings where there are any. Each part
is bounded before it is read, names that the format does not have are refused, and nothing is ever unpacked to disk.
"""

import json
import os
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from retick.audit.desync.report_json import report_from_json, report_to_json
from retick.errors import BadMagic, InvalidValue, LimitExceeded, UnsupportedVersion, UsageError
from retick.replay import Replay, dumps, loads
from retick.rollback.desync.investigation import Held, Investigation
from retick.rollback.desync.report import DesyncReport
from retick.sim.contract import NamesItself, PacksState, input_size_of
from retick.sim.world import WorldSimulation

__all__ = ["Bundle", "bundle_of", "load_bundle", "save_bundle"]

VERSION = 1
FRAMES_AFTER = 8
"""Frames that ``around`` goes on for after the first one that differs."""
MAX_JSON = 4 * 1024 * 1024
MAX_PART = 64 * 1024 * 1024
MAX_MACHINES = 16
MAX_GAME = 200
"""Letters of a game's name."""
_LONG_AGO = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """All that one machine can give to explain a desync."""

    report: DesyncReport
    """The same as on the other machines."""
    machine: int
    """The number of the machine that wrote this."""
    game: str = ""
    """The game's class as module:Class, for people to read; nothing is imported by it."""
    around: Replay | None = field(default=None, repr=False)
    """This machine's match from a frame that agreed on, with its checksum of every frame."""
    agreed_state: bytes | None = field(default=None, repr=False)
    """The packed state of the last frame that agreed."""
    differing_state: bytes | None = field(default=None, repr=False)
    """The packed state of the first frame that differs, as this machine has it."""
    recordings: Mapping[int, Replay] = field(default_factory=dict, hash=False, repr=False)
    """Whole recordings, by machine."""


def bundle_of(
    investigation: Investigation, sim: Any, *, seed: int, recordings: Mapping[int, Replay] | None = None
) -> Bundle:
    """What this machine can give after an investigation that is finished."""
    report = investigation.report
    if report is None:
        raise UsageError("the investigation is not finished: there is no report yet")
    held = investigation.held
    game = type(sim.world if isinstance(sim, WorldSimulation) else sim)
    return Bundle(
        report=report,
        machine=investigation.peer_id,
        game=f"{game.__module__}:{game.__qualname__}"[:MAX_GAME],
        around=_around(held, report, sim, seed),
        agreed_state=_packed(held, report.last_agreed, sim),
        differing_state=_packed(held, report.first_differing, sim),
        recordings=dict(recordings or {}),
    )


def _packed(held: Held, frame: int | None, sim: Any) -> bytes | None:
    state = None if frame is None else held.state_at(frame)
    if state is None or not isinstance(sim, PacksState):
        return None
    try:
        return sim.pack_state(state)
    except UsageError:  # a world whose saves are no bytes
        return None


def _around(held: Held, report: DesyncReport, sim: Any, seed: int) -> Replay | None:
    """From the first frame held, if the difference came later, so that the way there can be checked too."""
    first = report.first_differing
    if first is None or report.last_agreed is None or not held.first <= report.last_agreed:
        return None
    start = _packed(held, held.first, sim)
    if start is None and held.first > 0:
        return None
    end = min(held.end - 1, first + FRAMES_AFTER)
    named = isinstance(sim, NamesItself)
    return Replay(
        seed=seed,
        frames=[held.inputs[frame] for frame in range(held.first, end)],  # type: ignore[arg-type] # packed there
        num_players=sim.num_players,
        input_size=input_size_of(sim),
        start_frame=held.first,
        start_state=start,
        game_id=sim.game_id if named else "",
        game_version=sim.game_version if named else 0,
        checkpoints={frame: held.checksums[frame - held.first] for frame in range(held.first, end + 1)},
    )


def save_bundle(path: str | os.PathLike[str], bundle: Bundle) -> None:
    """Write a bundle; the file gets its name when it is whole."""
    head = {
        "retick_desync": VERSION,
        "machine": bundle.machine,
        "game": bundle.game,
        "report": report_to_json(bundle.report),
    }
    parts = {"bundle.json": json.dumps(head, indent=1).encode()}
    if bundle.around is not None:
        parts["around.rtk"] = dumps(bundle.around, format="rtk")
    if bundle.agreed_state is not None:
        parts["agreed.state"] = bundle.agreed_state
    if bundle.differing_state is not None:
        parts["differing.state"] = bundle.differing_state
    for machine, recording in sorted(bundle.recordings.items()):
        parts[f"recordings/{machine}.rtk"] = dumps(recording, format="rtk")
    final = Path(path)
    part = final.with_name(final.name + ".part")
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in parts.items():
                # The same bundle makes the same bytes, whenever it is written.
                archive.writestr(zipfile.ZipInfo(name, _LONG_AGO), data, zipfile.ZIP_DEFLATED)
        os.replace(part, final)
    finally:
        part.unlink(missing_ok=True)


def load_bundle(path: str | os.PathLike[str]) -> Bundle:
    """Read a bundle: DecodeError if it is none, OSError if it cannot be read."""
    try:
        with zipfile.ZipFile(path) as archive:
            parts = _read_parts(archive)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        # The archive is damaged, or encrypted, or packed in some way that this Python does not know.
        raise BadMagic(f"not a desync bundle: {error}") from None
    if "bundle.json" not in parts:
        raise BadMagic("not a desync bundle: there is no bundle.json in it")
    head = _head(parts["bundle.json"])
    around = parts.get("around.rtk")
    return Bundle(
        report=report_from_json(head["report"]),
        machine=head["machine"],
        game=head["game"],
        around=None if around is None else loads(around),
        agreed_state=parts.get("agreed.state"),
        differing_state=parts.get("differing.state"),
        recordings={
            int(name.split("/")[1].removesuffix(".rtk")): loads(data)
            for name, data in parts.items()
            if name.startswith("recordings/")
        },
    )


_NAMES = {"bundle.json", "around.rtk", "agreed.state", "differing.state"} | {
    f"recordings/{machine}.rtk" for machine in range(256)
}


def _read_parts(archive: zipfile.ZipFile) -> dict[str, bytes]:
    entries = archive.infolist()
    _limit("files in a bundle", len(entries), 4 + MAX_MACHINES)
    parts: dict[str, bytes] = {}
    for entry in entries:
        if entry.filename not in _NAMES or entry.filename in parts:
            raise InvalidValue(f"a bundle has no file called {entry.filename!r}, or has it once")
        most = MAX_JSON if entry.filename == "bundle.json" else MAX_PART
        _limit(f"bytes of {entry.filename}", entry.file_size, most)
        with archive.open(entry) as file:
            # The size in the directory is only a claim.
            data = file.read(most + 1)
        _limit(f"bytes of {entry.filename}", len(data), most)
        parts[entry.filename] = data
    return parts


def _head(data: bytes) -> dict[str, Any]:
    try:
        head = json.loads(data)
    except (ValueError, RecursionError):
        raise InvalidValue("bundle.json is not JSON") from None
    if not isinstance(head, dict) or type(head.get("retick_desync")) is not int:
        raise BadMagic("not a desync bundle: bundle.json says nothing of one")
    if head["retick_desync"] != VERSION:
        version = head["retick_desync"]
        raise UnsupportedVersion(f"version {version} of the bundle, not {VERSION}", version=version)
    machine, game = head.get("machine"), head.get("game")
    if type(machine) is not int or not 0 <= machine <= 255 or "report" not in head:
        raise InvalidValue("a bundle has a machine from 0 to 255 and a report")
    if not isinstance(game, str) or not game.isprintable() or len(game) > MAX_GAME:
        raise InvalidValue("a game's name is a short printable text")
    return head


def _limit(what: str, actual: int, limit: int) -> None:
    if actual > limit:
        raise LimitExceeded(f"{actual} {what}, and at most {limit} are read", what=what, limit=limit, actual=actual)
