"""RTK v1: round trips, cuts at every byte, damage at every byte, and files that lie."""

import contextlib
import re
import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick import errors, replay
from retick.replay import rtk
from retick.replay.rtk_blocks import MAX_BODY, PREFIX
from tests.replay.recordings import replays

DOCS = Path(__file__).parents[2] / "docs" / "formats"
HEAD = struct.pack("<BBHIIIBB", 2, 2, 1, 7, 0, 0, 0, 0)


def block(kind: int, body: bytes, encoding: int = 0, reserved: int = 0, stored: bytes | None = None) -> bytes:
    """A block as the format page has it, honest or not."""
    stored = body if stored is None else stored
    start = struct.pack("<BBHII", kind, encoding, reserved, len(stored), len(body))
    return start + struct.pack("<I", zlib.crc32(start + stored)) + stored


def file_of(*blocks: bytes, head: bytes = HEAD) -> bytes:
    return b"RTK\n\1\0\0\0" + block(1, head) + b"".join(blocks)


def inputs(first: int, count: int) -> bytes:
    return block(3, struct.pack("<II", first, count) + bytes(4 * count))


def end(frames: int = 0, checks: int = 0, arrivals: int = 0, known: int = 0, checksum: int = 0) -> bytes:
    return block(7, struct.pack("<IIIB3sI", frames, checks, arrivals, known, bytes(3), checksum))


def streamed() -> tuple[bytes, replay.Replay]:
    """A recording of several rounds, as a live match leaves it."""
    recorder = replay.Recorder(seed=9, local_players=(0,), block_frames=5, metadata={"who": "ann"})
    data = recorder.drain()
    for frame in range(23):
        recorder.add_arrival(frame, 1, max(0, frame - 3), 3)
        recorder.add_frame((frame, frame ^ 5))
        if frame % 4 == 3:
            recorder.add_checksum(frame + 1, frame * 77)
        data += recorder.drain()
    recorder.finish(12345)
    data += recorder.drain()
    return data, replay.loads(data)


@given(replays())
@settings(deadline=None)
def test_round_trip(match: replay.Replay) -> None:
    data = replay.dumps(match, format="rtk")
    assert replay.loads(data) == match
    if match.truncated:
        with pytest.raises(errors.Truncated):
            replay.loads(data, strict=True)
    else:
        assert replay.loads(data, strict=True) == match


def test_the_example_in_the_format_page_is_true() -> None:
    page = (DOCS / "rtk.md").read_text(encoding="utf-8")
    example = bytes.fromhex(re.findall(r"```\n(.*?)```", page, re.DOTALL)[-1])
    match = replay.Replay(seed=1, frames=[(2, 1), (10, 0)], game_id="retick.fighter", game_version=1)
    assert replay.loads(example, strict=True) == match
    assert replay.dumps(match) == example


def test_a_file_cut_off_anywhere_is_good_up_to_the_cut() -> None:
    data, whole = streamed()
    head_ends = len(PREFIX) + 16 + len(HEAD)
    seen = set()
    for cut in range(len(data)):
        with pytest.raises(errors.DecodeError):
            replay.loads(data[:cut], strict=True)
        if cut < head_ends:
            with pytest.raises(errors.Truncated):
                replay.loads(data[:cut])
            continue
        part = replay.loads(data[:cut])
        assert part.truncated
        assert whole.frames.startswith(part.frames)
        assert part.checkpoints.items() <= whole.checkpoints.items()
        assert part.arrivals == whole.arrivals[: len(part.arrivals)]
        seen.add(len(part))
    assert seen == {0, 5, 10, 15, 20, 23}


def test_a_damaged_byte_anywhere_is_never_played() -> None:
    data, whole = streamed()
    for at in range(len(data)):
        damaged = data[:at] + bytes((data[at] ^ 0x55,)) + data[at + 1 :]
        with pytest.raises(errors.DecodeError):
            replay.loads(damaged, strict=True)
        try:
            part = replay.loads(damaged)
        except errors.DecodeError:
            continue
        assert part.truncated
        assert whole.frames.startswith(part.frames)


def test_a_tail_of_zeros_as_a_power_cut_leaves_it_counts_as_a_cut() -> None:
    data, whole = streamed()
    assert replay.loads(data[:-20] + bytes(4096)).frames == whole.frames


def test_a_cut_before_the_announced_state_leaves_nothing_to_play() -> None:
    head = struct.pack("<BBHIIIBB", 2, 2, 0, 7, 50, 0, 1, 0)
    with pytest.raises(errors.Truncated):
        replay.loads(file_of(head=head))
    with pytest.raises(errors.ChecksumMismatch):
        replay.loads(file_of(block(2, b"state")[:-1] + b"!", head=head))
    assert replay.loads(file_of(block(2, b"state"), head=head)).start_state == b"state"


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (b"RTK", errors.Truncated),
        (b"RTK\n\1\0\0", errors.Truncated),
        (b"RTK\r\n\1\0\0", errors.BadMagic),
        (b"RTK\n\2\0\0\0", errors.UnsupportedVersion),
        (b"RTK\n\1\0\0\1", errors.ReservedNotZero),
        (b"RTK\n\1\0\0\0" + end(), errors.InvalidValue),
        (b"RTK\n\1\0\0\0" + block(200, b""), errors.InvalidValue),
        (file_of(block(1, HEAD)), errors.InvalidValue),
        (file_of(block(2, b"state")), errors.InvalidValue),
        (file_of(block(0, b"")), errors.InvalidValue),
        (file_of(block(9, b"")), errors.InvalidValue),
        (file_of(block(8, b"")), errors.Truncated),
        (file_of(inputs(0, 2), block(8, struct.pack("<I", 1))), errors.InvalidValue),
        (file_of(inputs(0, 2), block(8, struct.pack("<I", 3))), errors.InvalidValue),
        (file_of(inputs(0, 2), block(8, struct.pack("<I", 2)), block(8, struct.pack("<I", 2))), errors.InvalidValue),
        (file_of(block(127, b"")), errors.InvalidValue),
        (file_of(block(6, b"", reserved=1)), errors.ReservedNotZero),
        (file_of(block(6, b"", encoding=2)), errors.InvalidValue),
        (file_of(block(6, b"ab", stored=b"a")), errors.InvalidValue),
        (file_of(block(6, b"ab", encoding=1, stored=b"ab")), errors.InvalidValue),
        (file_of(block(3, bytes(99), encoding=1, stored=zlib.compress(bytes(98)))), errors.InvalidValue),
        (file_of(block(3, bytes(99), encoding=1, stored=zlib.compress(bytes(1000)))), errors.InvalidValue),
        (file_of(block(3, bytes(99), encoding=1, stored=zlib.compress(bytes(99)) + b"x")), errors.InvalidValue),
        (file_of(block(3, bytes(99), encoding=1, stored=zlib.compress(bytes(99))[:-4])), errors.InvalidValue),
        (file_of(head=HEAD[:-1]), errors.Truncated),
        (file_of(head=HEAD + b"x"), errors.TrailingData),
        (file_of(head=HEAD[:-1] + b"\1"), errors.Truncated),
        (file_of(head=HEAD[:-1] + b"\1\xff"), errors.InvalidValue),
        (file_of(head=b"\0" + HEAD[1:]), errors.InvalidValue),
        (file_of(head=b"\x11" + HEAD[1:]), errors.InvalidValue),
        (file_of(head=b"\2\0" + HEAD[2:]), errors.InvalidValue),
        (file_of(head=b"\2\x09" + HEAD[2:]), errors.InvalidValue),
        (file_of(head=b"\2\2\4\0" + HEAD[4:]), errors.InvalidValue),
        (file_of(head=HEAD[:4] + bytes(4) + HEAD[8:]), errors.SeedIsZero),
        (file_of(head=HEAD[:8] + b"\1" + HEAD[9:]), errors.InvalidValue),
        (file_of(head=HEAD[:16] + b"\4\0"), errors.UnknownFlags),
        (file_of(block(3, bytes(7))), errors.Truncated),
        (file_of(inputs(0, 0)), errors.InvalidValue),
        (file_of(inputs(1, 1)), errors.InvalidValue),
        (file_of(inputs(0, 2), inputs(1, 2)), errors.InvalidValue),
        (file_of(inputs(0, 2), inputs(3, 2)), errors.InvalidValue),
        (file_of(block(3, struct.pack("<II", 0, 2**32 - 1) + bytes(8))), errors.Truncated),
        (file_of(block(3, struct.pack("<II", 0, 1) + bytes(8))), errors.TrailingData),
        (file_of(block(4, bytes(7))), errors.Truncated),
        (file_of(block(4, struct.pack("<II", 1, 5))), errors.InvalidValue),
        (file_of(inputs(0, 3), block(4, struct.pack("<IIII", 2, 5, 2, 5))), errors.InvalidValue),
        (file_of(inputs(0, 3), block(4, bytes(8)), block(4, bytes(8))), errors.InvalidValue),
        (file_of(block(5, bytes(13))), errors.Truncated),
        (file_of(block(5, struct.pack("<IIHBB", 0, 0, 1, 1, 9))), errors.ReservedNotZero),
        (file_of(block(5, struct.pack("<IIHBB", 0, 0, 0, 1, 0))), errors.InvalidValue),
        (file_of(block(5, struct.pack("<IIHBB", 0, 0, 1, 0, 0))), errors.InvalidValue),
        (file_of(block(5, struct.pack("<IIHBB", 0, 0, 1, 2, 0))), errors.InvalidValue),
        (file_of(block(5, struct.pack("<IIHBB", 0, 2**32 - 1, 2, 1, 0))), errors.InvalidValue),
        (file_of(block(5, struct.pack("<IIHBBIIHBB", 5, 0, 1, 1, 0, 4, 0, 1, 1, 0))), errors.InvalidValue),
        (file_of(block(6, b"\1")), errors.Truncated),
        (file_of(block(6, b"\1a")), errors.Truncated),
        (file_of(block(6, b"\1a\1")), errors.Truncated),
        (file_of(block(6, b"\1a\1\0")), errors.Truncated),
        (file_of(block(6, b"\0\1\0a")), errors.InvalidValue),
        (file_of(block(6, b"\1\xff\0\0")), errors.InvalidValue),
        (file_of(block(7, bytes(19))), errors.Truncated),
        (file_of(block(7, bytes(21))), errors.TrailingData),
        (file_of(end(), b"x"), errors.TrailingData),
        (file_of(end(), end()), errors.TrailingData),
        (file_of(end(frames=1)), errors.InvalidValue),
        (file_of(end(checks=1)), errors.InvalidValue),
        (file_of(end(arrivals=1)), errors.InvalidValue),
        (file_of(end(known=2)), errors.InvalidValue),
        (file_of(end(known=0, checksum=1)), errors.InvalidValue),
        (file_of(block(4, struct.pack("<II", 0, 5)), end(checks=1, known=1, checksum=6)), errors.InvalidValue),
        (file_of(block(7, struct.pack("<IIIB3sI", 0, 0, 0, 0, b"\0\0\1", 0))), errors.ReservedNotZero),
    ],
)
def test_a_proven_block_that_breaks_a_rule_is_refused_by_both_readers(
    data: bytes, error: type[errors.DecodeError]
) -> None:
    for strict in (False, True):
        with pytest.raises(errors.DecodeError) as caught:
            replay.loads(data, strict=strict)
        assert type(caught.value) is error


def test_what_a_reader_does_not_need_is_skipped() -> None:
    data = file_of(block(128, b"news"), inputs(0, 2), block(255, b""), end(frames=2))
    assert len(replay.loads(data, strict=True)) == 2


def test_later_notes_replace_earlier_ones() -> None:
    data = file_of(block(6, b"\1a\1\0x\1b\1\0y"), block(6, b"\1a\1\0z"), end())
    assert replay.loads(data).metadata == {"a": "z", "b": "y"}


def test_a_small_file_cannot_become_a_large_one() -> None:
    bomb = block(3, bytes(MAX_BODY), encoding=1, stored=zlib.compress(bytes(MAX_BODY)))
    assert len(bomb) < 20_000
    with pytest.raises(errors.LimitExceeded) as caught:
        replay.loads(file_of(bomb), limits=replay.ReadLimits(max_bytes=1 << 20))
    assert (caught.value.limit, caught.value.actual) == (1 << 20, len(HEAD) + MAX_BODY)
    honest = struct.pack("<BBHII", 3, 1, 0, 4, MAX_BODY + 1)
    liar = honest + struct.pack("<I", zlib.crc32(honest + b"abcd")) + b"abcd"
    with pytest.raises(errors.LimitExceeded):
        replay.loads(file_of(liar))


def test_an_unproven_size_over_the_bound_is_a_cut_to_the_lenient_and_an_error_to_the_strict() -> None:
    data = file_of(inputs(0, 2)) + struct.pack("<BBHIII", 3, 0, 0, 2**32 - 1, 2**32 - 1, 0)
    assert len(replay.loads(data)) == 2
    with pytest.raises(errors.LimitExceeded):
        replay.loads(data, strict=True)


def test_the_number_of_records_is_bounded_before_they_are_read() -> None:
    checks = block(4, b"".join(struct.pack("<II", frame, 0) for frame in range(9)))
    data = file_of(inputs(0, 9), checks)
    assert len(replay.loads(data, limits=replay.ReadLimits(max_records=9)).checkpoints) == 9
    with pytest.raises(errors.LimitExceeded):
        replay.loads(data, limits=replay.ReadLimits(max_records=8))
    notes = file_of(block(6, b"\1a\0\0\1b\0\0"))
    with pytest.raises(errors.LimitExceeded):
        replay.loads(notes, limits=replay.ReadLimits(max_records=1))


def test_frames_beyond_the_last_number_are_refused() -> None:
    head = struct.pack("<BBHIIIBB", 1, 1, 0, 7, 2**32 - 2, 0, 1, 0)
    one = block(3, struct.pack("<II", 2**32 - 2, 1) + b"a")
    assert len(replay.loads(file_of(block(2, b""), one, head=head))) == 1
    two = block(3, struct.pack("<II", 2**32 - 2, 2) + b"ab")
    with pytest.raises(errors.InvalidValue):
        replay.loads(file_of(block(2, b""), two, head=head))


@given(st.lists(st.tuples(st.integers(0, 130), st.binary(max_size=40), st.integers(0, 1)), max_size=4))
@settings(deadline=None)
def test_any_blocks_decode_or_raise_a_decode_error(blocks: list[tuple[int, bytes, int]]) -> None:
    made = [block(k, b, encoding=e, stored=zlib.compress(b) if e else None) for k, b, e in blocks]
    for strict in (False, True):
        with contextlib.suppress(errors.DecodeError):
            assert isinstance(replay.loads(file_of(inputs(0, 2), *made), strict=strict), replay.Replay)


@given(st.binary(max_size=200))
def test_any_bytes_decode_or_raise_a_decode_error(tail: bytes) -> None:
    for start in (b"RTK\n", PREFIX, file_of()):
        with contextlib.suppress(errors.DecodeError):
            assert replay.loads(start + tail).truncated


def test_inputs_that_repeat_take_little_room() -> None:
    held = replay.Replay(seed=1, frames=[(2, 1)] * 36_000, game_id="x")
    assert len(replay.dumps(held)) < 2_000


def test_what_does_not_fit_a_block_is_an_encode_error() -> None:
    empty = replay.Replay(seed=1, frames=b"")
    for extra in ({"game_id": "x" * 256}, {"metadata": {"": "x"}}, {"metadata": {"a": "x" * 65536}}):
        with pytest.raises(errors.EncodeError):
            rtk.dumps(empty.replace(**extra))
    with pytest.raises(errors.EncodeError):
        rtk.dumps(empty.replace(game_id="\ud800"))
