"""Files of results: written as rows come, read again for what needs no run, mended where they are torn."""

import errno
import os
from io import FileIO
from pathlib import Path
from typing import Any

import pytest

from retick.errors import UsageError
from retick.verify import ResultFile
from retick.verify.rows import Row, read_row

ROWS = [
    Row("a.rplk", "ok", "", 1, 60, 0xFFFFFFFF, 0xFFFFFFFF, 1),
    Row('b "\n\u202e\U0001f600', "differs", "frame 3 …", 2, 60, 5, 6, 1, 3, None),
    Row("c", "unreadable", "no such file"),
]
NAMES = ["results.jsonl", "results.parquet"]


@pytest.mark.parametrize("name", NAMES)
def test_a_file_that_is_opened_again_has_its_paths_and_verdicts_and_goes_on(name: str, tmp_path: Path) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    path = tmp_path / name
    with ResultFile(path) as file:
        assert not file.paths
        file.write(ROWS[:2])
    with ResultFile(path) as file:
        assert file.paths == {row.path for row in ROWS[:2]}
        assert file.verdicts == {"ok": 1, "differs": 1}
        file.write(ROWS[2:])
    with ResultFile(path) as file:
        assert file.paths == {row.path for row in ROWS}
        assert file.verdicts == {"ok": 1, "differs": 1, "unreadable": 1}
    assert [each.name for each in tmp_path.iterdir()] == [name]


def test_lines_are_rows_of_json(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    with ResultFile(path) as file:
        file.write(ROWS)
    assert [read_row(line) for line in path.read_text("ascii").splitlines()] == ROWS


def test_at_whatever_byte_a_file_of_lines_is_torn_it_is_mended(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    with ResultFile(path) as file:
        file.write(ROWS)
    whole = path.read_bytes()
    for size in range(len(whole) + 1):
        path.write_bytes(whole[:size])
        with ResultFile(path) as file:
            assert len(file.paths) == whole[:size].count(b"\n")
            file.write([row for row in ROWS if row.path not in file.paths])
        assert path.read_bytes() == whole


@pytest.mark.parametrize("name", NAMES)
def test_another_file_is_refused_and_left_as_it_is(name: str, tmp_path: Path) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    path = tmp_path / name
    path.write_bytes(b'{"name": "something else"}\nmore\n')
    with pytest.raises(UsageError, match="is not a file of results: "):
        ResultFile(path)
    assert path.read_bytes() == b'{"name": "something else"}\nmore\n'


def test_a_full_disk_is_an_error_that_is_raised_and_the_lines_before_stay_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(FileIO):
        left = 1000

        def write(self, data: Any) -> int:
            taken = min(len(data), self.left)
            if not taken:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            self.left -= taken
            return super().write(bytes(data[:taken])) or 0

    path = tmp_path / "results.jsonl"
    with monkeypatch.context() as patch:
        patch.setattr(
            "retick.verify.results.open",
            lambda file, mode, **named: Full(file, "a+") if mode == "a+b" else FileIO(file, "r", named["closefd"]),
            raising=False,
        )
        file = ResultFile(path)
        with pytest.raises(OSError, match="No space"):
            file.write(10 * ROWS)
        file.close()
    with ResultFile(path) as file:
        assert file.verdicts.total() == 5


@pytest.mark.parametrize("content", [b'{"components": []}', b"my notes", b"RPLK\x01\x00", b'{"path"; "x'])
def test_another_file_without_a_last_newline_is_no_torn_line(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="not a file of results"):
        ResultFile(path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("name", ["results.csv", "match.rplk", "results"])
def test_only_the_two_endings_are_taken(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(b"")
    with pytest.raises(UsageError, match=r"end in \.jsonl or \.parquet"):
        ResultFile(path)
    assert path.read_bytes() == b""
