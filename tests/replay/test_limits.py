"""The budget of a file: small files stay small in memory, whatever they announce, and honest ones are read."""

import struct
import tracemalloc
import zlib
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick import replay
from retick.errors import LimitExceeded
from retick.replay.limits import Budget, ReadLimits, budget_for
from retick.replay.rtk_blocks import ARRIVAL, CHECK, HEAD, INPUTS, PREFIX, BlockType, encode_block

SMALL = ReadLimits(free_bytes=1 << 20, free_frames=10_000, growth=8)
"""So small that it overflows in a test."""
HEADS = PREFIX + encode_block(BlockType.HEAD, HEAD.pack(2, 1, 1, 7, 0, 0, 0, 0))


def peak_of(read: Callable[[], object]) -> int:
    """Bytes that reading takes at most, over what was there before."""
    tracemalloc.start()
    try:
        read()
    except LimitExceeded:
        pass
    finally:
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return peak


def raw_block(kind: int, body_size: int, stored: bytes) -> bytes:
    covered = struct.pack("<BBHII", kind, 1, 0, len(stored), body_size)
    return covered + struct.pack("<I", zlib.crc32(stored, zlib.crc32(covered))) + stored


def swollen(kind: BlockType, record: bytes, count: int, blocks: int) -> bytes:
    body = record * count
    return HEADS + raw_block(kind, len(body), zlib.compress(body, 9)) * blocks


def arrivals(count: int) -> bytes:
    inputs = encode_block(BlockType.INPUTS, INPUTS.pack(0, 1) + b"ab")
    body = ARRIVAL.pack(0, 0, 1, 1, 0) * count
    return HEADS + inputs + raw_block(BlockType.ARRIVALS, len(body), zlib.compress(body, 9))


def checks(count: int) -> bytes:
    inputs = encode_block(BlockType.INPUTS, INPUTS.pack(0, count) + bytes(2 * count))
    body = b"".join(CHECK.pack(frame, 0) for frame in range(count))
    return HEADS + inputs + raw_block(BlockType.CHECKS, len(body), zlib.compress(body, 9))


def notes(count: int) -> bytes:
    body = b"".join(b"\x03%03x\x00\x00" % number for number in range(count))
    return HEADS + raw_block(BlockType.META, len(body), zlib.compress(body, 9))


BOMBS: dict[str, Callable[[], bytes]] = {
    "a state that expands": lambda: swollen(BlockType.STATE, bytes(1 << 20), 16, 1),
    "blocks that a reader skips": lambda: HEADS + raw_block(200, 1 << 24, zlib.compress(bytes(1 << 24), 9)) * 60,
    "inputs": lambda: (
        HEADS + raw_block(BlockType.INPUTS, 8 + (1 << 23), zlib.compress(INPUTS.pack(0, 1 << 22) + bytes(1 << 23), 9))
    ),
    "arrivals": lambda: arrivals(100_000),
    "checksums": lambda: checks(100_000),
    "notes": lambda: notes(4096),
    "a frame count without frames": lambda: struct.pack(
        "<4sBBHIIII8s", b"RPLK", 1, 0, 32, 1, 0, 2**32 - 1, 0, bytes(8)
    ),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_no_file_takes_more_memory_than_a_small_multiple_of_its_budget(bomb: str) -> None:
    data = BOMBS[bomb]()
    allowed = Budget(SMALL, len(data)).left("bytes")
    assert peak_of(lambda: replay.loads(data, limits=SMALL)) < 3 * allowed + 3 * len(data)


@pytest.mark.parametrize("bomb", sorted(set(BOMBS) - {"notes"}))
def test_a_file_over_its_budget_is_refused_with_what_was_too_much(bomb: str) -> None:
    data = BOMBS[bomb]()
    with pytest.raises(LimitExceeded) as caught:
        replay.loads(data, limits=SMALL)
    assert caught.value.limit < caught.value.actual


def test_by_default_a_small_file_takes_tens_of_megabytes_at_most() -> None:
    data = arrivals(1_300_000)
    assert len(data) < 50_000
    assert peak_of(lambda: replay.loads(data)) < 96 << 20


def test_batches_that_name_the_same_frames_again_and_again_are_refused() -> None:
    inputs = encode_block(BlockType.INPUTS, INPUTS.pack(0, 1) + b"ab")
    body = ARRIVAL.pack(0, 0, 0xFFFF, 1, 0) * 1000
    data = HEADS + inputs + encode_block(BlockType.ARRIVALS, body)
    with pytest.raises(LimitExceeded, match="frames in arrivals"):
        replay.loads(data, limits=SMALL)


def test_an_hour_in_which_nobody_pressed_anything_is_read() -> None:
    idle = replay.Replay(seed=1, frames=bytes(4 * 216_000), game_id="x")
    data = replay.dumps(idle)
    assert len(data) < 5_000
    assert replay.loads(data) == idle


def test_a_recording_with_every_arrival_of_a_quarter_of_an_hour_is_read() -> None:
    recorder = replay.Recorder(seed=1, local_players=(0,))
    out = bytearray()
    for frame in range(0, 54_000, 60):
        for each in range(frame, frame + 60):
            recorder.add_frame((each // 7 % 3, each // 5 % 2))
            recorder.add_arrival(each, 1, each, 1)
        recorder.flush()
        out += recorder.drain()
    assert len(replay.loads(out).arrivals) == 54_000


def test_a_trusted_file_may_expand_as_far_as_it_was_trusted() -> None:
    data = BOMBS["inputs"]()
    assert len(replay.loads(data, limits=ReadLimits.trusting(1 << 24))) == 1 << 22
    with pytest.raises(LimitExceeded):
        replay.loads(data, limits=ReadLimits.trusting(1 << 22))


@given(st.lists(st.integers(0, 1000)), st.integers(0, 1000), st.integers(0, 5000))
def test_a_budget_gives_its_total_and_a_refusal_takes_nothing(spending: list[int], size: int, most: int) -> None:
    budget = Budget(ReadLimits(max_bytes=most, free_bytes=100, growth=2), size)
    left = min(most, 100 + 2 * size)
    for amount in spending:
        if amount <= left:
            budget.spend("bytes", amount, "x")
            left -= amount
        else:
            with pytest.raises(LimitExceeded):
                budget.spend("bytes", amount, "x")
        assert budget.left("bytes") == left


def test_a_file_within_a_file_spends_the_budget_of_the_outer_one() -> None:
    outer = Budget(ReadLimits(), 10)
    assert budget_for(outer, 1000) is outer
    assert budget_for(None, 1000).size == 1000
