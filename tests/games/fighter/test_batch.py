"""Many matches at once are the same matches: every bit of every state, whatever is pressed and wherever it began."""

from array import array
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.games.fighter import Button, Fighter, FighterState
from retick.games.fighter.kernel import SCALES, FighterBatch, points
from retick.sim.flat import make_record
from retick.sim.prng import XorShift32
from tests.effort import examples
from tests.twin import Twin

GAME = Fighter()
RIGHT, ATTACK = int(Button.RIGHT), int(Button.ATTACK)
I32 = st.integers(-(2**31), 2**31 - 1)
BUTTONS = st.one_of(st.integers(0, 15), st.integers(0, 0xFFFF))


class Arrays:
    """A batch and the arrays that it writes to."""

    def __init__(self, states: Sequence[FighterState]) -> None:
        count = len(states)
        self.rewards = array("f", [9.0] * (2 * count))
        self.terminated = array("B", [9] * count)
        self.truncated = array("B", [9] * count)
        self.observations = array("f", [9.0] * (40 * count))
        self.batch = FighterBatch(
            count,
            GAME.initial_state(1)._slots(),
            self.rewards,
            self.terminated,
            self.truncated,
            self.observations,
        )
        for match, state in enumerate(states):
            self.batch.set_slots(match, state._slots())

    def step(
        self, pairs: Sequence[tuple[int, int]], *, most: int = 3600, restarts: bool = False, parts: int = 1
    ) -> None:
        actions = array("H", [button for pair in pairs for button in pair])
        for part in range(parts):
            self.batch.advance(actions, part, parts, most, restarts)

    def state(self, match: int) -> FighterState:
        state: FighterState = make_record(FighterState, self.batch.slots(match))
        return state

    def seen(self, match: int, player: int) -> list[float]:
        at = 40 * match + 20 * player
        return list(self.observations[at : at + 20])


@st.composite
def any_states(draw: st.DrawFn) -> FighterState:
    """Any values that fit their widths, most of them near to where rules have their edges."""
    state = GAME.initial_state(draw(st.integers(1, 0xFFFFFFFF)))
    players = []
    for player in (state.p1, state.p2):
        near = st.one_of(st.integers(-5, 35), st.integers(-1000, 21_000), I32)
        values = {name: draw(near) for name in ("x", "y", "vy", "hitstun_frames", "hp")}
        values |= {name: draw(near) for name in ("attack_cooldown_frames", "attack_active_frames")}
        values |= {"facing": draw(st.sampled_from((-1, 0, 1))), "state": draw(st.integers(0, 5))}
        players.append(player.replace(**values, attack_has_hit=draw(st.integers(0, 2))))
    frame = draw(st.one_of(st.integers(0, 5), st.integers(0, 0xFFFFFFFF), st.just(0xFFFFFFFF)))
    return state.replace(frame=frame, p1=players[0], p2=players[1])


@settings(max_examples=examples(60))
@given(st.lists(any_states(), min_size=1, max_size=5), st.data())
def test_any_state_and_any_buttons_step_as_one_match_does(states: list[FighterState], data: st.DataObject) -> None:
    arrays = Arrays(states)
    for _ in range(3):
        pairs = data.draw(st.lists(st.tuples(BUTTONS, BUTTONS), min_size=len(states), max_size=len(states)))
        arrays.step(pairs)
        states = [GAME.step(state, pair) for state, pair in zip(states, pairs, strict=True)]
        assert [arrays.state(match) for match in range(len(states))] == states


def random_pairs(rng: XorShift32, count: int) -> tuple[list[tuple[int, int]], XorShift32]:
    pairs = []
    for _ in range(count):
        draw, rng = rng.next()
        # Near each other and often attacking, so that there are hits.
        pairs.append(((draw >> 4 & 15) | (draw >> 20 & 1) * RIGHT, draw >> 8 & 15))
    return pairs, rng


@pytest.mark.parametrize(("count", "parts"), [(1, 1), (63, 2), (64, 3), (65, 2), (130, 7)])
def test_matches_of_any_number_in_any_shares_are_played_as_one_by_one(count: int, parts: int) -> None:
    near = GAME.initial_state(1)
    near = near.replace(p2=near.p2.replace(x=5_000))
    states = [near.replace(rng=seed + 1) for seed in range(count)]
    arrays = Arrays(states)
    rng = XorShift32(7)
    hits = 0
    for _ in range(60):
        pairs, rng = random_pairs(rng, count)
        arrays.step(pairs, parts=parts)
        before, states = states, [GAME.step(state, pair) for state, pair in zip(states, pairs, strict=True)]
        for match, (was, now) in enumerate(zip(before, states, strict=True)):
            worth = points(was.p1.hp, now.p1.hp, was.p2.hp, now.p2.hp)
            paid = list(arrays.rewards[2 * match : 2 * match + 2])
            assert paid == list(array("f", [0.01 * worth, 0.01 * -worth]))
            hits += worth != 0
    assert [arrays.state(match) for match in range(count)] == states
    assert hits > 0


def test_the_scales_are_the_powers_of_two_that_the_page_names() -> None:
    powers = (15, 12, 9, 0, 3, 5, 7, 5, 3, 0)
    assert list(SCALES) == [2.0**-power for power in powers]


def test_players_see_themselves_first_and_every_field_but_vx() -> None:
    state = GAME.step(GAME.initial_state(3), (RIGHT, ATTACK))
    arrays = Arrays([GAME.initial_state(3), state])
    arrays.batch.observe()
    rows = []
    for player in (state.p1, state.p2):
        fields = [value for name, value in player.fields() if name != "vx"]
        rows.append([value * scale for value, scale in zip(fields, SCALES, strict=True)])
    assert arrays.seen(1, 0) == rows[0] + rows[1]
    assert arrays.seen(1, 1) == rows[1] + rows[0]


@pytest.mark.parametrize(
    ("before", "after", "worth"),
    [
        ((100, 100), (100, 75), 25),
        ((100, 100), (75, 100), -25),
        ((100, 100), (75, 75), 0),
        ((50, 25), (50, 0), 125),
        ((25, 50), (0, 50), -125),
        ((25, 25), (0, 0), 0),
        ((50, 0), (50, 0), 0),
    ],
)
def test_a_frame_is_worth_what_was_dealt_less_what_was_taken(
    before: tuple[int, int], after: tuple[int, int], worth: int
) -> None:
    assert points(before[0], after[0], before[1], after[1]) == worth
    assert points(before[1], after[1], before[0], after[0]) == -worth


def about_to_fall() -> FighterState:
    state = GAME.initial_state(5)
    return state.replace(p1=state.p1.replace(x=5_000), p2=state.p2.replace(x=5_700, hp=25))


def test_a_match_without_restarts_goes_on_after_its_end_and_is_paid_for_it_once() -> None:
    arrays = Arrays([about_to_fall(), GAME.initial_state(1)])
    arrays.step([(ATTACK, 0)] * 2)
    assert list(arrays.terminated) == [1, 0]
    assert list(arrays.rewards) == [1.25, -1.25, 0.0, 0.0]
    arrays.step([(0, 0)] * 2, most=2)
    assert list(arrays.terminated) == [1, 0]
    assert list(arrays.truncated) == [0, 1]
    assert arrays.rewards[0] == 0.0
    assert arrays.state(0).frame == 2


def test_an_ended_match_begins_anew_with_the_next_seed_of_its_generator() -> None:
    arrays = Arrays([about_to_fall(), GAME.initial_state(9)])
    arrays.step([(ATTACK, 0)] * 2, restarts=True)
    assert (list(arrays.terminated), list(arrays.truncated)) == ([1, 0], [0, 0])
    following = XorShift32(5).next()[0]
    assert arrays.state(0) == GAME.initial_state(following)
    assert arrays.seen(0, 0) == seen_at_the_start()
    arrays.step([(0, 0)] * 2, most=2, restarts=True)
    assert list(arrays.truncated) == [0, 1]
    assert arrays.state(1) == GAME.initial_state(XorShift32(9).next()[0])


def seen_at_the_start() -> list[float]:
    arrays = Arrays([GAME.initial_state(1)])
    arrays.batch.observe()
    return arrays.seen(0, 0)


def test_chosen_matches_begin_anew_with_their_seeds() -> None:
    arrays = Arrays([about_to_fall()] * 3)
    arrays.batch.restart(array("I", [7, 0, 0xFFFFFFFF]), array("B", [1, 0, 1]))
    assert arrays.state(0) == GAME.initial_state(7)
    assert arrays.state(1) == about_to_fall()
    assert arrays.state(2) == GAME.initial_state(0xFFFFFFFF)


def complaints() -> list[str]:
    """A story for the twin: what is wrong with the arguments is said in the same words."""
    arrays = Arrays([GAME.initial_state(1)] * 2)
    batch, slots = arrays.batch, GAME.initial_state(1)._slots()
    paid, flags = array("f", [0.0] * 4), array("B", [0] * 2)
    calls: list[Any] = [
        lambda: FighterBatch(0, slots, paid, flags, flags, None),
        lambda: FighterBatch("2", slots, paid, flags, flags, None),
        lambda: FighterBatch(2, slots[:-1], paid, flags, flags, None),
        lambda: FighterBatch(2, slots, array("d", [0.0] * 4), flags, flags, None),
        lambda: FighterBatch(2, slots, bytes(16), flags, flags, None),
        lambda: FighterBatch(2, slots, paid, bytes(2), flags, None),
        lambda: FighterBatch(2, slots, paid, flags, flags, paid),
        lambda: FighterBatch(2, slots, 5, flags, flags, None),
        lambda: FighterBatch(2, slots, paid, flags, flags, None).observe(),
        lambda: batch.slots(2),
        lambda: batch.slots(-1),
        lambda: batch.set_slots(0, slots[:3]),
        lambda: batch.restart(array("I", [1]), flags),
        lambda: batch.restart(array("I", [1, 0]), array("B", [1, 1])),
        lambda: batch.advance(array("H", [0] * 3), 0, 1, 10, False),
        lambda: batch.advance(array("h", [0] * 4), 0, 1, 10, False),
        lambda: batch.advance(array("H", [0] * 4), 1, 1, 10, False),
        lambda: batch.advance([0] * 4, 0, 1, 10, False),
    ]
    lines = []
    for call in calls:
        with pytest.raises(UsageError) as caught:
            call()
        lines.append(str(caught.value))
    assert arrays.state(0) == arrays.state(1) == GAME.initial_state(1)
    return lines


def numbers(seed: int, count: int) -> list[str]:
    """A story for the twin: everything that is written."""
    arrays = Arrays([about_to_fall().replace(rng=1 + match) for match in range(count)])
    rng = XorShift32(seed)
    for _ in range(40):
        pairs, rng = random_pairs(rng, count)
        arrays.step(pairs, most=30, restarts=True)
    written = (arrays.rewards, arrays.terminated, arrays.truncated, arrays.observations)
    return [*(part.tobytes().hex() for part in written), *(str(arrays.state(match)) for match in range(count))]


def test_both_forms_write_the_same_and_complain_in_the_same_words() -> None:
    with Twin() as twin:
        assert twin.tells(complaints) == complaints()
        assert twin.tells(numbers, 11, 3) == numbers(11, 3)
        assert twin.tells(numbers, 12, 66) == numbers(12, 66)
