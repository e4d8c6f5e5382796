"""A room as bytes."""

import contextlib
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.authority.server.saved_room import SavedRoom, SavedSeat, decode_room, encode_room
from retick.errors import BadMagic, ChecksumMismatch, DecodeError, SeedIsZero, TrailingData, UnsupportedVersion

names = st.text(st.characters(categories=["L", "N"]), max_size=8)
seats = st.lists(
    st.builds(SavedSeat, st.integers(0, 254), st.binary(min_size=16, max_size=16), names, st.booleans()),
    max_size=5,
    unique_by=lambda seat: seat.seat,
).map(lambda found: tuple(sorted(found)))
rooms = st.builds(
    SavedRoom,
    schema=st.integers(0, 2**64 - 1),
    seed=st.integers(1, 2**32 - 1),
    tick=st.integers(0, 2**30),
    seats=seats,
    world=st.binary(max_size=60),
)


@given(rooms)
def test_a_room_comes_back_as_it_was(room: SavedRoom) -> None:
    assert decode_room(encode_room(room)) == room


def test_a_room_has_these_bytes() -> None:
    room = SavedRoom(
        schema=2, seed=3, tick=4, seats=(SavedSeat(1, b"t" * 16, "Al", False), SavedSeat(2, bytes(16), "", True)),
        world=b"world",
    )  # fmt: skip
    # Made by hand from docs/formats/world-server.md, but for the checksum.
    body = "52545752 01 0200000000000000 03000000 04000000 02"
    body += "01 00" + "74" * 16 + "02 416c" + "02 01" + "00" * 16 + "00" + "05000000 776f726c64"
    assert encode_room(room)[:-4] == bytes.fromhex(body)


def repaired(data: bytes) -> bytes:
    return data + crc32(data).to_bytes(4, "little")


GOOD = encode_room(
    SavedRoom(schema=1, seed=1, tick=1, seats=(SavedSeat(0, bytes(16), "A", False),), world=b"w")
)[:-4]  # fmt: skip


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", DecodeError),
        (repaired(b"XXXX" + GOOD[4:]), BadMagic),
        (repaired(GOOD[:4] + b"\2" + GOOD[5:]), UnsupportedVersion),
        (GOOD + b"\0\0\0\0", ChecksumMismatch),
        (repaired(GOOD[:13] + bytes(4) + GOOD[17:]), SeedIsZero),
        (repaired(GOOD[:17] + b"\xff" * 4 + GOOD[21:]), DecodeError),
        (repaired(GOOD[:21] + b"\2" + GOOD[22:]), DecodeError),
        (repaired(GOOD[:22] + b"\xff" + GOOD[23:]), DecodeError),
        (repaired(GOOD[:23] + b"\2" + GOOD[24:]), DecodeError),
        (repaired(GOOD[:41] + b"\n" + GOOD[42:]), DecodeError),
        (repaired(GOOD[:41] + b"\xff" + GOOD[42:]), DecodeError),
        (repaired(GOOD + b"more"), TrailingData),
    ],
)
def test_wrong_bytes_are_refused(data: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        decode_room(data)


@given(st.binary(max_size=120))
def test_any_bytes_are_a_room_or_refused(data: bytes) -> None:
    for each in (data, repaired(data), repaired(GOOD[: len(data)] + data)):
        with contextlib.suppress(DecodeError):
            decode_room(each)
