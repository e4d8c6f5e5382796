"""RPLK v1: bytes built by hand from the published table, and everything a reader must refuse."""

import contextlib
import re
import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick import errors, replay

DOCS = Path(__file__).parents[2] / "docs" / "formats"

PAIRS = st.lists(st.tuples(st.integers(0, 0xFFFF), st.integers(0, 0xFFFF)), max_size=50)


def by_hand(seed: int, pairs: list[tuple[int, int]]) -> bytes:
    """The file as the specification's table has it, field by field, with a CRC of our own."""
    payload = b"".join(bytes((p1 & 255, p1 >> 8, p2 & 255, p2 >> 8)) for p1, p2 in pairs)
    crc = 0xFFFFFFFF
    for byte in payload:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0xEDB88320 if crc & 1 else 0)
    crc ^= 0xFFFFFFFF
    header = b"RPLK" + bytes((1, 0)) + (32).to_bytes(2, "little")
    header += seed.to_bytes(4, "little") + bytes(4) + len(pairs).to_bytes(4, "little") + crc.to_bytes(4, "little")
    return header + bytes(8) + payload


GOOD = by_hand(0x01020304, [(0x0002, 0x0001), (0x8004, 0xFFFF), (0, 8)])


def changed(offset: int, value: int, size: int) -> bytes:
    return GOOD[:offset] + value.to_bytes(size, "little") + GOOD[offset + size :]


@given(st.integers(1, 2**32 - 1), PAIRS)
def test_written_bytes_are_those_of_the_table(seed: int, pairs: list[tuple[int, int]]) -> None:
    assert replay.dumps(replay.Replay(seed=seed, frames=pairs)) == by_hand(seed, pairs)


@given(st.integers(1, 2**32 - 1), PAIRS)
def test_round_trip(seed: int, pairs: list[tuple[int, int]]) -> None:
    original = replay.Replay(seed=seed, frames=pairs)
    assert replay.loads(replay.dumps(original)) == original


def test_the_example_in_the_format_page_is_true() -> None:
    page = (DOCS / "rplk.md").read_text(encoding="utf-8")
    example = bytes.fromhex(re.findall(r"```\n(.*?)```", page, re.DOTALL)[-1])
    assert example == by_hand(1, [(2, 1), (10, 0)])
    assert replay.loads(example) == replay.Replay(seed=1, frames=[(2, 1), (10, 0)])


def test_packed_bytes_and_pairs_are_the_same_replay() -> None:
    assert replay.Replay(seed=1, frames=b"\x02\x00\x01\x00") == replay.Replay(seed=1, frames=[(2, 1)])


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"", errors.Truncated),
        (b"RPL", errors.Truncated),
        (GOOD[:31], errors.Truncated),
        (GOOD[:-1], errors.Truncated),
        (GOOD[:32], errors.Truncated),
        (changed(16, 4, 4), errors.Truncated),
        (b"RPLX" + GOOD[4:], errors.BadMagic),
        (b"abc", errors.BadMagic),
        (changed(4, 0, 1), errors.UnsupportedVersion),
        (changed(4, 2, 1), errors.UnsupportedVersion),
        (changed(5, 1, 1), errors.UnknownFlags),
        (changed(6, 33, 2), errors.BadHeaderSize),
        (changed(6, 0, 2), errors.BadHeaderSize),
        (changed(8, 0, 4), errors.SeedIsZero),
        (changed(12, 1, 4), errors.StartFrameNotZero),
        (changed(24, 1, 8), errors.ReservedNotZero),
        (changed(31, 1, 1), errors.ReservedNotZero),
        (changed(16, 2, 4), errors.TrailingData),
        (GOOD + b"\0", errors.TrailingData),
        (changed(20, 0, 4), errors.ChecksumMismatch),
        (changed(32, 3, 1), errors.ChecksumMismatch),
        (changed(16, 0xFFFFFFFF, 4), errors.LimitExceeded),
    ],
)
def test_each_thing_wrong_has_its_own_error(data: bytes, error: type[errors.DecodeError]) -> None:
    with pytest.raises(errors.DecodeError) as caught:
        replay.loads(data)
    assert type(caught.value) is error


def test_every_other_value_of_every_header_byte_is_refused_unless_it_is_the_seed() -> None:
    for offset in range(32):
        for value in set(range(256)) - {GOOD[offset]}:
            data = changed(offset, value, 1)
            if 8 <= offset < 12:
                assert replay.loads(data).frames == GOOD[32:]
            else:
                with pytest.raises(errors.DecodeError):
                    replay.loads(data)


def test_a_wrong_field_is_reported_before_a_wrong_length() -> None:
    for offset, error in [(4, errors.UnsupportedVersion), (24, errors.ReservedNotZero)]:
        with pytest.raises(error):
            replay.loads(changed(offset, 7, 1)[:-3])


def test_a_false_frame_count_is_refused_by_arithmetic_alone() -> None:
    with pytest.raises(errors.LimitExceeded) as caught:
        replay.loads(changed(16, 2**32 - 1, 4))
    assert caught.value.actual == 4 * (2**32 - 1)
    with pytest.raises(errors.Truncated) as short:
        replay.loads(changed(16, 1_000_000, 4))
    assert short.value.needed == 4_000_000


def test_the_limit_is_an_argument() -> None:
    with pytest.raises(errors.LimitExceeded):
        replay.loads(GOOD, limits=replay.ReadLimits(max_bytes=11))
    assert len(replay.loads(GOOD, limits=replay.ReadLimits(max_bytes=12))) == 3


@given(st.binary(max_size=80), st.sampled_from([b"", b"RPLK", GOOD[:24]]))
def test_any_bytes_decode_or_raise_a_decode_error(data: bytes, prefix: bytes) -> None:
    with contextlib.suppress(errors.DecodeError):
        assert isinstance(replay.loads(prefix + data), replay.Replay)


@given(st.integers(0, len(GOOD) - 1), st.integers(0, 255))
def test_a_changed_byte_never_passes_unnoticed(offset: int, value: int) -> None:
    try:
        found = replay.loads(changed(offset, value, 1))
    except errors.DecodeError:
        return
    assert found.frames == GOOD[32:]


@pytest.mark.parametrize("seed", [0, -1, 2**32, 1.0, None])
def test_a_seed_that_starts_nothing_is_the_callers_mistake(seed: int) -> None:
    with pytest.raises(errors.UsageError):
        replay.Replay(seed=seed, frames=b"")


@pytest.mark.parametrize("pairs", [[(0x10000, 0)], [(0, -1)], [(1,)], [(1, 2, 3)], [1, 2], [("a", 1)], "ab", 7, b"abc"])
def test_inputs_that_do_not_fit_are_the_callers_mistake(pairs: object) -> None:
    with pytest.raises(errors.UsageError):
        replay.Replay(seed=1, frames=pairs)  # type: ignore[arg-type]  # an untyped caller


def test_a_start_in_mid_match_is_refused_on_writing() -> None:
    started = replay.Replay(seed=1, frames=b"", start_frame=5)
    for form in (None, "rplk", "rtk"):
        with pytest.raises(errors.UsageError):
            replay.dumps(started, format=form)  # type: ignore[arg-type]  # an untyped caller


@pytest.mark.parametrize(
    "match",
    [
        replay.Replay(seed=1, frames=b"", num_players=3),
        replay.Replay(seed=1, frames=b"", input_size=1),
        replay.Replay(seed=1, frames=b"", start_state=b"x"),
    ],
)
def test_what_rplk_cannot_play_is_not_written_as_rplk(match: replay.Replay) -> None:
    with pytest.raises(errors.EncodeError, match="RPLK"):
        replay.dumps(match, format="rplk")
    assert replay.format_of(replay.dumps(match)) == "rtk"


def test_the_crc_is_the_usual_one() -> None:
    assert struct.unpack_from("<I", by_hand(1, [(0x3231, 0x3433)]), 20)[0] == zlib.crc32(b"1234")
