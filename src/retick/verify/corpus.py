"""Writes seeded matches of the fighter's bots into a folder, with a manifest of their final checksums."""

import csv
import os
from collections.abc import Iterator
from pathlib import Path

from retick.errors import UsageError
from retick.games.fighter import Fighter
from retick.games.fighter.bots import STYLES, bout
from retick.replay import Replay, save, verify
from retick.replay.storage import naming

MANIFEST = "manifest.csv"
PAIRS = tuple((first, second) for first in STYLES for second in STYLES)


def generate(folder: str | os.PathLike[str], *, matches: int, seed: int = 1, frames: int = 3600) -> Iterator[Path]:
    """Write ``matches`` RPLK files and their manifest; yield the path of each file after it was written.

    Match ``n`` has the seed ``seed + n``, and the pairs of styles take turns. The same numbers give the same bytes.
    """
    if matches < 1 or frames < 1:
        raise UsageError(f"matches and frames must be 1 or more, not {matches} and {frames}")
    if not 1 <= seed <= 0xFFFFFFFF - matches:
        raise UsageError(f"seeds go from 1 to 4294967295: {matches} matches from seed {seed} on do not fit")
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    if any(target.iterdir()):
        raise UsageError(f"{target} is not empty: name a new or empty folder")
    game = Fighter()
    part = target / f"{MANIFEST}.part"
    digits = max(6, len(str(matches - 1)))
    try:
        with naming(target / MANIFEST), part.open("w", newline="", encoding="utf-8") as file:
            lines = csv.writer(file, lineterminator="\n")
            lines.writerow(("path", "seed", "checksum"))
            for number in range(matches):
                match = Replay(seed=seed + number, frames=bout(seed + number, frames, PAIRS[number % len(PAIRS)]))
                path = target / f"{number:0{digits}}.rplk"
                save(path, match)
                lines.writerow((path.name, match.seed, f"0x{verify(match, game).checksum:08X}"))
                yield path
        part.replace(target / MANIFEST)
    finally:
        part.unlink(missing_ok=True)
