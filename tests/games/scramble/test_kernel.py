"""Scramble's step: pinned matches, laws, and each rule at its edge."""

import re
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import retick.games.scramble
from retick.games.scramble import Scramble, ScrambleBody, ScrambleButton, ScrambleState, rules
from retick.games.scramble.bots import scramble
from retick.sim.prng import XorShift32
from retick.testing import assert_deterministic
from tests.effort import examples

LEFT, RIGHT, UP, DOWN, DASH = (int(button) for button in ScrambleButton)

SEATS = [2, 3, 4, 8]


def placed(game: Scramble, *places: tuple[int, int], **first: int) -> ScrambleState:
    """Bodies at the given places, the rest far away, the coin out of reach; ``first`` changes seat 0."""
    state = game.initial_state(1)
    bodies = [body.replace(x=14_000, y=2_000 * seat) for seat, body in enumerate(state.bodies)]
    for seat, (x, y) in enumerate(places):
        bodies[seat] = bodies[seat].replace(x=x, y=y)
    bodies[0] = bodies[0].replace(**first)
    return state.replace(coin_x=1_000, coin_y=15_000, bodies=tuple(bodies))


def body(state: ScrambleState, seat: int) -> ScrambleBody:
    return state.bodies[seat]


# Made by this project when the game was written; a change of its rules may change them, a change of machine,
# of Python or of the kernels' form may not.
@pytest.mark.parametrize(("players", "checksum"), [(2, 0x7CD7BCF1), (4, 0xCE4C03CD), (8, 0x9992487E)])
def test_the_match_of_bots_is_pinned(players: int, checksum: int) -> None:
    game = Scramble(players)
    final = list(islice(scramble(1, players), 900))[-1][1]
    assert final.frame == 900
    assert game.checksum(final) == checksum


@pytest.mark.parametrize("players", SEATS)
def test_run_is_step_repeated_and_leaves_the_state_alone(players: int) -> None:
    game = Scramble(players)
    start = game.initial_state(5)
    packed = start.to_bytes()
    rows, states = zip(*islice(scramble(5, players), 300), strict=True)
    payload = b"".join(value.to_bytes(2, "little") for row in rows for value in row)
    assert game.run(start, payload) == states[-1]
    assert start.to_bytes() == packed


@pytest.mark.parametrize("players", SEATS)
def test_it_repeats_itself(players: int) -> None:
    assert_deterministic(lambda: Scramble(players), frames=200)


@settings(max_examples=examples(60), deadline=None)
@given(st.integers(2, 8), st.integers(1, 2**32 - 1), st.data())
def test_bodies_stay_on_the_field_and_coins_in_reach(players: int, seed: int, data: st.DataObject) -> None:
    game = Scramble(players)
    state = game.initial_state(seed)
    rows = data.draw(st.lists(st.tuples(*[st.integers(0, 0xFFFF)] * players), min_size=1, max_size=40))
    for row in rows * 3:
        before, state = state, game.step(state, row)
        for each in state.bodies:
            assert rules.NEAR_WALL <= each.x <= rules.FAR_WALL
            assert rules.NEAR_WALL <= each.y <= rules.FAR_WALL
            assert each.score >= 0
        assert 0 < state.coin_x < rules.FIELD
        assert state.frame == before.frame + 1
    assert game.unpack_state(game.pack_state(state)) == state


def test_running_covers_ground_and_opposite_buttons_cancel() -> None:
    game = Scramble(2)
    state = placed(game, (8_000, 8_000))
    assert body(game.step(state, (RIGHT, 0)), 0).x == 8_000 + rules.RUN_SPEED
    assert body(game.step(state, (UP, 0)), 0).y == 8_000 - rules.RUN_SPEED
    after = game.step(state, (LEFT | RIGHT | UP | DOWN, 0))
    assert (body(after, 0).x, body(after, 0).y) == (8_000, 8_000)


def test_a_dash_needs_a_direction_and_cools_down() -> None:
    game = Scramble(2)
    state = placed(game, (2_000, 8_000))
    assert body(game.step(state, (DASH, 0)), 0).dash == 0
    state = game.step(state, (DASH | RIGHT, 0))
    assert body(state, 0).vx == rules.DASH_SPEED
    started = 0
    while not started:
        state = game.step(state, (DASH | LEFT, 0))
        if body(state, 0).cooldown == rules.COOLDOWN_FRAMES:
            started = state.frame
    assert started == 1 + rules.COOLDOWN_FRAMES


def test_bodies_that_meet_push_each_other_apart() -> None:
    game = Scramble(2)
    state = placed(game, (5_000, 8_000), (5_900, 8_000))
    after = game.step(state, (0, 0))
    assert body(after, 1).x - body(after, 0).x >= rules.SIZE
    assert (body(after, 0).stun, body(after, 1).stun) == (0, 0)


def test_bodies_at_the_very_same_place_part_too() -> None:
    game = Scramble(2)
    after = game.step(placed(game, (5_000, 8_000), (5_000, 8_000)), (0, 0))
    assert abs(body(after, 1).y - body(after, 0).y) >= rules.SIZE


def test_touching_edges_are_no_contact_and_one_unit_closer_is() -> None:
    game = Scramble(2)
    for gap, stun in ((rules.SIZE, 0), (rules.SIZE - 1, rules.STUN_FRAMES)):
        state = placed(game, (5_000, 8_000), (5_000 + rules.DASH_SPEED + gap, 8_000))
        assert body(game.step(state, (DASH | RIGHT, 0)), 1).stun == stun


def test_a_dash_shoves_takes_a_point_and_ends() -> None:
    game = Scramble(2)
    state = placed(game, (5_000, 8_000), (6_200, 8_000), score=4)
    state = state.replace(bodies=(state.bodies[0], state.bodies[1].replace(score=2)))
    after = game.step(state, (DASH | RIGHT, 0))
    assert (body(after, 0).score, body(after, 1).score) == (5, 1)
    assert (body(after, 0).dash, body(after, 0).vx) == (0, 0)
    assert body(after, 1).vx > rules.DASH_SPEED
    stunned = game.step(after, (0, LEFT | DASH))
    assert body(stunned, 1).vx > 0


def test_two_dashes_into_each_other_both_land() -> None:
    game = Scramble(2)
    after = game.step(placed(game, (5_000, 8_000), (6_500, 8_000)), (DASH | RIGHT, DASH | LEFT))
    assert (body(after, 0).stun, body(after, 1).stun) == (rules.STUN_FRAMES, rules.STUN_FRAMES)
    assert body(after, 0).vx < 0 < body(after, 1).vx
    assert (body(after, 0).score, body(after, 1).score) == (0, 0) or body(after, 0).score + body(after, 1).score == 1


def test_a_stunned_body_cannot_be_shoved_again() -> None:
    game = Scramble(3)
    state = placed(game, (5_000, 8_000), (6_200, 8_000), (7_000, 12_000))
    bodies = list(state.bodies)
    bodies[1] = bodies[1].replace(stun=10)
    after = game.step(state.replace(bodies=tuple(bodies)), (DASH | RIGHT, 0, 0))
    assert body(after, 1).stun == 9
    assert body(after, 0).score == 0


def test_the_nearest_takes_the_coin_and_the_next_is_drawn_from_the_generator() -> None:
    game = Scramble(2)
    state = placed(game, (8_000, 8_000), (8_000, 9_200)).replace(coin_x=8_000, coin_y=8_650)
    after = game.step(state, (0, 0))
    assert (body(after, 0).score, body(after, 1).score) == (0, rules.COIN_POINTS)
    x, rng = XorShift32(state.rng).below(rules.COIN_RANGE)
    y, rng = rng.below(rules.COIN_RANGE)
    assert (after.coin_x, after.coin_y) == (rules.COIN_MARGIN + x, rules.COIN_MARGIN + y)
    assert after.rng == rng.state


def test_a_wall_stops_a_runner_and_throws_back_who_flies() -> None:
    game = Scramble(2)
    state = placed(game, (rules.NEAR_WALL + 50, 8_000))
    assert body(game.step(state, (LEFT, 0)), 0).x == rules.NEAR_WALL
    flying = placed(game, (rules.NEAR_WALL + 50, 8_000), stun=20, vx=-400)
    assert body(game.step(flying, (0, 0)), 0).vx == 350


def test_the_eleven_free_bits_change_nothing() -> None:
    game = Scramble(2)
    state = game.initial_state(1)
    assert game.step(state, (RIGHT | 0xFFE0, 0xFFE0)) == game.step(state, (RIGHT, 0))


def test_the_frame_wraps_at_32_bits() -> None:
    game = Scramble(2)
    assert game.step(game.initial_state(1).replace(frame=2**32 - 1), (0, 0)).frame == 0


def test_the_constants_for_the_compiler_are_the_rules() -> None:
    """kernel.pxd repeats rules.py and the layout, so that C can fold them; here the two are compared."""
    text = (Path(retick.games.scramble.__file__).parent / "kernel.pxd").read_text(encoding="utf-8")
    constants = {name: int(value) for name, value in re.findall(r"^    (\w+) = (-?\d+)$", text, re.MULTILINE)}
    names = ScrambleState.layout.names
    expected = {"COIN_X": names.index("coin_x"), "COIN_Y": names.index("coin_y"), "RNG": names.index("rng")}
    expected |= {"FIRST": names.index("bodies[0].x"), "EACH": len(ScrambleBody.layout.names)}
    expected |= {name.upper(): index for index, name in enumerate(ScrambleBody.layout.names)}
    expected |= {f"{button.name}_BUTTON": int(button) for button in ScrambleButton}
    for name in constants.keys() - expected.keys():
        expected[name] = getattr(rules, name)
    assert constants == expected


def test_numbers_at_the_end_of_32_bits_wrap_and_can_still_be_packed() -> None:
    sim = Scramble(2)
    state = sim.initial_state(1)
    rich = tuple(body.replace(score=2**31 - 1) for body in state.bodies)
    taken = sim.step(state.replace(bodies=rich, coin_x=3000, coin_y=3000), (0, 0))
    assert [body.score for body in taken.bodies] == [-(2**31) + 2, 2**31 - 1]
    fast = state.bodies[0].replace(x=3000, y=3000, vx=2**31 - 1, dash=5)
    shoved = sim.step(state.replace(bodies=(fast, fast.replace(x=20000, dash=0))), (0, 0))
    for after in (taken, shoved):
        assert sim.unpack_state(sim.pack_state(after)) == after
