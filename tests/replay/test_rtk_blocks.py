"""RTK's framing: a block comes back as it went in, or is not believed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import EncodeError, LimitExceeded
from retick.replay.limits import Budget, ReadLimits
from retick.replay.rtk_blocks import (
    MAX_BODY,
    PREFIX,
    BlockType,
    Unproven,
    check_prefix,
    decode_body,
    encode_block,
    next_block,
)


@given(st.lists(st.tuples(st.sampled_from(BlockType), st.binary(max_size=300) | st.just(bytes(5000))), max_size=5))
def test_blocks_come_back_in_order(blocks: list[tuple[BlockType, bytes]]) -> None:
    view = memoryview(PREFIX + b"".join(encode_block(kind, body) for kind, body in blocks))
    at = check_prefix(view)
    for kind, body in blocks:
        block = next_block(view, at)
        assert (block.type, decode_body(block, at, Budget(ReadLimits(), 0))) == (kind, body)
        at = block.end
    assert at == len(view)
    with pytest.raises(Unproven):
        next_block(view, at)


@given(st.binary(max_size=200), st.data())
def test_a_block_with_a_changed_bit_or_a_missing_byte_is_not_believed(body: bytes, data: st.DataObject) -> None:
    whole = encode_block(BlockType.META, body)
    changed = bytearray(whole)
    changed[data.draw(st.integers(0, len(whole) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    cut = whole[: data.draw(st.integers(0, len(whole) - 1))]
    for wrong in (bytes(changed), cut):
        with pytest.raises(Unproven):
            next_block(memoryview(wrong), 0)


def test_a_body_is_compressed_only_where_that_makes_it_smaller() -> None:
    assert len(encode_block(BlockType.META, bytes(1000))) < 100
    noise = bytes((at * 197 + at * at * 31) & 255 for at in range(63))
    assert encode_block(BlockType.META, noise).endswith(noise)


def test_a_body_over_a_bound_is_refused_on_both_sides() -> None:
    with pytest.raises(EncodeError, match="STATE block holds up to"):
        encode_block(BlockType.STATE, bytes(MAX_BODY + 1))
    block = next_block(memoryview(encode_block(BlockType.STATE, bytes(100))), 0)
    with pytest.raises(LimitExceeded):
        decode_body(block, 0, Budget(ReadLimits(max_bytes=99), 1000))
