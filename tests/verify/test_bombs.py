"""Archives that unpack to far more than their size are a row, and take no more memory than an honest one."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from retick.errors import DecodeError, LimitExceeded
from retick.replay import ReadLimits
from retick.verify.archives import parquet_batches, tar_batches
from retick.verify.batch import BatchEntry
from retick.verify.manifest import Manifest
from retick.verify.parquet import _struct, parquet_file, parquet_parts
from retick.verify.xz import XzFile
from tests.verify.bombs import MIB, large_pages, repeated_value, xz_bomb

LIMITS = ReadLimits()
HONEST_MIB = 90
"""MiB above the start that reading an archive of a few kilobytes may take; the budget of such a file is 17 to 60."""
VERIFY = """
import resource, sys
from retick.verify import verify_many
import retick.verify.archives, retick.verify.engines, pyarrow.parquet
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
list(verify_many([], manifest=sys.argv[1]))
before = peak()
most = float(sys.argv[3])
if most:
    size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + int(most * 2**20),) * 2)
rows = [(row.verdict, row.reason) for row in verify_many([sys.argv[2]], "retick.fighter", workers=1)]
print(peak() - before, len(rows), *{f"{verdict}: {reason}" for verdict, reason in rows}, sep="\\n")
"""
Make = Callable[[Path], Path]
BOMBS: dict[str, Make] = {
    "a dictionary of 4 GiB for 1 MiB": lambda path: xz_bomb(path / "a.tar.xz", MIB),
    "a dictionary of 4 GiB for 300 MiB": lambda path: xz_bomb(path / "a.tar.xz", 300 * MIB),
    "one large member": lambda path: xz_bomb(path / "a.tar.xz", 250 * MIB, code=24),
    "a value of 2 MiB in 3,700 rows": lambda path: repeated_value(path / "a.parquet", 3700, 2 * MIB),
    "a path of 2 MiB in 3,700 rows": lambda path: repeated_value(path / "a.parquet", 3700, 2 * MIB, "path"),
    "pages of 1 MiB": lambda path: large_pages(path / "a.parquet", 300, MIB),
    "a page of 600 MiB": lambda path: large_pages(path / "a.parquet", 600, MIB, data_page_size=1 << 30),
}


@pytest.mark.skipif(sys.platform != "linux", reason="peaks are measured as Linux counts them")
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_small_archive_takes_little_memory_whatever_it_unpacks_to(bomb: str, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    path = BOMBS[bomb](tmp_path)
    assert path.stat().st_size < 400_000
    peak, rows, reasons = run(path, tmp_path)
    assert peak < HONEST_MIB, reasons
    assert rows == (3700 if bomb.startswith("a value") else 1), reasons
    print(f"{bomb}: {path.stat().st_size} bytes on the disk, {peak} MiB in memory, {reasons}")


def run(path: Path, folder: Path, most: float = 0) -> tuple[int, int, str]:
    """The peak in MiB above the start, the number of rows, and what they say."""
    (folder / "none.csv").write_text("path,seed,checksum\n")
    words = [sys.executable, "-c", VERIFY, str(folder / "none.csv"), str(path), str(most)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    peak, rows, *reasons = done.stdout.splitlines()
    return int(peak), int(rows), "\n".join(reasons)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits memory like this")
@pytest.mark.parametrize("bomb", ["one large member", "a page of 600 MiB"])
def test_too_little_memory_is_a_row_and_not_the_end_of_the_run(bomb: str, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    _, rows, reasons = run(BOMBS[bomb](tmp_path), tmp_path, most=60)
    assert rows == 1
    assert reasons.startswith("unreadable: ")


def look(path: str, name: str, start: int, end: int) -> BatchEntry:
    return BatchEntry(path, start, end)


def test_an_archive_that_asks_for_a_large_dictionary_says_what_it_needs(tmp_path: Path) -> None:
    (batch,) = tar_batches(str(xz_bomb(tmp_path / "a.tar.xz", MIB)), look, MIB, LIMITS)
    (entry,) = batch.entries
    assert entry.problem == "the archive cannot be read further: it needs more than 80 MiB of memory to be unpacked"
    trusted = ReadLimits.trusting(5000 * MIB)
    (batch,) = tar_batches(str(xz_bomb(tmp_path / "b.tar.xz", MIB, code=26)), look, MIB, trusted)
    assert batch.entries[0].problem == "", "a dictionary of 32 MiB"


def test_a_second_file_behind_the_first_has_the_same_limit(tmp_path: Path) -> None:
    good, bad = (xz_bomb(tmp_path / "x.xz", MIB, code=code).read_bytes() for code in (18, 40))
    (tmp_path / "both.xz").write_bytes(good + bytes(4) + b"padding")
    with (tmp_path / "both.xz").open("rb") as file:
        assert len(XzFile(file).read(1 << 30)) == MIB + 1536
    (tmp_path / "both.xz").write_bytes(good + bad)
    with (tmp_path / "both.xz").open("rb") as file, pytest.raises(LimitExceeded):
        XzFile(file).read(1 << 30)


def test_honest_parquet_is_read_however_it_was_written(tmp_path: Path) -> None:
    arrow: Any = pytest.importorskip("pyarrow")
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    replays = [bytes([at % 7]) * (at % 50 + 1) for at in range(1000)]
    table = arrow.table({"path": [str(at) for at in range(1000)], "replay": replays, "seed": [1] * 1000})
    ways: list[dict[str, Any]] = [
        {},
        {"use_dictionary": False},
        {"data_page_version": "2.0"},
        {"compression": "zstd", "data_page_size": 100},
        {"row_group_size": 70, "write_page_index": True},
        {"dictionary_pagesize_limit": 50},
        {"write_page_checksum": True},
        {"version": "1.0"},
    ]
    for way in ways:
        parquet.write_table(table, tmp_path / "a.parquet", **way)
        batches = list(parquet_batches(str(tmp_path / "a.parquet"), look, MIB, LIMITS))
        found = [bytes(batch.data[entry.start : entry.end]) for batch in batches for entry in batch.entries]
        assert found == replays, way


def test_encodings_whose_pages_may_hold_any_size_are_refused(tmp_path: Path) -> None:
    arrow: Any = pytest.importorskip("pyarrow")
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    table = arrow.table({"path": ["x" * 100] * 100, "replay": [b"y" * 100] * 100})
    for encoding in ("DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY"):
        parquet.write_table(table, tmp_path / "a.parquet", use_dictionary=False, column_encoding={"replay": encoding})
        (batch,) = parquet_batches(str(tmp_path / "a.parquet"), look, MIB, LIMITS)
        assert "the encoding" in batch.entries[0].problem


def test_a_manifest_has_the_same_limits(tmp_path: Path) -> None:
    bomb = repeated_value(tmp_path / "m.parquet", 100, 2 * MIB, "path")
    assert len(list(Manifest(bomb).missing())) == 1, "one path, 100 times"
    pages = large_pages(tmp_path / "p.parquet", 30, MIB)
    with pages.open("rb") as file, pytest.raises(DecodeError, match="unpacks to more than"):
        list(parquet_parts(parquet_file(str(pages), file), file, ["replay"], 64))


def test_page_headers_are_parsed_or_refused() -> None:
    assert _struct(bytes.fromhex("1502150415 06 2c 1508 1500 00 00".replace(" ", "")), 0, 0) == (
        {1: 1, 2: 2, 3: 3, 5: {1: 4, 2: 0}},
        13,
    )
    for wrong in ("15021504", "1502050205", "1c1c1c1c1c1c1c", "19", "15ffffffffffffffffffffff", "1d"):
        with pytest.raises((DecodeError, IndexError)):
            _struct(bytes.fromhex(wrong), 0, 0)
    twice = bytes.fromhex("1502 0502 02 00".replace(" ", ""))
    with pytest.raises(DecodeError, match="twice"):
        _struct(twice, 0, 0)
