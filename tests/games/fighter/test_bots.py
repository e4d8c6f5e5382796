"""The bots fight for real, on both sides, and think the same thoughts again from the same seed."""

from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retick.errors import UsageError
from retick.games.fighter import Button, Fighter, FighterState
from retick.games.fighter.bots import COUNTER, HOPPER, RUSHER, STYLES, Bot, Style, bout

GAME = Fighter()
PAIRINGS = [(first, second) for first in STYLES for second in STYLES]


def states_of(seed: int, payload: bytes) -> Iterator[tuple[tuple[int, int], FighterState, FighterState]]:
    """Inputs, state before and state after, frame by frame."""
    state = GAME.initial_state(seed)
    for at in range(0, len(payload), 4):
        inputs = (int.from_bytes(payload[at : at + 2], "little"), int.from_bytes(payload[at + 2 : at + 4], "little"))
        after = GAME.step(state, inputs)
        yield inputs, state, after
        state = after


def hits_taken(seed: int, payload: bytes) -> tuple[int, int]:
    first = second = 0
    for _, before, after in states_of(seed, payload):
        first += after.p1.hitstun_frames > before.p1.hitstun_frames
        second += after.p2.hitstun_frames > before.p2.hitstun_frames
    return first, second


@pytest.mark.parametrize("styles", PAIRINGS, ids=lambda pair: f"{pair[0].name}-{pair[1].name}")
def test_both_sides_land_hits_in_every_pairing(styles: tuple[Style, Style]) -> None:
    for seed in (1, 2, 0xFFFFFFFF):
        first, second = hits_taken(seed, bout(seed, 1200, styles))
        assert first >= 1, seed
        assert second >= 1, seed
        assert first + second >= 8, seed


def test_the_fight_goes_on_after_a_knock_out() -> None:
    payload = bout(5, 3600)
    late = [
        after.frame
        for _, before, after in states_of(5, payload)
        if before.p1.hp == before.p2.hp == 0 and after.p1.hitstun_frames + after.p2.hitstun_frames >= 20
    ]
    assert late
    assert late[-1] > 3000


def test_every_button_is_used_and_nothing_else() -> None:
    pressed: Counter[int] = Counter()
    for seed in (1, 2, 3):
        for inputs, _, _ in states_of(seed, bout(seed, 900)):
            for buttons in inputs:
                assert buttons & ~0xF == 0
                pressed.update(int(button) for button in Button if buttons & button)
    assert set(pressed) == {int(button) for button in Button}


def test_fighters_leap_and_also_stand_on_the_ground() -> None:
    heights = [after.p1.y for _, _, after in states_of(4, bout(4, 1200, (HOPPER, RUSHER)))]
    assert max(heights) > 1000
    assert heights.count(0) > 200


@given(seed=st.integers(1, 0xFFFFFFFF))
def test_the_same_seed_gives_the_same_inputs(seed: int) -> None:
    assert bout(seed, 120) == bout(seed, 120)


def test_seeds_styles_and_seats_tell_bots_apart() -> None:
    matches = {bout(seed, 600, styles) for seed in (1, 2, 3) for styles in PAIRINGS}
    assert len(matches) == 3 * len(PAIRINGS)
    mirrored = bout(1, 300, (COUNTER, COUNTER))
    assert {mirrored[at] for at in range(0, len(mirrored), 4)} != {0}
    swapped = {Button.LEFT: Button.RIGHT, Button.RIGHT: Button.LEFT, 0: 0, Button.ATTACK: Button.ATTACK}
    assert any(swapped.get(mirrored[at]) != mirrored[at + 2] for at in range(0, len(mirrored), 4))


def test_a_bot_asked_again_answers_the_same() -> None:
    bot = Bot.seeded(9, 1, RUSHER)
    state = GAME.initial_state(9)
    for _ in range(200):
        again, twin = bot.decide(state)
        buttons, bot = bot.decide(state)
        assert (again, twin) == (buttons, bot)
        state = GAME.step(state, (int(Button.RIGHT), buttons))


def test_bots_think_across_the_wrap_of_the_frame_counter() -> None:
    state = GAME.initial_state(3).replace(frame=0xFFFFFFFF - 100)
    bots = [Bot.seeded(3, player, RUSHER) for player in (0, 1)]
    stunned = 0
    for _ in range(600):
        buttons = []
        for player, bot in enumerate(bots):
            pressed, bots[player] = bot.decide(state)
            buttons.append(pressed)
        state = GAME.step(state, buttons)
        stunned += state.frame < 1000 and state.p1.hitstun_frames + state.p2.hitstun_frames > 0
    assert stunned > 0


@pytest.mark.parametrize(("seed", "player"), [(0, 0), (1 << 32, 0), (1, 2), (1, -1)])
def test_a_bot_without_a_seed_or_a_seat_is_refused(seed: int, player: int) -> None:
    with pytest.raises(UsageError, match=str(seed if player == 0 else player)):
        Bot.seeded(seed, player, RUSHER)


def test_the_match_is_pinned() -> None:
    # Made by this project on the day the bots were written; a change of the bots may change it, a change of
    # machine, Python or form of the kernels may not.
    final = GAME.run(GAME.initial_state(1), bout(1, 900))
    assert final.frame == 900
    assert GAME.checksum(final) == 0x16B4C1AC
