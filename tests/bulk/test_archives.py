"""Packed archives: batches of their members, and what is wrong with an archive as an entry."""

import gzip
from pathlib import Path
from typing import Any

import pytest

from retick.bulk.archives import is_parquet, is_tar, parquet_batches, tar_batches
from retick.replay import ReadLimits
from retick.replay.many.batch import Entry
from tests.bulk.matches import COUNT, packed, parquet_of

LIMITS = ReadLimits()


def look(path: str, name: str, start: int, end: int) -> Entry:
    return Entry(path, start, end)


def contents(batches: list[Any]) -> list[bytes]:
    return [bytes(memoryview(each.data)[entry.start : entry.end]) for each in batches for entry in each.entries]


@pytest.mark.parametrize("ending", [".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz"])
def test_pieces_of_any_size_give_every_member(folder: Path, tmp_path: Path, ending: str) -> None:
    mode = {".tar": "w", ".tar.bz2": "w:bz2", ".tar.xz": "w:xz"}.get(ending, "w:gz")
    tar = packed(folder, tmp_path / f"all{ending}", mode)
    for piece in (512, 1000, 4096, 1 << 20):
        batches = list(tar_batches(str(tar), look, piece, LIMITS))
        assert [entry.problem for each in batches for entry in each.entries] == [""] * COUNT
        assert contents(batches) == [path.read_bytes() for path in sorted(folder.glob("*.rplk"))]


def test_a_member_over_the_limit_and_a_damaged_stream_are_entries(folder: Path, tmp_path: Path) -> None:
    tar = packed(folder, tmp_path / "all.tar")
    (batch,) = tar_batches(str(tar), look, 1 << 20, ReadLimits(max_bytes=100))
    assert {entry.problem for entry in batch.entries} == {"it is over the limit of 100 bytes"}
    broken = tmp_path / "all.tgz"
    broken.write_bytes(gzip.compress(tar.read_bytes())[:-200])
    *_, last = tar_batches(str(broken), look, 1024, LIMITS)
    assert last.entries[-1].problem.startswith("the archive cannot be read further: ")


def test_parquet_comes_in_batches_of_64_rows_where_so_many_fit(tmp_path: Path) -> None:
    arrow: Any = pytest.importorskip("pyarrow")
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    rows = 300
    replays = [bytes([at % 256]) * 100 for at in range(rows)]
    name = tmp_path / "all.parquet"
    table = arrow.table({"path": [str(at) for at in range(rows)], "replay": replays})
    parquet.write_table(table, name, compression="NONE", use_dictionary=False)
    many = list(parquet_batches(str(name), look, 100 * 100, LIMITS))
    assert [len(each.entries) for each in many] == [64, 64, 64, 64, 44]
    assert contents(many) == replays
    few = list(parquet_batches(str(name), look, 100 * 10, LIMITS))
    assert max(len(each.entries) for each in few) <= 10
    assert contents(few) == replays


def test_columns_that_are_not_those_of_replays_are_an_entry(folder: Path, tmp_path: Path) -> None:
    arrow: Any = pytest.importorskip("pyarrow")
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    for columns in ({"path": ["x"]}, {"path": ["x"], "replay": ["text"]}):
        parquet.write_table(arrow.table(columns), tmp_path / "odd.parquet")
        (batch,) = parquet_batches(str(tmp_path / "odd.parquet"), look, 1000, LIMITS)
        assert "column" in batch.entries[0].problem
    data = parquet_of(folder, tmp_path / "all.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(data[:-20])
    (batch,) = parquet_batches(str(tmp_path / "cut.parquet"), look, 1000, LIMITS)
    assert batch.entries[0].problem.startswith("the archive cannot be read further: ")


def test_endings_tell_the_kind() -> None:
    assert all(map(is_tar, ["a.tar", "A.TAR.GZ", "x.tgz", "s3://b/x.tar.xz"]))
    assert not any(map(is_tar, ["tar", "a.tar.zip", "a.parquet"]))
    assert is_parquet("A.Parquet")
    assert not is_parquet("parquet")
