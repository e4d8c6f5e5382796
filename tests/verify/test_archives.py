"""Packed archives: batches of their members, and what is wrong with an archive as an entry."""

import gzip
import zlib
from pathlib import Path
from typing import Any

import pytest

from retick.replay import ReadLimits
from retick.verify.archives import is_parquet, is_tar, parquet_batches, tar_batches
from retick.verify.batch import BatchEntry
from tests.verify.matches import COUNT, packed, parquet_of

LIMITS = ReadLimits()


def look(path: str, name: str, start: int, end: int) -> BatchEntry:
    return BatchEntry(path, start, end)


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


@pytest.mark.parametrize("ending", [".tar", ".tar.gz"])
@pytest.mark.parametrize("piece", [4096, 1 << 20])
def test_what_is_before_the_damage_has_its_entries_and_then_one_says_what_is_wrong(
    folder: Path, tmp_path: Path, ending: str, piece: int
) -> None:
    whole = packed(folder, tmp_path / "all.tar").read_bytes()
    expected = [path.read_bytes() for path in sorted(folder.glob("*.rplk"))]
    place = whole.index(b"000009.rplk")
    pack = gzip.compress if ending == ".tar.gz" else bytes
    bad = tmp_path / f"bad{ending}"
    damaged = [pack(whole[:place] + b"x" * 512 + whole[place + 512 :]), pack(whole[: place + 600])]
    if ending == ".tar.gz":
        pieces = zlib.compressobj(wbits=31)
        damaged.append(pieces.compress(whole[: place + 512]) + pieces.flush(zlib.Z_FULL_FLUSH))
        damaged.append(damaged[-1] + b"\x07" + bytes(100))  # a block of a kind that there is not
    for data in damaged:
        bad.write_bytes(data)
        batches = list(tar_batches(str(bad), look, piece, LIMITS))
        problems = [entry.problem for each in batches for entry in each.entries]
        assert problems[:9] == [""] * 9
        assert contents(batches)[:9] == expected[:9]
        assert len(problems) == 10
        assert problems[9].startswith("the archive cannot be read further: ")


@pytest.mark.parametrize("ending", [".tar", ".tar.gz", ".tar.bz2", ".tar.xz"])
def test_an_archive_without_a_byte_is_an_entry(tmp_path: Path, ending: str) -> None:
    (tmp_path / f"no{ending}").write_bytes(b"")
    (batch,) = tar_batches(str(tmp_path / f"no{ending}"), look, 1000, LIMITS)
    (entry,) = batch.entries
    assert entry.problem.startswith("the archive cannot be read further: ")


def test_entries_over_the_limit_are_in_their_place_and_only_if_they_are_replays(tmp_path: Path) -> None:
    for name, size in (("a.rplk", 10), ("b.rplk", 2000), ("c.mp4", 2000), ("d.rplk", 10)):
        (tmp_path / "in").mkdir(exist_ok=True)
        (tmp_path / "in" / name).write_bytes(bytes(size))
    tar, asked = packed(tmp_path / "in", tmp_path / "all.tar"), []

    def noted(path: str, name: str, start: int, end: int) -> BatchEntry:
        asked.append(name)
        return BatchEntry(path, start, end)

    (batch,) = tar_batches(str(tar), noted, 1 << 20, ReadLimits(max_bytes=1000))
    assert [(entry.path[-6:], entry.problem) for entry in batch.entries] == [
        ("a.rplk", ""),
        ("b.rplk", "it is over the limit of 1000 bytes"),
        ("d.rplk", ""),
    ]
    assert asked == ["a.rplk", "b.rplk", "d.rplk"], "a manifest's entry for it is not missing"


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
    twice = arrow.table({"path": ["x"], "replay": [b""]}).append_column("path", [["y"]])
    tables = [twice, *map(arrow.table, ({"path": ["x"]}, {"path": ["x"], "replay": ["text"]}))]
    for table in tables:
        parquet.write_table(table, tmp_path / "odd.parquet")
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
