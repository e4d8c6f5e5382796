"""Files and URLs read into one buffer."""

from pathlib import Path

import pytest

from retick.replay import ReadLimits
from retick.verify import reading
from retick.verify.batch import Batch, BatchEntry
from retick.verify.reading import FileReader


def contents(batch: Batch) -> list[bytes | str]:
    return [entry.problem or bytes(batch.data[entry.start : entry.end]) for entry in batch.entries]


@pytest.fixture
def files(tmp_path: Path) -> list[BatchEntry]:
    for name, size in (("a", 3), ("b", 50), ("c", 0), ("d", 5)):
        (tmp_path / name).write_bytes(name.encode() * size)
    return [BatchEntry(str(tmp_path / name), seed=at) for at, name in enumerate("abcd")]


@pytest.mark.parametrize("room", [1, 4, 58, 59, 1000])
def test_every_file_is_there_in_order_whatever_the_buffer_holds(
    files: list[BatchEntry], room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "BATCH_BYTES", room)
    reader = FileReader()
    for _ in range(2):  # the second time in a buffer that was made larger, or not
        batch = reader.read(files)
        assert contents(batch) == [b"aaa", b"b" * 50, b"", b"ddddd"]
        assert [entry.seed for entry in batch.entries] == [0, 1, 2, 3]


def test_what_cannot_be_read_says_why_and_the_others_are_read(files: list[BatchEntry], tmp_path: Path) -> None:
    odd = [
        BatchEntry(str(tmp_path / "gone")),
        BatchEntry(str(tmp_path)),
        BatchEntry("a\0b"),
        BatchEntry("x", problem="wrong before"),
    ]
    found = contents(FileReader(ReadLimits(max_bytes=40)).read([*odd, *files]))
    assert found[:2] == ["No such file or directory", "Is a directory"]
    assert "null" in str(found[2])
    assert found[3] == "wrong before"
    assert found[4:] == [b"aaa", "the file is over the limit of 40 bytes", b"", b"ddddd"]


def test_no_files_are_an_empty_batch() -> None:
    assert FileReader().read([]).entries == []


def test_a_system_without_readv_copies(files: list[BatchEntry], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_readv", reading._copied)
    monkeypatch.setattr(reading, "read_files", lambda paths, buffer, most: [-1] * len(paths))
    assert contents(FileReader().read(files)) == [b"aaa", b"b" * 50, b"", b"ddddd"]
