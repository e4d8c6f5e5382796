"""Archives from strangers: bounded before anything is expanded, whatever their directory says."""

import struct
import tracemalloc
import zipfile
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.audit.desync.bundle import END, read_archive
from retick.errors import BadMagic, DecodeError, InvalidValue, LimitExceeded
from retick.replay.limits import Budget, ReadLimits

NAMES = {"a": 1 << 26, "b": 1 << 26, "c": 1 << 26}
SMALL = ReadLimits(free_bytes=1 << 20, growth=8)


def archive_of(*entries: tuple[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in entries:
            archive.writestr(name, data)
    return out.getvalue()


def read(data: bytes, limits: ReadLimits = SMALL, most: int = 3) -> dict[str, bytes]:
    return read_archive(data, NAMES, most, Budget(limits, len(data)))


def test_stored_and_deflated_files_are_read() -> None:
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        assert read(archive_of(("a", b"x" * 1000), ("b", b""), method=method)) == {"a": b"x" * 1000, "b": b""}


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_methods_are_refused(method: int) -> None:
    with pytest.raises(InvalidValue, match="only stored and deflate"):
        read(archive_of(("a", b"x" * 1000), method=method))


def test_sizes_are_added_up_before_the_first_file_is_expanded() -> None:
    data = archive_of(*((name, bytes(1 << 20)) for name in NAMES))
    budget = Budget(SMALL, len(data))
    tracemalloc.start()
    with pytest.raises(LimitExceeded):
        read_archive(data, NAMES, 3, budget)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 18


def test_a_size_that_lies_expands_no_further_than_it_says() -> None:
    data = bytearray(archive_of(("a", bytes(1 << 24))))
    for said in (100, 0):
        at = data.index(b"PK\1\2") + 24
        data[at : at + 4] = struct.pack("<I", said)
        tracemalloc.start()
        with pytest.raises(DecodeError):
            read(bytes(data))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 1 << 18


def test_a_directory_of_thousands_is_refused_before_it_is_read() -> None:
    many = archive_of(*((f"{number}", b"") for number in range(5000)))
    tracemalloc.start()
    with pytest.raises(LimitExceeded, match="5000 files"):
        read(many)
    # The count may lie; the size of the directory is bounded too.
    end = list(END.unpack(many[-END.size :]))
    end[3] = end[4] = 3
    with pytest.raises(LimitExceeded, match="bytes of its directory"):
        read(many[: -END.size] + END.pack(*end))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * len(many)


def test_entries_that_share_their_bytes_are_refused() -> None:
    data = archive_of(("a", b"x" * 100), ("b", b"x" * 100))
    second = data.index(b"PK\1\2", data.index(b"PK\1\2") + 4)
    overlapping = bytearray(data)
    overlapping[second + 42 : second + 46] = struct.pack("<I", 10)
    with pytest.raises(DecodeError, match="shares its bytes"):
        read(bytes(overlapping))


def test_two_files_of_one_name_and_unknown_names_are_refused() -> None:
    twin = archive_of(("a", b"1"), ("b", b"2")).replace(b"b", b"a")
    with pytest.raises(InvalidValue, match="twice"):
        read(twin)
    with pytest.raises(InvalidValue, match="no file called"):
        read(archive_of(("../a", b"1")))


def test_an_encrypted_file_a_comment_and_bytes_in_front_are_refused() -> None:
    data = bytearray(archive_of(("a", b"1")))
    data[data.index(b"PK\1\2") + 8] |= 1
    with pytest.raises(InvalidValue, match="encrypted"):
        read(bytes(data))
    good = archive_of(("a", b"1"))
    for wrong in (b"x" + good, good + b"x", good[:-1], b"", good[:-2] + b"\1\0x"):
        with pytest.raises(BadMagic):
            read(wrong)


GOOD = archive_of(("a", b"hello" * 50), ("b", b"x"))


@given(st.lists(st.tuples(st.integers(0, len(GOOD) - 1), st.integers(0, 255)), min_size=1, max_size=6))
def test_a_damaged_archive_is_read_or_a_decode_error(changes: list[tuple[int, int]]) -> None:
    data = bytearray(GOOD)
    for at, value in changes:
        data[at] = value
    try:
        found = read(bytes(data))
    except DecodeError:
        return
    assert set(found) <= set(NAMES)
