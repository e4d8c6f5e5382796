"""Inputs for a search: the bits that a game reads, and rows drawn from one generator."""

from collections import Counter
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from retick.audit.input_search import RowMaker, live_bits
from tests.audit.cheating_games import Honest
from tests.audit.tank_games import InPlace, Tanks

IDLE = [(0, 0)] * 400


class Countdown(Honest):
    """Reads two bits, and only after some frames."""

    def step(self, state: Any, inputs: Any) -> Any:
        pressed = inputs[0] & 0x21 if state.frame > 100 else 0
        return super().step(state, (pressed, 0))


def test_the_bits_that_a_game_reads_are_found() -> None:
    assert live_bits(Tanks(), 1, IDLE) == [0, 1, 2, 3, 4]


def test_also_in_a_game_that_changes_its_state_in_place() -> None:
    assert live_bits(InPlace(), 1, IDLE) == [0, 1, 2, 3, 4]


def test_also_those_that_are_read_only_later() -> None:
    assert live_bits(Countdown(), 1, IDLE) == [0, 5]
    assert live_bits(Countdown(), 1, IDLE[:50]) == []


def test_live_bits_are_pressed_most_and_others_now_and_then() -> None:
    rows = RowMaker(Tanks(), [3, 4], Random(1)).new(5000)
    pressed = Counter(bit for row in rows for value in row for bit in range(16) if value >> bit & 1)
    assert min(pressed[3], pressed[4]) > 2 * max(pressed[bit] for bit in range(16) if bit not in (3, 4))
    assert all(pressed[bit] for bit in range(16))


@given(st.integers(0, 1000), st.integers(1, 200))
def test_rows_depend_on_the_generator_alone(seed: int, frames: int) -> None:
    first, second = (RowMaker(Tanks(), [0, 4], Random(seed)).new(frames) for _ in range(2))
    assert first == second
    assert len(first) == frames
    assert all(0 <= value < 1 << 16 for row in first for value in row)


@given(st.integers(0, 1000), st.integers(1, 200))
def test_a_changed_copy_is_the_same_before_the_first_change_and_for_the_other_player(seed: int, frames: int) -> None:
    maker = RowMaker(Tanks(), [0, 4], Random(seed))
    rows = maker.new(frames)
    copy, first = maker.changed(rows)
    assert len(copy) == len(rows)
    assert copy[:first] == rows[:first]
    assert any([row[player] for row in copy] == [row[player] for row in rows] for player in (0, 1))
