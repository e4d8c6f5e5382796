"""The fighter's step: published runs, golden scripts, and each rule at its edge."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import retick.games.fighter
from retick.games.fighter import Action, Button, Fighter, FighterState, rules
from tests.effort import examples
from tests.games.fighter.scripts import documented, pinned

LEFT, RIGHT, JUMP, ATTACK = (int(button) for button in Button)

VECTORS = Path(__file__).parents[2] / "vectors" / "fighter" / "fighter.json"

RUNS = json.loads(VECTORS.read_text(encoding="utf-8"))["runs"]


@pytest.fixture
def sim() -> Fighter:
    return Fighter()


def buttons_of(run: dict[str, Any], player: str) -> list[int]:
    return [int(run[player][at : at + 4], 16) for at in range(0, len(run[player]), 4)]


def facing_off(sim: Fighter, gap: int, **first: Any) -> FighterState:
    """Both on the ground, player 1 looking at player 2 with ``gap`` between their boxes."""
    state = sim.initial_state(1)
    p1 = state.p1.replace(x=5_000, **first)
    return state.replace(p1=p1, p2=state.p2.replace(x=5_000 + rules.PLAYER_WIDTH + gap))


@pytest.mark.parametrize("run", RUNS, ids=[str(run["seed"]) for run in RUNS])
def test_published_runs_step_by_step_and_in_bulk(sim: Fighter, run: dict[str, Any]) -> None:
    state = sim.initial_state(run["seed"])
    pairs = list(zip(buttons_of(run, "p1"), buttons_of(run, "p2"), strict=True))
    assert len(pairs) == run["frames"]
    checkpoints = {int(frame): int(text, 16) for frame, text in run["checksum_before_frame"].items()}
    seen = {}
    for frame, pair in enumerate(pairs):
        assert state.frame == frame
        if frame in checkpoints:
            seen[frame] = sim.checksum(state)
        state = sim.step(state, pair)
    assert seen == checkpoints
    assert sim.checksum(state) == int(run["final_checksum"], 16)
    assert [state.p1.hp, state.p2.hp] == run["final_hp"]
    assert [state.p1.x, state.p2.x] == run["final_x"]
    payload = b"".join(a.to_bytes(2, "little") + b.to_bytes(2, "little") for a, b in pairs)
    assert sim.run(sim.initial_state(run["seed"]), payload) == state


@pytest.mark.parametrize(("script", "checksum"), [(pinned, 0x41B73DB7), (documented, 0xD72EE391)])
def test_golden_scripts(sim: Fighter, script: Any, checksum: int) -> None:
    state = sim.initial_state(1)
    for frame in range(1000):
        state = sim.step(state, script(frame))
    assert sim.checksum(state) == checksum


@settings(max_examples=examples(200), deadline=None)
@given(st.integers(1, 2**32 - 1), st.lists(st.tuples(st.integers(0, 0xFFFF), st.integers(0, 0xFFFF)), max_size=200))
def test_run_is_step_repeated(seed: int, pairs: list[tuple[int, int]]) -> None:
    sim = Fighter()
    state = sim.initial_state(seed)
    payload = b"".join(a.to_bytes(2, "little") + b.to_bytes(2, "little") for a, b in pairs)
    for pair in pairs:
        state = sim.step(state, pair)
    for frames in (payload, bytearray(payload), memoryview(payload)):
        assert sim.run(sim.initial_state(seed), frames) == state


@given(st.integers(0, 0xFFF), st.integers(0, 0xFFF))
def test_the_twelve_free_bits_change_nothing(first: int, second: int) -> None:
    sim = Fighter()
    state = sim.initial_state(1)
    assert sim.step(state, (first << 4 | RIGHT, second << 4 | LEFT)) == sim.step(state, (RIGHT, LEFT))


def test_frame_wraps_at_32_bits(sim: Fighter) -> None:
    state = sim.initial_state(1).replace(frame=2**32 - 1)
    assert sim.step(state, (0, 0)).frame == 0
    assert sim.run(state, bytes(8)).frame == 1


def test_coordinates_wrap_at_32_bits_as_the_reference_does(sim: Fighter) -> None:
    state = sim.initial_state(1)
    falling = state.replace(p1=state.p1.replace(y=-(2**31), vy=-(2**31)))
    after = sim.step(falling, (0, 0)).p1
    # vy wraps to 2^31 - 40, and y becomes -40: landed.
    assert (after.y, after.vy) == (0, 0)
    rising = state.replace(p1=state.p1.replace(y=2**31 - 1, vy=1000))
    assert sim.step(rising, (0, 0)).p1.y == 0


def test_touching_edges_do_not_hit_and_one_unit_closer_does(sim: Fighter) -> None:
    for gap, hp in ((rules.HITBOX_WIDTH, 100), (rules.HITBOX_WIDTH - 1, 75)):
        assert sim.step(facing_off(sim, gap), (ATTACK, 0)).p2.hp == hp


def test_hits_at_once_are_both_applied(sim: Fighter) -> None:
    after = sim.step(facing_off(sim, 100), (ATTACK, ATTACK))
    assert (after.p1.hp, after.p2.hp) == (75, 75)
    assert (after.p1.state, after.p2.state) == (Action.HITSTUN, Action.HITSTUN)
    assert (after.p1.attack_has_hit, after.p2.attack_has_hit) == (1, 1)


def test_a_swing_hits_once_and_is_live_for_four_ticks(sim: Fighter) -> None:
    far = facing_off(sim, 5_000)
    state = sim.step(far, (ATTACK, 0))
    for tick in range(2, 7):
        close = state.replace(p2=state.p2.replace(x=state.p1.x + rules.PLAYER_WIDTH + 10))
        hit = sim.step(close, (0, 0)).p2.hp < 100
        assert hit == (tick <= 4), tick
        state = sim.step(state, (0, 0))


def test_a_stunned_fighter_with_an_open_window_still_lands_it(sim: Fighter) -> None:
    state = facing_off(sim, 100, state=Action.HITSTUN, hitstun_frames=10, attack_active_frames=3)
    assert sim.step(state, (0, 0)).p2.hp == 75


def test_cooldown_allows_the_next_attack_exactly_thirty_ticks_later(sim: Fighter) -> None:
    state = sim.step(sim.initial_state(1), (ATTACK, 0))
    started = 0
    while not started:
        state = sim.step(state, (ATTACK, 0))
        if state.p1.attack_cooldown_frames == rules.ATTACK_COOLDOWN_FRAMES:
            started = state.frame
    assert started == 31


def test_right_wins_over_left_and_walls_hold(sim: Fighter) -> None:
    state = sim.step(sim.initial_state(1), (LEFT | RIGHT, LEFT | RIGHT))
    assert (state.p1.x, state.p2.x) == (4_300, 16_300)
    state = sim.run(state, bytes([LEFT, 0, RIGHT, 0]) * 100)
    assert (state.p1.x, state.p2.x) == (rules.MIN_X, rules.MAX_X - rules.PLAYER_WIDTH)


def test_hp_stops_at_zero_and_nothing_ends(sim: Fighter) -> None:
    state = facing_off(sim, 100)
    state = state.replace(p2=state.p2.replace(hp=10))
    after = sim.step(state, (ATTACK, 0))
    assert after.p2.hp == 0
    assert sim.step(after, (0, 0)).frame == 2


def test_the_constants_for_the_compiler_are_the_rules() -> None:
    """The .pxd file repeats rules.py and the layout, so that C can fold them; here the two are compared."""
    text = Path(retick.games.fighter.__file__).with_name("kernel.pxd").read_text(encoding="utf-8")
    constants = {name: int(value) for name, value in re.findall(r"^    (\w+) = (-?\d+)$", text, re.MULTILINE)}
    names = FighterState.layout.names
    offsets = {
        "X": "x", "Y": "y", "VY": "vy", "FACING": "facing", "STATE": "state", "HITSTUN": "hitstun_frames", "HP": "hp",
        "COOLDOWN": "attack_cooldown_frames", "ACTIVE": "attack_active_frames", "HAS_HIT": "attack_has_hit",
    }  # fmt: skip
    expected = {short: names.index(f"p1.{field}") - names.index("p1.x") for short, field in offsets.items()}
    expected |= {"FIRST": names.index("p1.x"), "SECOND": names.index("p2.x"), "LAST": names.index("rng")}
    expected |= {"SLOTS": len(names), "PLAYER_SLOTS": names.index("p2.x") - names.index("p1.x"), "LANES": 64}
    expected |= {"CELLS": len(names) * 64, "ENOUGH": 24, "BLOCK": 32, "PRESSED": 32 * 64}
    expected |= {"LEAST_NARROW": -1000, "MOST_NARROW": rules.MAX_X}
    expected |= {"SIGHTS": len(offsets), "SEEN_CELLS": 2 * len(offsets) * 64, "WIN_POINTS": 100}
    expected |= {action.name.replace("HITSTUN", "STUNNED"): int(action) for action in Action}
    expected |= {f"{button.name}_BUTTON": int(button) for button in Button}
    for name in constants.keys() - expected.keys():
        expected[name] = getattr(rules, name)
    assert constants == expected
