"""RTK's reader: what it has at each moment, and that a wrong block changes nothing."""

import struct

import pytest

from retick.errors import InvalidValue
from retick.replay.limits import Budget, ReadLimits
from retick.replay.rtk import RtkReader
from retick.replay.rtk_blocks import CHECK, HEAD, INPUTS, BlockType

PLAIN = HEAD.pack(2, 1, 1, 7, 0, 0, 0, 0)
LATE = HEAD.pack(2, 1, 1, 7, 50, 0, 1, 0)


def fresh() -> RtkReader:
    return RtkReader(Budget(ReadLimits(), 0))


def test_a_recording_is_playable_once_its_head_and_announced_state_are_read() -> None:
    plain, late = fresh(), fresh()
    assert not plain.playable
    plain.read_block(BlockType.HEAD, PLAIN)
    assert plain.playable
    late.read_block(BlockType.HEAD, LATE)
    assert not late.playable
    late.read_block(BlockType.STATE, b"state")
    assert late.playable
    assert late.replay(truncated=True).start_state == b"state"


def test_the_end_frame_grows_with_the_inputs_and_the_budget_of_frames_shrinks() -> None:
    budget = Budget(ReadLimits(max_frames=5), 100)
    reader = RtkReader(budget)
    reader.read_block(BlockType.HEAD, PLAIN)
    reader.read_block(BlockType.INPUTS, INPUTS.pack(0, 3) + b"abcdef")
    assert reader.end_frame == 3
    assert budget.left("frames") == 2


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        (BlockType.HEAD, PLAIN),
        (BlockType.STATE, b"not announced"),
        (BlockType.INPUTS, INPUTS.pack(9, 1) + b"ab"),
        (BlockType.CHECKS, CHECK.pack(5, 1)),
        (BlockType.ARRIVALS, struct.pack("<IIHBB", 0, 0, 1, 0, 0)),
        (99, b""),
    ],
)
def test_a_wrong_block_is_refused_and_changes_nothing(kind: int, body: bytes) -> None:
    reader = fresh()
    reader.read_block(BlockType.HEAD, PLAIN)
    reader.read_block(BlockType.INPUTS, INPUTS.pack(0, 2) + b"abcd")
    before = reader.replay(truncated=True)
    with pytest.raises(InvalidValue):
        reader.read_block(kind, body)
    assert reader.replay(truncated=True) == before
