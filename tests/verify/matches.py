"""Replays, archives and games for tests of many matches."""

import csv
import io
import os
import signal
import tarfile
from pathlib import Path
from typing import Any

from retick.games.fighter import Fighter
from retick.verify.corpus import generate

COUNT = 12


class Turned(Fighter):
    """A fighter with one rule changed: after frame 50 the players' buttons are exchanged."""

    def step(self, state: Any, inputs: Any) -> Any:
        return super().step(state, inputs[::-1] if state.frame >= 50 else inputs)


class Raising(Fighter):
    """A game that raises in the middle of the matches with even seeds."""

    def step(self, state: Any, inputs: Any) -> Any:
        if state.frame == 30 and state.rng % 2 == 0:
            raise RuntimeError("the clock struck thirteen")
        return super().step(state, inputs)


class Deadly(Fighter):
    """A game that ends its process in the match with seed 3."""

    def step(self, state: Any, inputs: Any) -> Any:
        if state.frame == 30 and state.rng == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return super().step(state, inputs)


def corpus(folder: Path, matches: int = COUNT) -> Path:
    """Matches of seeds 1 and on, of 120 frames, and their manifest."""
    list(generate(folder, matches=matches, seed=1, frames=120))
    return folder


def packed(folder: Path, target: Path, mode: str = "w") -> Path:
    with tarfile.open(target, mode) as tar:  # type: ignore[call-overload]  # one of its modes
        for path in sorted(folder.iterdir()):
            member = tarfile.TarInfo(path.name)
            member.size = path.stat().st_size
            tar.addfile(member, io.BytesIO(path.read_bytes()))
    return target


def manifest_of(folder: Path) -> list[dict[str, str]]:
    with (folder / "manifest.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def parquet_of(folder: Path, target: Path) -> Path:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    rows = manifest_of(folder)
    table = pa.table(
        {
            "path": [row["path"] for row in rows],
            "replay": [(folder / row["path"]).read_bytes() for row in rows],
            "seed": [int(row["seed"]) for row in rows],
            "checksum": [row["checksum"] for row in rows],
        }
    )
    parquet.write_table(table, target, row_group_size=5)
    return target


class MortalOnce(Fighter):
    """A game that kills its process in the match with seed 7, the first time that anybody runs it."""

    def step(self, state: Any, inputs: Any) -> Any:
        flag = Path(os.environ["RETICK_TEST_FLAG"])
        if state.frame == 30 and state.rng == 7 and not flag.exists():
            flag.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return super().step(state, inputs)
