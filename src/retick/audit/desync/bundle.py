"""A desync in one file, to send to somebody who can explain it; docs/formats/desync-bundle.md is the specification.

A ZIP archive: ``bundle.json`` with the report, ``around.rtk`` with the match from a frame that agreed until after the
first one that differs, the two packed states around the difference, and whole recordings if there are any. One budget
covers the archive and the recordings in it; all entries are checked before one is read, and nothing is ever unpacked to
disk.
"""

import json
import os
import struct
import sys
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, Final

from retick.audit.desync.report_json import report_from_json, report_to_json
from retick.errors import BadMagic, InvalidValue, LimitExceeded, UnsupportedVersion, UsageError
from retick.replay import ReadLimits, Replay, dumps, loads
from retick.replay.limits import Budget
from retick.replay.storage import naming, read_bounded
from retick.rollback.desync.investigation import HeldEvidence, Investigation
from retick.rollback.desync.report import DesyncReport
from retick.sim.contract import NamesItself, PacksState, Simulation, input_size_of
from retick.sim.world import SimulatedWorld

__all__ = [
    "Bundle",
    "bundle_of",
    "load_bundle",
    "loads_bundle",
    "read_archive",
    "save_bundle",
]


# Reads a ZIP archive from a stranger: a few files with known names, within the budget of the whole file.
#
# Theory of operation. ``zipfile`` makes an object for each entry of the directory, decompresses by any method it knows
# (some take gigabytes by themselves), and lets entries share their bytes. So the directory is bounded before
# ``zipfile`` sees it, and all entries are checked before the first is expanded. docs/formats/desync-bundle.md numbers
# the checks.

END: Final = struct.Struct("<4sHHHHIIH")
"""End record: signature, two disk numbers, entries here and in all, size and offset of the directory, comment size."""
END_MAGIC: Final = b"PK\5\6"
LARGE_MAGIC: Final = b"PK\6\7"
"""Signature of the record before END in archives of more than 4 GiB."""
LARGE_SIZE: Final = 20
ENTRY_SIZE: Final = 512
"""Most bytes of an entry in the directory, with its name and archivers' additions."""
LOCAL: Final = struct.Struct("<4s22xHH")
"""Header of an entry's bytes: signature, sizes of the name and of the extra field."""
ENCRYPTED: Final = 1
_DAMAGED = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, OverflowError, UnicodeDecodeError)
"""Exceptions of ``zipfile`` for a damaged archive."""
METHODS: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def read_archive(data: bytes | bytearray, names: Mapping[str, int], most: int, budget: Budget) -> dict[str, bytes]:
    """Read at most ``most`` files; ``names`` has the largest size of each allowed name."""
    _check_end(data, most)
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            entries = archive.infolist()
            _check_entries(data, entries, names)
            for entry in entries:
                budget.spend("bytes", entry.file_size, entry.filename)
            return {entry.filename: _expand(archive, entry) for entry in entries}
    except _DAMAGED as error:
        raise BadMagic(f"not a desync bundle: {error}") from None


def _check_end(data: bytes | bytearray, most: int) -> None:
    """Check that the end record is right about the directory, and that the directory is small."""
    if len(data) < END.size or data[-END.size :][:4] != END_MAGIC:
        raise BadMagic("not a desync bundle: it does not end as a ZIP archive without a comment")
    _, disk, first_disk, here, entries, size, offset, comment = END.unpack(data[-END.size :])
    before = len(data) - END.size
    large = data[max(before - LARGE_SIZE, 0) :][:4] == LARGE_MAGIC
    if disk or first_disk or here != entries or comment or large or offset + size != before:
        raise BadMagic("not a desync bundle: its directory is not right before its end")
    for what, actual, limit in (("files", entries, most), ("bytes of its directory", size, most * ENTRY_SIZE)):
        if actual > limit:
            raise LimitExceeded(
                f"{actual} {what} in a bundle, and at most {limit} are read", what=what, limit=limit, actual=actual
            )


def _check_entries(data: bytes | bytearray, entries: list[zipfile.ZipInfo], names: Mapping[str, int]) -> None:
    end = 0
    seen: set[str] = set()
    for entry in sorted(entries, key=lambda entry: entry.header_offset):
        name = entry.filename
        if name not in names:
            raise InvalidValue(f"a bundle has no file called {name[:100]!r}")
        if name in seen:
            raise InvalidValue(f"a bundle must have each file once, and this one has {name!r} twice")
        seen.add(name)
        if entry.compress_type not in METHODS:
            raise InvalidValue(
                f"{name} is compressed by method {entry.compress_type}: only stored and deflate are read"
            )
        if entry.flag_bits & ENCRYPTED:
            raise InvalidValue(f"{name} is encrypted")
        if entry.file_size > names[name]:
            raise LimitExceeded(
                f"{entry.file_size} bytes of {name}, and at most {names[name]} are read",
                what=f"bytes of {name}",
                limit=names[name],
                actual=entry.file_size,
            )
        if entry.header_offset < end:
            raise InvalidValue(f"{name} shares its bytes with another file of the archive")
        end = _end_of(data, entry)


def _end_of(data: bytes | bytearray, entry: zipfile.ZipInfo) -> int:
    """The offset of the end of an entry."""
    _, name_size, extra_size = LOCAL.unpack_from(data, entry.header_offset)
    return int(entry.header_offset + LOCAL.size + name_size + extra_size + entry.compress_size)


def _expand(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    with archive.open(entry) as file:
        # The size in the directory may be false, so at most one byte more is expanded.
        data = file.read(entry.file_size + 1)
    if len(data) != entry.file_size:
        raise InvalidValue(f"{entry.filename} has {len(data)} bytes, but the archive says {entry.file_size}")
    return data


VERSION = 1
FRAMES_AFTER = 8
"""Frames in ``around`` after the first one that differs."""
MAX_JSON = 4 * 1024 * 1024
"""Most bytes of ``bundle.json``."""
MAX_PART = 64 * 1024 * 1024
"""Most bytes of any other entry."""
MAX_RECORDINGS = 16
MAX_GAME = 200
"""Most characters of a game's name."""
ANY_SEED = 1
"""Seed of a recording that starts from a state, where it has no meaning."""
JSON_COST = 32
"""Bytes of memory for each byte of JSON."""
_DATE = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """Everything that one peer has to explain a desync."""

    report: DesyncReport
    """The report, which is the same on all peers."""
    peer_id: int
    """The peer that wrote the bundle."""
    game: str = ""
    """The game's class as module:Class, for people to read; nothing is imported because of it."""
    around: Replay | None = field(default=None, repr=False)
    """This peer's match from a frame that agreed until after the difference, with a checksum for every frame."""
    agreed_state: bytes | None = field(default=None, repr=False)
    """The packed state of the last frame that agreed."""
    differing_state: bytes | None = field(default=None, repr=False)
    """This peer's packed state of the first frame that differs."""
    recordings: Mapping[int, Replay] = field(default_factory=dict, hash=False, repr=False)
    """Whole recordings, by peer id."""


def bundle_of(
    investigation: Investigation,
    sim: Simulation[Any],
    *,
    seed: int | None = None,
    recordings: Mapping[int, Replay] | None = None,
) -> Bundle:
    """Make this peer's bundle after a finished investigation.

    ``seed`` is the match's, and needed only if the game's state cannot be packed. It is refused if it does not lead to
    the first state of the match, where that is kept, or differs from the recordings' seed. Leave it out for a match
    that went on after a resync, which did not begin with a seed's state.
    """
    report = investigation.report
    if report is None:
        raise UsageError("the investigation is not finished: there is no report yet")
    held = investigation.held
    if seed is not None:
        _check_match_seed(seed, held, sim, recordings or {})
    return Bundle(
        report=report,
        peer_id=investigation.peer_id,
        game=_name_of(sim)[:MAX_GAME],
        around=_around(held, report, sim, seed),
        agreed_state=_packed(held, report.last_agreed, sim),
        differing_state=_packed(held, report.first_differing, sim),
        recordings=dict(recordings or {}),
    )


def _name_of(sim: Simulation[Any]) -> str:
    """The game's class as module:Class; the module is named by its file if it is the main program."""
    game = type(sim.world if isinstance(sim, SimulatedWorld) else sim)
    module = game.__module__
    if module == "__main__":
        module = Path(getattr(sys.modules[module], "__file__", None) or module).stem
    return f"{module}:{game.__qualname__}"


def _check_match_seed(seed: int, held: HeldEvidence, sim: Simulation[Any], recordings: Mapping[int, Replay]) -> None:
    for peer_id, recording in sorted(recordings.items()):
        if recording.seed != seed:
            raise UsageError(f"seed {seed} differs from the seed {recording.seed} of peer {peer_id}'s recording")
    if held.first == 0 and held.states:
        found = held.checksums[0]
        initial = sim.checksum(sim.initial_state(seed)) & 0xFFFFFFFF
        if initial != found:
            raise UsageError(
                f"seed {seed} gives a first state with checksum 0x{initial:08X}, but this match began with "
                f"0x{found:08X}: give the seed of the match, or none if it went on after a resync"
            )


def _packed(held: HeldEvidence, frame: int | None, sim: Simulation[Any]) -> bytes | None:
    state = None if frame is None else held.state_at(frame)
    if state is None or not isinstance(sim, PacksState):
        return None
    try:
        return sim.pack_state(state)
    except UsageError:  # a world whose saves are not bytes
        return None


def _around(held: HeldEvidence, report: DesyncReport, sim: Simulation[Any], seed: int | None) -> Replay | None:
    """The match from the oldest kept frame on, so that the frames before the difference can be checked too."""
    first = report.first_differing
    if first is None or report.last_agreed is None or not held.first <= report.last_agreed:
        return None
    start = _packed(held, held.first, sim)
    if start is None and (held.first > 0 or seed is None):
        return None
    end = min(held.end - 1, first + FRAMES_AFTER)
    return Replay(
        seed=ANY_SEED if seed is None else seed,
        frames=[held.inputs[frame] for frame in range(held.first, end)],  # type: ignore[arg-type] # packed there
        num_players=sim.num_players,
        input_size=input_size_of(sim),
        start_frame=held.first,
        start_state=start,
        game_id=sim.game_id if isinstance(sim, NamesItself) else "",
        game_version=sim.game_version if isinstance(sim, NamesItself) else 0,
        checkpoints={frame: held.checksums[frame - held.first] for frame in range(held.first, end + 1)},
    )


def save_bundle(path: str | os.PathLike[str], bundle: Bundle) -> None:
    """Write a bundle to a file, which gets its name when it is complete."""
    head = {
        "retick_desync": VERSION,
        "machine": bundle.peer_id,
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
    for peer_id, recording in sorted(bundle.recordings.items()):
        parts[f"recordings/{peer_id}.rtk"] = dumps(recording, format="rtk")
    final = Path(path)
    part = final.with_name(final.name + ".part")
    try:
        with naming(final), zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in parts.items():
                # A fixed date: the same bundle makes the same bytes, whenever it is written.
                archive.writestr(zipfile.ZipInfo(name, _DATE), data, zipfile.ZIP_DEFLATED)
        os.replace(part, final)
    finally:
        part.unlink(missing_ok=True)


def load_bundle(path: str | os.PathLike[str], *, limits: ReadLimits | None = None) -> Bundle:
    """Read a bundle; DecodeError if the file is not a bundle, OSError if it cannot be opened."""
    return loads_bundle(read_bounded(path, limits), limits=limits)


def loads_bundle(data: bytes | bytearray, *, limits: ReadLimits | None = None) -> Bundle:
    """Decode a bundle; DecodeError if it is wrong."""
    budget = Budget(limits or ReadLimits(), len(data))
    parts = read_archive(data, _SIZES, 4 + MAX_RECORDINGS, budget)
    if "bundle.json" not in parts:
        raise BadMagic("not a desync bundle: there is no bundle.json in it")
    budget.spend("bytes", JSON_COST * len(parts["bundle.json"]), "bundle.json")
    head = _head(parts["bundle.json"])
    around = parts.get("around.rtk")
    return Bundle(
        report=report_from_json(head["report"]),
        peer_id=head["machine"],
        game=head["game"],
        around=None if around is None else loads(around, limits=budget),
        agreed_state=parts.get("agreed.state"),
        differing_state=parts.get("differing.state"),
        recordings={
            int(name.split("/")[1].removesuffix(".rtk")): loads(data, limits=budget)
            for name, data in parts.items()
            if name.startswith("recordings/")
        },
    )


_SIZES = {"bundle.json": MAX_JSON} | dict.fromkeys(
    ("around.rtk", "agreed.state", "differing.state", *(f"recordings/{peer_id}.rtk" for peer_id in range(256))),
    MAX_PART,
)


def _head(data: bytes) -> dict[str, Any]:
    try:
        head = json.loads(data)
    except (ValueError, RecursionError):
        raise InvalidValue("bundle.json is not JSON") from None
    if not isinstance(head, dict) or type(head.get("retick_desync")) is not int:
        raise BadMagic("not a desync bundle: bundle.json has no retick_desync number")
    if head["retick_desync"] != VERSION:
        version = head["retick_desync"]
        raise UnsupportedVersion(f"the bundle has version {version}, and this reads version {VERSION}", version=version)
    peer_id, game = head.get("machine"), head.get("game")
    if type(peer_id) is not int or not 0 <= peer_id <= 255 or "report" not in head:
        raise InvalidValue("bundle.json must have a machine from 0 to 255 and a report")
    if not isinstance(game, str) or not game.isprintable() or len(game) > MAX_GAME:
        raise InvalidValue("a game's name is a short printable text")
    return head
