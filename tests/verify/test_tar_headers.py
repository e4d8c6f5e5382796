"""Parts of a local tar archive, found by headers alone: the same members as when all of it is read."""

import io
import os
import tarfile
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import retick
from retick.errors import DecodeError
from retick.replay import ReadLimits
from retick.verify import kernel as tar_module
from retick.verify.archives import tar_batches
from retick.verify.batch import BatchEntry
from retick.verify.engines import single_entries
from retick.verify.kernel import plain_headers, read_members
from retick.verify.reading import AnotherFile, ByteRange, FileReader
from tests.effort import examples
from tests.twin import Twin

COMPILED = retick.is_compiled()
LIMITS = ReadLimits()
MEMBERS = st.lists(
    st.tuples(st.sampled_from(("a.rplk", "ü.rplk", "n" * 120 + ".rplk", "folder", "b.txt")), st.integers(0, 1200)),
    max_size=12,
)


def look(path: str, name: str, start: int, end: int) -> BatchEntry:
    return BatchEntry(path, start, end)


def archive(members: list[tuple[str, int]], form: int = tarfile.GNU_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as tar:
        for number, (name, size) in enumerate(members):
            member = tarfile.TarInfo(name)
            member.type, member.size = (tarfile.DIRTYPE, 0) if name == "folder" else (tarfile.REGTYPE, size)
            tar.addfile(member, io.BytesIO(bytes([number % 256]) * size))
    return out.getvalue()


def read_all(path: Path, piece: int = 1 << 20, limits: ReadLimits = LIMITS) -> list[tuple[str, bytes | str]]:
    reader, found = FileReader(), list[tuple[str, bytes | str]]()
    for unit in tar_batches(str(path), look, piece, limits):
        batches = [reader.read_range(part) for part in unit.parts()] if isinstance(unit, ByteRange) else [unit]
        for batch in batches:
            for entry in batch.entries:
                content = bytes(memoryview(batch.data)[entry.start : entry.end])
                found.append((entry.path.removeprefix(f"{path}!"), entry.problem or content))
    return found


def members_of(data: bytes) -> list[tuple[str, bytes | str]]:
    return [(name, data[start:end]) for name, start, end in read_members(data) if name.endswith(".rplk")]


@settings(max_examples=examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(MEMBERS, MEMBERS, st.integers(60, 70), st.integers(60, 140), st.sampled_from((4096, 70_000, 1 << 20)))
def test_plain_members_with_others_between_them_all_come_in_order(
    tmp_path: Path, odd: list[tuple[str, int]], last: list[tuple[str, int]], first: int, second: int, piece: int
) -> None:
    plain = [("p.rplk", 500)] * first + odd + [("q.rplk", 700)] * second + last
    for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        path = tmp_path / "all.tar"
        path.write_bytes(data := archive(plain, form))
        assert read_all(path, piece) == members_of(data)


@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 5 * 1024), st.binary(min_size=1, max_size=20), st.integers(0, 5 * 1024))
def test_any_bytes_are_plain_headers_that_the_reader_agrees_with_or_none(
    tmp_path: Path, at: int, junk: bytes, cut: int
) -> None:
    data = bytearray(archive([("a.rplk", 300)] * 5))
    data[at : at + len(junk)] = junk
    path = tmp_path / "all.tar"
    path.write_bytes(kept := bytes(data[: max(cut, at)]))
    file = os.open(path, os.O_RDONLY)
    try:
        found = plain_headers(file, 0, len(kept), 100)
    finally:
        os.close(file)
    assert all(0 <= start <= end <= len(kept) for _, start, end in found)
    try:
        assert found == read_members(kept)[: len(found)]
    except DecodeError:
        reader = tar_module.TarReader(1 << 20)
        assert found == reader.read(kept[: found[-1].end if found else 0])[0]


def damaged(at: int, junk: bytes, cut: int, piece: int) -> list[str]:
    """A story for the twin: what is read of an archive with other bytes somewhere, or cut off."""
    data = bytearray(
        archive([("a.rplk", 300)] * 64 + [("b.rplk", 700), ("n" * 120 + ".rplk", 10)] + [("c.rplk", 5)] * 70)
    )
    data[at : at + len(junk)] = junk
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "all.tar"
        path.write_bytes(data[: len(data) - cut])
        found = read_all(path, piece, ReadLimits(max_bytes=600))
    return [f"{name.replace(folder, '')} {content!r}" for name, content in found]


@settings(max_examples=examples(60))
@given(
    st.integers(0, 150 * 1024),
    st.one_of(st.just(b""), st.binary(min_size=1, max_size=20), st.just(b"S"), st.just(bytes(600))),
    st.one_of(st.just(0), st.integers(0, 150 * 1024)),
    st.sampled_from((4096, 70_000, 1 << 20)),
)
def test_both_forms_give_the_same_rows_of_a_damaged_archive(
    twin: Twin, at: int, junk: bytes, cut: int, piece: int
) -> None:
    twin.agrees(damaged, at, junk, cut, piece)
    names = [line.split(" ", 1)[0] for line in damaged(0, b"", 0, piece)]
    assert names == ["a.rplk"] * 64 + ["b.rplk", "n" * 120 + ".rplk"] + ["c.rplk"] * 70


@pytest.mark.skipif(not COMPILED, reason="headers alone are read by the compiled form only")
def test_no_more_headers_than_asked_for_and_none_beyond_the_end(tmp_path: Path) -> None:
    path = tmp_path / "all.tar"
    path.write_bytes(archive([("a.rplk", 300)] * 5))
    file = os.open(path, os.O_RDONLY)
    try:
        assert len(plain_headers(file, 0, 1 << 20, 3)) == 3
        assert len(plain_headers(file, 1024, 1 << 20, 100)) == 4
        assert len(plain_headers(file, 0, 1024 + 512 + 299, 100)) == 1
        assert len(plain_headers(file, 0, 1024 + 512 + 300, 100)) == 2
        assert plain_headers(file, 0, 0, 100) == plain_headers(file, 1, 1 << 20, 100) == []
    finally:
        os.close(file)
    assert plain_headers(file, 0, 1 << 20, 100) == [], "a file that is not open"


@pytest.fixture
def ranges(tmp_path: Path) -> list[ByteRange]:
    path = tmp_path / "all.tar"
    path.write_bytes(archive([("a.rplk", 300)] * 200))
    found = [unit for unit in tar_batches(str(path), look, 1 << 20, LIMITS) if isinstance(unit, ByteRange)]
    if not COMPILED:
        assert found == []
        pytest.skip("headers alone are read by the compiled form only")
    return found


def test_a_range_is_a_multiple_of_the_matches_that_are_played_side_by_side(ranges: list[ByteRange]) -> None:
    assert [len(each.entries) for each in ranges] == [64, 128]


def test_each_entry_of_a_range_can_be_read_alone(ranges: list[ByteRange]) -> None:
    whole = FileReader().read_range(ranges[1])
    for (entry, one), place in zip(single_entries(ranges[1]), ranges[1].entries, strict=True):
        assert isinstance(one, ByteRange)
        alone = FileReader().read_range(one)
        assert entry == place
        assert alone.data[: alone.entries[0].end] == whole.data[place.start : place.end]


def test_a_range_larger_than_the_buffer_comes_in_parts(
    ranges: list[ByteRange], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("retick.verify.reading.BATCH_BYTES", 65 * 1024)
    parts = list(ranges[1].parts())
    assert [len(part.entries) for part in parts] == [64, 64]
    assert {part.entries[0].start for part in parts} == {0}
    found = [bytes(FileReader().read_range(part).data[:300]) for part in parts]
    assert found == [bytes([64]) * 300, bytes([128]) * 300]


def test_an_archive_that_changes_meanwhile_is_no_stop(ranges: list[ByteRange], tmp_path: Path) -> None:
    path = tmp_path / "all.tar"
    elsewhere = FileReader(is_elsewhere=True)
    assert not any(entry.problem for entry in elsewhere.read_range(ranges[0]).entries)
    os.truncate(path, 10 * 1024 + 512 + 300)
    with pytest.raises(AnotherFile):
        elsewhere.read_range(ranges[0])
    problems = [entry.problem for entry in FileReader().read_range(ranges[0]).entries]
    assert problems[:11] == [""] * 11
    assert set(problems[11:]) == {"the archive cannot be read further: it was cut off meanwhile"}
    path.unlink()
    with pytest.raises(AnotherFile):
        elsewhere.read_range(ranges[0])
    problems = [entry.problem for entry in FileReader().read_range(ranges[0]).entries]
    assert set(problems) == {"the archive cannot be read further: No such file or directory"}


def test_an_archive_that_is_replaced_meanwhile_gives_nothing_of_the_new_one(
    ranges: list[ByteRange], tmp_path: Path
) -> None:
    path, new = tmp_path / "all.tar", tmp_path / "new.tar"
    new.write_bytes(path.read_bytes()[::-1])
    os.utime(new, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    os.replace(new, path)
    found = FileReader().read_range(ranges[0])
    said = "the archive cannot be read further: the archive was replaced while it was read"
    assert [entry.problem for entry in found.entries] == [said] * len(ranges[0].entries)
    with pytest.raises(AnotherFile):
        FileReader(is_elsewhere=True).read_range(ranges[0])


def test_the_open_archive_is_what_ranges_are_of_and_not_its_name(tmp_path: Path) -> None:
    path, new = tmp_path / "all.tar", tmp_path / "new.tar"
    path.write_bytes(archive([("a.rplk", 300)] * 300))
    new.write_bytes(archive([("b.rplk", 300)] * 300))
    units, reader, found = tar_batches(str(path), look, 64 * 1024, LIMITS), FileReader(), list[BatchEntry]()
    for unit in units:
        found += reader.read_range(unit).entries if isinstance(unit, ByteRange) else unit.entries
        if new.exists():
            os.replace(new, path)
    assert {entry.path for entry in found} == {f"{path}!a.rplk"}
    assert len(found) == 300
    assert {entry.problem for entry in found[:64]} == {""}
    assert all("replaced" in entry.problem for entry in found[64:256]) or not COMPILED


def test_an_archive_that_grows_meanwhile_is_read_on(ranges: list[ByteRange], tmp_path: Path) -> None:
    with (tmp_path / "all.tar").open("ab") as file:
        file.write(bytes(5000))
    assert {entry.problem for entry in FileReader().read_range(ranges[0]).entries} == {""}


def test_a_member_over_the_limit_is_not_in_a_range(tmp_path: Path) -> None:
    path = tmp_path / "all.tar"
    path.write_bytes(archive([("a.rplk", 300)] * 70 + [("b.rplk", 301)] + [("c.rplk", 300)] * 70))
    found = read_all(path, limits=ReadLimits(max_bytes=300))
    assert [name for name, content in found if content == "it is over the limit of 300 bytes"] == ["b.rplk"]
    assert len(found) == 141


@pytest.mark.skipif(not COMPILED, reason="headers alone are read by the compiled form only")
def test_matches_that_just_fill_a_piece_stay_in_ranges(tmp_path: Path) -> None:
    path = tmp_path / "all.tar"
    path.write_bytes(archive([("a.rplk", 300)] * 192))
    units = list(tar_batches(str(path), look, 64 * 1024 - 100, LIMITS))
    assert [type(unit) for unit in units] == [ByteRange] * 3


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_an_archive_that_is_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "all.tar"
    os.mkfifo(path)
    (entry,) = (entry for unit in tar_batches(str(path), look, 1 << 20, LIMITS) for entry in unit.entries)
    assert entry.path == str(path)
    assert entry.problem == "the archive cannot be read further: it is a pipe, not a regular file"
