"""Many files read in one call: what is read is right, and what is unusual is left to the ordinary way."""

import os
import re
from pathlib import Path

import pytest

from retick.verify import kernel
from retick.verify.kernel import read_files

is_compiled = not kernel.__file__.endswith(".py")
compiled_only = pytest.mark.skipif(not is_compiled or os.name == "nt", reason="uncompiled, every file is left")


def test_files_stand_one_behind_the_other(tmp_path: Path) -> None:
    contents = [b"first", b"", b"third" * 100, "\u00fc".encode()]
    paths = []
    for number, content in enumerate(contents):
        path = tmp_path / f"{number}-\u00fc.rplk"
        path.write_bytes(content)
        paths.append(str(path))
    buffer = bytearray(1000)
    ends = read_files(paths, buffer, 1000)
    if not is_compiled or os.name == "nt":
        assert ends == [-1] * 4
    else:
        assert ends == [5, 5, 505, 507]
        assert buffer[:507] == b"".join(contents)


@compiled_only
def test_what_does_not_open_end_or_fit_is_left_and_the_next_takes_its_place(tmp_path: Path) -> None:
    good = tmp_path / "good"
    good.write_bytes(b"good")
    large = tmp_path / "large"
    large.write_bytes(bytes(9))
    os.mkfifo(tmp_path / "pipe")
    paths = ["", "gone", str(tmp_path), "\ud800", f"{good}\0", str(large), str(tmp_path / "pipe"), str(good), str(good)]
    buffer = bytearray(8)
    assert read_files(paths, buffer, 8) == [-1, -1, -1, -1, -1, -1, -1, 4, -1]
    assert buffer[:4] == b"good"
    assert read_files([str(good)] * 2, bytearray(9), 3) == [-1, -1], "over the limit"
    assert read_files([str(good)] * 2, bytearray(9), 4) == [4, 8]
    assert read_files([str(good)], bytearray(), 4) == [-1]


def test_no_file_is_no_result() -> None:
    assert read_files([], bytearray(4), 4) == []


@compiled_only
def test_a_name_that_no_text_can_have_is_read_by_its_bytes(tmp_path: Path) -> None:
    name = os.fsencode(tmp_path) + b"/\xff.rplk"
    try:
        Path(os.fsdecode(name)).write_bytes(b"odd")
    except OSError as error:
        pytest.skip(f"no such name here: {error.strerror}")
    assert read_files([os.fsdecode(name)], bytearray(9), 9) == [3]


@compiled_only
def test_every_file_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "one"
    path.write_bytes(b"1")
    first = os.open(path, os.O_RDONLY)
    os.close(first)
    read_files([str(path), str(tmp_path), "gone"] * 10, bytearray(99), 9)
    again = os.open(path, os.O_RDONLY)
    os.close(again)
    assert again == first


def test_the_declarations_name_every_call_for_both_kinds_of_system() -> None:
    text = Path(kernel.__file__).with_name("kernel.pxd").read_text(encoding="utf-8")
    for name in ("open_plain", "read_plain", "close_plain"):
        assert len(re.findall(rf"#define {name}\(", text)) == 2
