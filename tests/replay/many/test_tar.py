"""Tar archives in pieces: what the tarfile module writes, in each of its formats, and what nobody should write."""

import io
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import ChecksumMismatch, DecodeError, InvalidValue, LimitExceeded, Truncated
from retick.replay.many.tar import MAX_NAME, TarReader, read_members

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
    with pytest.raises(InvalidValue, match="more than 8 GiB"):
        read_members(out.getvalue())


def test_a_file_over_the_limit_is_passed_over_and_named() -> None:
    data = archive([("small", b"1"), ("large", b"2" * 5000), ("after", b"3")])
    reader = TarReader(1000)
    assert [member.name for member in reader.read(data)[0]] == ["small", "after"]
    assert reader.too_large == ["large"]
