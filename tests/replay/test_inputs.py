"""Packed inputs: what is packed is unpacked, and what does not fit is refused with the player's number."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.replay.replay import pack_frames, pack_inputs, unpack_inputs


@st.composite
def frames(draw: st.DrawFn) -> tuple[int, int, list[tuple[int, ...]]]:
    players, size = draw(st.integers(1, 16)), draw(st.integers(1, 8))
    value = st.integers(0, 256**size - 1)
    return players, size, draw(st.lists(st.tuples(*[value] * players), max_size=5))


@given(frames())
def test_what_is_packed_is_unpacked(case: tuple[int, int, list[tuple[int, ...]]]) -> None:
    players, size, rows = case
    packed = pack_frames(rows, players, size)
    assert packed == b"".join(pack_inputs(row, players, size) for row in rows)
    width = players * size
    assert [unpack_inputs(packed[at : at + width], size) for at in range(0, len(packed), width)] == rows
    assert pack_frames(memoryview(packed), players, size) == packed


def test_the_input_that_does_not_fit_is_named() -> None:
    with pytest.raises(UsageError, match=r"player 1 must be an integer of 8 bits \(0 to 255\), not 256"):
        pack_inputs((255, 256), 2, 1)
    with pytest.raises(UsageError, match="has 2 inputs, one for each player, not 3"):
        pack_inputs((1, 2, 3), 2, 1)
    with pytest.raises(UsageError, match="multiple of 4 bytes"):
        pack_frames(b"abc", 2, 2)
