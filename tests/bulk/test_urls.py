"""Recordings behind URLs, with the file system that fsspec keeps in memory."""

from pathlib import Path

import pytest

from retick.bulk import Run
from retick.bulk.urls import is_url
from tests.bulk.matches import COUNT, packed, parquet_of

fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")


@pytest.fixture
def remote(folder: Path, tmp_path: Path) -> str:
    memory = fsspec.filesystem("memory")
    memory.store.clear()
    for path in folder.iterdir():
        memory.pipe(f"/season/{path.name}", path.read_bytes())
    memory.pipe("/all.tar", packed(folder, tmp_path / "all.tar").read_bytes())
    return "memory://"


@pytest.mark.parametrize("source", ["season/", "season/*.rplk", "all.tar"])
def test_folders_patterns_and_archives_behind_urls_are_read(remote: str, source: str, folder: Path) -> None:
    manifest = folder / "manifest.csv"
    rows = list(Run([remote + source], engine="threads", manifest=manifest))
    assert [row.seed for row in rows] == list(range(1, COUNT + 1))
    assert {row.verdict for row in rows} == {"ok"}


def test_a_manifest_may_name_urls(remote: str, folder: Path) -> None:
    manifest = folder / "manifest.csv"
    first, *lines = manifest.read_text().splitlines()
    manifest.write_text("\n".join([first, *(f"memory://season/{line}" for line in lines)]))
    assert [row.verdict for row in Run(engine="threads", manifest=manifest)] == ["ok"] * COUNT
    assert next(iter(Run(["memory://season/000000.rplk"], engine="threads", manifest=manifest))).verdict == "ok"


def test_parquet_behind_a_url_is_read(remote: str, folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    data = parquet_of(folder, tmp_path / "all.parquet").read_bytes()
    fsspec.filesystem("memory").pipe("/all.parquet", data)
    rows = list(Run(["memory://all.parquet"], engine="threads"))
    assert [row.verdict for row in rows] == ["ok"] * COUNT


def test_a_url_that_does_not_answer_is_a_row_that_says_why(remote: str) -> None:
    rows = list(Run(["memory://gone.rplk", "memory://gone/", "memory://gone.tar", "odd://x.rplk"], engine="threads"))
    assert [row.verdict for row in rows] == ["unreadable"] * 4
    assert "FileNotFoundError" in rows[0].reason
    assert rows[1].reason
    assert "Protocol not known" in rows[3].reason


def test_a_drive_is_no_url() -> None:
    assert not any(map(is_url, ["C:/matches", "C:\\matches", "matches", "a:b", "./x://y"]))
    assert all(map(is_url, ["s3://bucket/x", "https://host/x", "tar://x::file://y", "simplecache::s3://x"]))
