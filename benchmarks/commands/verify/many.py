"""``python -m benchmarks verify --matches``: one-minute replays from files and archives, against the game's own loop.

A match of two real bots takes 20 ms to play, and a hundred thousand of them an hour. So a few bouts are played, and
every match takes the left player of one and the right player of another: no two are equal, and all move, jump and hit.
"""

# retick: floats -- times

import csv
import importlib.util
import io
import json
import os
import subprocess
import tarfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.commands.processes import start_benchmark
from retick.errors import RetickError
from retick.games.fighter import Fighter
from retick.games.fighter.bots import STYLES, bout
from retick.replay import Replay, dumps, loads
from retick.verify.kernel import final_checksums
from retick.verify.manifest import pyarrow

__all__ = ["PARTS", "Figure", "installed_parts", "measure_many"]

PARTS: Final = ("files", "tar", "parquet", "ray")
SOURCES: Final = {"files": "files", "tar": "all.tar", "parquet": "all.parquet", "ray": "all.tar"}
TARGETS: Final = {"files": 0.60, "tar": 0.80, "parquet": 0.80}
MOST_MIB: Final = 500
RAY_SHARE: Final = 0.75
SAMPLE: Final = 3000
FRAMES: Final = 3600
CORES: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """The figures of one part."""

    part: str
    matches: int
    seconds: float
    share: float
    """Share of twice the single-core rate of ``run``, by the wall clock."""
    cpu_share: float
    """Share of the process's CPU time that ``run`` takes; on an idle machine it equals the other share."""
    mib: float
    kept: bool | None
    """The target; None without one."""

    def __str__(self) -> str:
        rate = self.matches / self.seconds
        return (
            f"{self.part:>8}  {self.matches} matches in {self.seconds:6.2f} s  {rate:8.0f} a second  "
            f"{self.share:4.0%} of twice run on one core ({self.cpu_share:.0%} by CPU time)  {self.mib:4.0f} MiB"
            f"{'' if self.kept is None else '  kept' if self.kept else '  missed'}"
        )


def installed_parts() -> tuple[str, ...]:
    """The parts whose libraries are installed."""
    needs = {"parquet": "pyarrow", "ray": "ray"}
    return tuple(part for part in PARTS if part not in needs or importlib.util.find_spec(needs[part]) is not None)


def measure_many(
    folder: Path, matches: int, parts: tuple[str, ...], progress: Callable[[str], None]
) -> Iterator[Figure]:
    """Make the missing files in ``folder`` and run each part."""
    corpus = folder / f"matches-{matches}"
    if not (corpus / "done").exists():
        progress(f"{matches} matches are made")
        _make(corpus, matches)
    threads = 0.0
    for part in parts:
        progress(f"{part}: read once, so that no disk is measured")
        _read_once(corpus, part)
        progress(f"{part}: the game's own loop")
        before = _run_time(corpus)
        progress(part)
        found = _part(corpus, part)
        if found["ok"] != found["matches"] or found["matches"] != matches:
            raise RetickError(f"{part}: {found['ok']:.0f} of {found['matches']:.0f} matches are good, of {matches}")
        run, run_cpu = map(min, zip(before, _run_time(corpus), strict=True))
        share = matches * run / CORES / found["seconds"]
        kept = None if part == "ray" else share >= TARGETS[part] and found["mib"] < MOST_MIB
        if part == "tar":
            threads = found["seconds"]
        elif part == "ray" and threads:
            kept = threads / found["seconds"] >= RAY_SHARE
        yield Figure(
            part=part,
            matches=matches,
            seconds=found["seconds"],
            share=share,
            cpu_share=matches * run_cpu / found["cpu"],
            mib=found["mib"],
            kept=kept,
        )


def _read_once(corpus: Path, part: str) -> None:
    room = bytearray(1 << 20)
    source = corpus / SOURCES[part]
    for path in source.iterdir() if source.is_dir() else [source]:
        with path.open("rb", buffering=0) as file:
            while file.readinto(room):
                pass


def _part(corpus: Path, part: str) -> dict[str, float]:
    manifest = "" if part == "parquet" else str(corpus / "files" / "manifest.csv")
    engine = "ray" if part == "ray" else "threads"
    warm = str(corpus / "few.tar") if part == "ray" else ""
    words = json.dumps([str(corpus / SOURCES[part]), manifest, engine, warm])
    process = start_benchmark("verify.part", words, stderr=subprocess.PIPE)
    output, errors = process.communicate()
    if process.returncode:
        raise RetickError(f"{part}: {errors.strip().splitlines()[-1]}")
    found: dict[str, float] = json.loads(output.splitlines()[-1])
    return found


def _run_time(corpus: Path) -> tuple[float, float]:
    """Seconds and CPU seconds of ``run`` for one match, on one core: the best of some passes."""
    game = Fighter()
    names = sorted(os.listdir(corpus / "files"))[:SAMPLE]
    frames = [loads((corpus / "files" / name).read_bytes()).frames for name in names if name.endswith(".rplk")]
    state, best, best_cpu = game.initial_state(1), float("inf"), float("inf")
    for _ in range(5):
        started, cpu = time.perf_counter(), time.process_time()
        for each in frames:
            game.run(state, each)
        best = min(best, (time.perf_counter() - started) / len(frames))
        best_cpu = min(best_cpu, (time.process_time() - cpu) / len(frames))
    return best, best_cpu


def _make(corpus: Path, matches: int) -> None:
    files = corpus / "files"
    files.mkdir(parents=True, exist_ok=True)
    game = Fighter()
    side = 1
    while side * side < matches:
        side += 1
    bouts = [bout(number + 1, FRAMES, (STYLES[number % 3], STYLES[number // 3 % 3])) for number in range(side)]
    arrow = _arrow_writer(corpus / "all.parquet")
    with (
        (files / "manifest.csv").open("w", newline="") as listed,
        tarfile.open(corpus / "all.tar", "w", format=tarfile.USTAR_FORMAT) as tar,
        tarfile.open(corpus / "few.tar", "w", format=tarfile.USTAR_FORMAT) as few,
    ):
        lines = csv.writer(listed)
        lines.writerow(("path", "seed", "checksum"))
        for number in range(matches):
            data = dumps(Replay(seed=number + 1, frames=_mixed(bouts[number // side], bouts[number % side])))
            ((_, _, checksum),) = final_checksums(game, data, [(0, len(data))], FRAMES)  # type: ignore[misc]  # plain
            name = f"{number:06}.rplk"
            (files / name).write_bytes(data)
            lines.writerow((name, number + 1, f"{checksum:08X}"))
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
            if number < 100:
                few.addfile(member, io.BytesIO(data))
            if arrow is not None:
                arrow((name, data, number + 1, checksum))
    if arrow is not None:
        arrow(None)
    (corpus / "done").touch()


def _mixed(left: bytes, right: bytes) -> bytes:
    both = bytearray(left)
    both[2::4] = right[2::4]
    return bytes(both)


def _arrow_writer(path: Path) -> Callable[[Any], None] | None:
    """Writes a Parquet archive row by row, 512 at a time; None without pyarrow."""
    try:
        arrow, parquet = pyarrow(), pyarrow("pyarrow.parquet")
    except RetickError:
        return None
    schema = arrow.schema(
        [("path", arrow.string()), ("replay", arrow.binary()), ("seed", arrow.int64()), ("checksum", arrow.int64())]
    )
    writer = parquet.ParquetWriter(str(path), schema, compression="NONE", use_dictionary=False, write_statistics=False)
    waiting: list[Any] = []

    def write(row: Any) -> None:
        if row is not None:
            waiting.append(row)
        if waiting and (row is None or len(waiting) >= 512):
            writer.write_table(arrow.table([list(column) for column in zip(*waiting, strict=True)], schema=schema))
            waiting.clear()
        if row is None:
            writer.close()

    return write
