"""Tar archives in pieces: what the tarfile module writes, in each of its formats, and what nobody should write."""

import io
import tarfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import ChecksumMismatch, DecodeError, InvalidValue, LimitExceeded, Truncated
from retick.verify.kernel import MAX_NAME, TarReader, TarRefused, read_members
from tests.effort import examples
from tests.twin import Twin, outcome

FORMATS = (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT)
SHORT = st.text("abcüß/.", min_size=1, max_size=20).map(lambda name: f"x{name}")
FILES = st.lists(st.tuples(SHORT, st.binary(max_size=1500)), max_size=6)


def archive(files: list[tuple[str, bytes]], form: int = tarfile.GNU_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as tar:
        for name, data in files:
            folder = tarfile.TarInfo("folder")
            folder.type = tarfile.DIRTYPE
            tar.addfile(folder)
            member = tarfile.TarInfo(name)
            member.size = len(data)
            tar.addfile(member, io.BytesIO(data))
    return out.getvalue()


@given(FILES, st.sampled_from(FORMATS))
def test_what_tarfile_writes_is_read(files: list[tuple[str, bytes]], form: int) -> None:
    data = archive(files, form)
    assert [(name, data[start:end]) for name, start, end in read_members(data)] == files


@given(FILES, st.lists(st.integers(1, 2000), min_size=1), st.sampled_from(FORMATS))
def test_in_whatever_pieces_it_comes(files: list[tuple[str, bytes]], sizes: list[int], form: int) -> None:
    data = archive(files, form)
    reader, found, held, at = TarReader(1 << 20), [], b"", 0
    for turn in range(len(data)):
        piece = data[at : at + sizes[turn % len(sizes)]]
        at += len(piece)
        held += piece
        members, done = reader.read(held)
        found += [(name, held[start:end]) for name, start, end in members]
        held = held[done:]
        if not piece:
            break
    reader.finish(len(held))
    assert found == files


@pytest.mark.parametrize("form", FORMATS[1:])
def test_long_names_are_read(form: int) -> None:
    files = [("d" * 90 + "/" + "e" * 200, b"one"), ("short", b"two")]
    data = archive(files, form)
    assert [name for name, _, _ in read_members(data)] == [name for name, _ in files]


@given(st.binary(max_size=2000), st.integers(0, 2000), st.data())
def test_any_bytes_are_members_or_a_decode_error(junk: bytes, at: int, draw: st.DataObject) -> None:
    good = archive([("a", b"x" * 600)])
    for data in (junk, good[:at] + junk + good[at:], good[:at]):
        try:
            for _, start, end in read_members(data):
                assert 0 <= start <= end <= len(data)
        except DecodeError:
            pass


PLACES = st.one_of(
    st.integers(0, 511), st.integers(124, 156), st.sampled_from((0, 99, 100, 135, 148, 155, 156, 257, 345))
)
VALUES = st.one_of(st.sampled_from(b"\0 0123456789xLg/a"), st.integers(0, 255))


def headers(places: tuple[tuple[int, int], ...], is_summed: bool, largest: int) -> list[str]:
    """A story for the twin: what is read of an archive with some bytes of its second header changed."""
    data = bytearray(archive([("first", b"1" * 700), ("second", b"2" * 30)], tarfile.USTAR_FORMAT))
    header = memoryview(data)[2560:3072]  # a folder, the first file with its two blocks, a folder, and this one
    assert bytes(header[:6]) == b"second"
    for place, value in places:
        header[place] = value
    if is_summed:
        header[148:156] = b"%06o\0 " % (sum(header[:148]) + sum(header[156:]) + 8 * 32)
    reader = TarReader(largest)
    return [outcome(reader.read, bytes(data)), repr((reader.refused, reader.at_end, reader.error))]


@settings(max_examples=examples(150))
@given(st.lists(st.tuples(PLACES, VALUES), max_size=4), st.booleans(), st.sampled_from((10, 600, 10_000)))
def test_both_forms_read_the_same_of_any_header(
    twin: Twin, places: list[tuple[int, int]], is_summed: bool, largest: int
) -> None:
    twin.agrees(headers, tuple(places), is_summed, largest)


@given(st.lists(st.tuples(PLACES, VALUES), max_size=2))
def test_a_plain_header_is_read_as_tarfile_reads_it(places: list[tuple[int, int]]) -> None:
    """Where both read a changed header, they read the same: its sum is made right again."""
    data = bytearray(archive([("first", b"1" * 700), ("second", b"2" * 30)], tarfile.USTAR_FORMAT))
    for place, value in places:
        data[2560 + place] = value
    data[2560 + 148 : 2560 + 156] = b"%06o\0 " % (sum(data[2560:2708]) + sum(data[2716:3072]) + 8 * 32)
    try:
        ours = [(name, bytes(data[start:end])) for name, start, end in read_members(data)]
        with tarfile.open(fileobj=io.BytesIO(data), errors="backslashreplace") as tar:
            found = [(m.name, tar.extractfile(m).read()) for m in tar if m.isreg() and not m.name.endswith("/")]  # type: ignore[union-attr]  # a file
    except (DecodeError, tarfile.TarError, OSError, ValueError, KeyError):
        return
    assert [each for each in ours if each in found] == found


def test_wrong_archives_say_what_is_wrong() -> None:
    good = bytearray(archive([("a", b"x" * 600)]))
    with pytest.raises(Truncated, match="cut off"):
        read_members(good[: 512 + 512 + 100])
    with pytest.raises(ChecksumMismatch):
        read_members(b"no tar" * 100)
    with pytest.raises(LimitExceeded, match="name is too long"):
        read_members(archive([("n" * (MAX_NAME + 1), b"")]))
    member = tarfile.TarInfo("a")
    member.pax_headers = {"size": "99999999999"}
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        tar.addfile(member)
    with pytest.raises(Truncated, match="cut off"):
        read_members(out.getvalue())


def test_a_file_over_the_limit_is_passed_over_and_named() -> None:
    data = archive([("small", b"1"), ("large", b"2" * 5000), ("after", b"3")])
    reader = TarReader(1000)
    assert [member.name for member in reader.read(data)[0]] == ["small", "after"]
    assert reader.refused == [TarRefused(1, "large", "it is over the limit of 1000 bytes")]


def header(name: str, size: int = 0, kind: bytes = b"0", pax_size: str = "") -> bytes:
    member = tarfile.TarInfo(name)
    member.type, member.size = kind, size
    member.pax_headers = {"size": pax_size} if pax_size else {}
    return member.tobuf(tarfile.PAX_FORMAT if pax_size else tarfile.GNU_FORMAT)


CONTENT = b"two".ljust(512, b"\0")
GOOD = header("good", 3) + CONTENT
END = bytes(1024)


@pytest.mark.parametrize("before", [0, 1, 3])
def test_the_files_before_what_is_wrong_are_returned_and_the_next_call_raises(before: int) -> None:
    for bad in (b"x" * 512, header("p", 3, b"x") + b"odd".ljust(512, b"\0"), header("long", MAX_NAME + 1, b"L")):
        reader = TarReader(1000)
        found, done = reader.read(GOOD * before + bad + GOOD + END)
        assert ([member.name for member in found], done) == (["good"] * before, len(GOOD) * before)
        assert not reader.is_between
        assert reader.error is not None
        with pytest.raises(type(reader.error)):
            reader.read(GOOD)
        with pytest.raises(type(reader.error)):
            reader.finish(0)


@pytest.mark.parametrize("kind", [b"1", b"2", b"3", b"4", b"5", b"6"])
def test_links_devices_and_folders_have_no_content_whatever_their_size(kind: bytes) -> None:
    odd = bytearray(header("odd", 0, kind))
    odd[124:136] = b"%011o\0" % 700
    odd[148:156] = b"%06o\0 " % (sum(odd[:148]) + sum(odd[156:]) + 8 * 32)
    assert [member.name for member in read_members(bytes(odd) + GOOD + END)] == ["good"]


def test_unknown_kinds_are_passed_over_with_their_content() -> None:
    assert [member.name for member in read_members(header("z", 3, b"Z") + CONTENT + GOOD + END)] == ["good"]


def test_a_long_link_leaves_the_long_name_alone() -> None:
    for kinds in ((b"L", b"K"), (b"K", b"L")):
        parts = [header("././@LongLink", 5, kind) + (b"name" + kind).ljust(512, b"\0") for kind in kinds]
        assert [member.name for member in read_members(b"".join(parts) + GOOD + END)] == ["nameL"]


def test_a_size_of_pax_is_taken() -> None:
    data = header("a", 0, pax_size="3") + CONTENT + GOOD + END
    assert [(name, data[start:end]) for name, start, end in read_members(data)] == [("a", b"two"), ("good", b"two")]
    reader = TarReader(1000)
    data = header("large", 0, pax_size="5000") + bytes(5120) + GOOD + END
    assert [member.name for member in reader.read(data)[0]] == ["good"]
    assert [(before, name) for before, name, _ in reader.refused] == [(0, "large")]
    with pytest.raises(InvalidValue, match="must be a number"):
        read_members(header("a", 0, pax_size="-3") + GOOD + END)


@pytest.mark.parametrize("blocks", [0, 1, 3])
@pytest.mark.parametrize("piece", [512, 700, 1 << 20])
def test_sparse_files_of_gnu_are_named_and_passed_over_with_their_maps(blocks: int, piece: int) -> None:
    sparse = bytearray(header("hole", 600, b"S"))
    sparse[482] = blocks > 0
    sparse[148:156] = b"%06o\0 " % (sum(sparse[:148]) + sum(sparse[156:]) + 8 * 32)
    maps = b"".join(bytes(504) + bytes([at < blocks - 1]) + bytes(7) for at in range(blocks))
    data = GOOD + bytes(sparse) + maps + b"x" * 1024 + GOOD + END
    reader, names, held = TarReader(1000), [], b""
    for at in range(0, len(data), piece):
        held += data[at : at + piece]
        members, done = reader.read(held)
        names += [member.name for member in members] if not reader.refused else ["good"][: reader.refused[0].before]
        names += [refused.name for refused in reader.refused]
        names += [member.name for member in members[reader.refused[0].before :]] if reader.refused else []
        held = held[done:]
    reader.finish(len(held))
    assert names == ["good", "hole", "good"]


def test_sparse_files_of_pax_are_named_by_their_own_name() -> None:
    member = tarfile.TarInfo("GNUSparseFile.1/hole")
    member.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "hole"}
    reader = TarReader(1000)
    assert [member.name for member in reader.read(member.tobuf(tarfile.PAX_FORMAT) + GOOD + END)[0]] == ["good"]
    assert [refused.name for refused in reader.refused] == ["hole"]
